import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { denyNavigation, FOREIGN_ADDRESSES, lockSession, lockSessions, webPreferences } from './lockdown.ts'
import { PageStandIn, SessionStandIn } from '../testing/session-stand-in.ts'

const OWN = 'app://milepost/manager'
const ELSEWHERE = ['https://elsewhere.example/', 'http://127.0.0.1:9999/', 'file:///etc/passwd', 'app://other/']

describe('an Electron session of the shell', () => {
  it('grants every request if the shell does not lock it, because the stand-in restricts nothing itself', () => {
    const session = new SessionStandIn()
    expect([session.isGranted('media'), session.isDeviceGranted(), session.leaves(ELSEWHERE[0] ?? '')]).toEqual([
      true,
      true,
      true,
    ])
    expect(session.isDownloaded('https://elsewhere.example/setup.exe')).toBe(true)
  })

  it('grants pages no permission and no device', () => {
    const session = new SessionStandIn()
    lockSession(session)
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'unknown'])
      expect(session.isGranted(permission), permission).toBe(false)
    expect(session.isDeviceGranted()).toBe(false)
    let port: string | null = null
    session.emit('select-serial-port', { preventDefault: () => {} }, [{ portId: 'one' }], {}, (chosen: string) => {
      port = chosen
    })
    expect(port, 'no port is chosen').toBe('')
  })

  it('blocks requests except for the terminal’s own scheme and its pages’ blobs', () => {
    const session = new SessionStandIn()
    lockSession(session)
    const foreign = [
      'http://elsewhere.example/script.js',
      'https://elsewhere.example/',
      'http://127.0.0.1:8080/',
      'ws://elsewhere.example/socket',
      'wss://elsewhere.example/socket',
      'ftp://elsewhere.example/file',
      'file:///etc/passwd',
    ]
    expect(foreign.filter((url) => session.leaves(url))).toEqual([])
    expect(foreign.length).toBeGreaterThanOrEqual(FOREIGN_ADDRESSES.length)
    const own = [OWN, 'app://milepost/assets/index.js', 'blob:app://milepost/5e0d5fd2', 'data:image/png;base64,AA==']
    expect(own.filter((url) => !session.leaves(url))).toEqual([])
  })

  it('saves files created by a page, and downloads nothing', () => {
    const session = new SessionStandIn()
    lockSession(session)
    expect(session.isDownloaded('blob:app://milepost/5e0d5fd2')).toBe(true)
    expect(session.isDownloaded('https://elsewhere.example/setup.exe')).toBe(false)
  })

  it('is locked only once if its lock is requested twice', () => {
    const app = new EventEmitter()
    lockSessions(app)
    const session = new SessionStandIn()
    app.emit('session-created', session)
    expect(session.isGranted('media')).toBe(false)
    lockSession(session)
    expect(session.listenerCount('will-download')).toBe(1)
  })
})

describe('a page of the shell', () => {
  const lockedPage = (): PageStandIn => {
    const app = new EventEmitter()
    denyNavigation(app)
    const page = new PageStandIn()
    app.emit('web-contents-created', {}, page)
    return page
  }

  it('navigates anywhere if the shell does not lock it, because the stand-in restricts nothing itself', () => {
    const page = new PageStandIn()
    expect([page.navigates(ELSEWHERE[0] ?? ''), page.opensWindow(), page.attachesWebview()]).toEqual([true, true, true])
  })

  it('stays at the terminal’s own address and follows no redirect', () => {
    const page = lockedPage()
    expect(page.navigates(OWN)).toBe(true)
    expect(ELSEWHERE.filter((url) => page.navigates(url))).toEqual([])
    expect(page.isRedirected(OWN)).toBe(true)
    expect(ELSEWHERE.filter((url) => page.isRedirected(url))).toEqual([])
  })

  it('contains no other page, not even one of the terminal, and no webview', () => {
    const page = lockedPage()
    expect([OWN, 'about:blank', ...ELSEWHERE].filter((url) => page.navigates(url, false))).toEqual([])
    expect(page.attachesWebview()).toBe(false)
  })

  it('opens no window', () => {
    expect(lockedPage().opensWindow()).toBe(false)
  })
})

const ENABLED = ['contextIsolation', 'sandbox', 'webSecurity']
/**
 * Each of these settings would give a page access to Node, to the shell, or to more of Chromium than the screens need.
 */
const DISABLED = [
  'allowRunningInsecureContent',
  'devTools',
  'experimentalFeatures',
  'navigateOnDragDrop',
  'nodeIntegration',
  'nodeIntegrationInSubFrames',
  'nodeIntegrationInWorker',
  'plugins',
  'spellcheck',
  'webviewTag',
]

it('the shell sets every restriction of a page explicitly, and enables no Chromium feature', () => {
  const preferences = Object.entries(webPreferences(null))
  const namesOf = (value: boolean): string[] =>
    preferences.flatMap(([name, is]) => (is === value ? [name] : [])).toSorted()
  expect(namesOf(true)).toEqual(ENABLED)
  expect(namesOf(false)).toEqual(DISABLED)
  expect(preferences).toHaveLength(ENABLED.length + DISABLED.length)
})

it('the shell gives a page its own preload script or none', () => {
  expect(webPreferences('/app/electron/preload.cjs').preload).toBe('/app/electron/preload.cjs')
  expect('preload' in webPreferences(null)).toBe(false)
})
