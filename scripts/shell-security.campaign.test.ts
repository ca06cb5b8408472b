import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StandInEvent, Tried } from '../electron/testing/stand-in-messages.ts'
import { webPreferences } from '../packages/supervisor/shell/lockdown.ts'
import { at, buildShell, startShell } from './testing/built-shell.ts'

/**
 * Checks the built shell against Electron’s security checklist: its calls of Electron, and the results of its handlers.
 * docs/shell-security.md has the checklist; shell-smoke.campaign.test.ts covers Chromium itself.
 */
const FOREIGN = [
  'https://elsewhere.example/',
  'http://127.0.0.1:8080/',
  'ws://elsewhere.example/',
  'file:///etc/passwd',
] as const
const OWN = 'app://milepost/manager'
const PERMISSIONS = ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'hid', 'usb'] as const

const directives = (policy: string): Map<string, string> =>
  new Map(
    policy.split(';').map((one) => {
      const [name = '', ...values] = one.trim().split(' ')
      return [name, values.join(' ')]
    }),
  )

interface Facts {
  readonly events: readonly StandInEvent[]
  readonly tried: Tried
  readonly pid: number | undefined
  readonly second: {
    readonly events: readonly StandInEvent[]
    readonly code: number | null
    output: string
    errors: string
  }
}
let facts: Facts
const reportsOf = <Kind extends StandInEvent['type']>(
  events: readonly StandInEvent[],
  kind: Kind,
): Extract<StandInEvent, { type: Kind }>[] =>
  events.filter((one): one is Extract<StandInEvent, { type: Kind }> => one.type === kind)

beforeAll(async () => {
  await buildShell()
  const shell = startShell({})
  await shell.next('page')
  shell.request({ request: 'try', permissions: PERMISSIONS, addresses: [...FOREIGN, OWN] })
  const { tried } = await shell.next('tried')
  const again = startShell({}, [], { MILEPOST_SHELL_REPORTS: '1' })
  const second = { ...(await again.ended), events: again.events }
  await shell.next('focused')
  shell.request({ request: 'displays', displays: 2 })
  await shell.next('page', 1)
  shell.request({ request: 'displays', displays: 1 })
  await shell.next('closed')
  shell.request({ request: 'displays', displays: 2 })
  await shell.next('page', 2)
  facts = { events: [...shell.events], tried, pid: shell.child.pid, second }
}, 180_000)

describe('the built shell, run on a stand-in of Electron,', () => {
  it('gives every window the security settings of a page, and the preload script only to the cashier’s', () => {
    const preload = at('build', 'app', 'electron', 'preload.cjs')
    const [cashier, ...customers] = reportsOf(facts.events, 'window').map(({ options }) => options.webPreferences)
    expect(cashier).toEqual(webPreferences(preload))
    expect(customers).toEqual([webPreferences(null), webPreferences(null)])
  })

  it('enables the sandbox of every process', () => {
    expect(reportsOf(facts.events, 'sandbox').map(({ text }) => text)).toEqual(['every process'])
  })

  it('registers one scheme without bypassing the policy and without workers or extensions', () => {
    const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true }
    expect(reportsOf(facts.events, 'schemes').map(({ schemes }) => schemes)).toEqual([[{ scheme: 'app', privileges }]])
  })

  it('loads its pages only with its own scheme', () => {
    expect(reportsOf(facts.events, 'loading').map(({ text }) => text)).toEqual([
      'app://milepost/',
      'app://milepost/customer',
      'app://milepost/customer',
    ])
  })

  it('shows its pages with the backend’s policy: only scripts of the package, and no eval', () => {
    const policies = reportsOf(facts.events, 'page').map(({ policy }) => policy ?? '')
    expect(policies).toHaveLength(3)
    for (const policy of policies) {
      const stated = directives(policy)
      expect(stated.get('default-src')).toBe("'none'")
      expect(stated.get('script-src')).toMatch(/^'self'( 'sha256-[\w+/=]+')*$/)
      expect(stated.get('style-src')).toMatch(/^'self' 'nonce-[\w+/=]+'$/)
      expect(stated.get('connect-src')).toBe("'self'")
      for (const name of ['base-uri', 'form-action', 'frame-ancestors']) expect(stated.get(name), name).toBe("'none'")
      expect(policy).not.toMatch(/unsafe-|https?:|\*|blob:/)
    }
  })

  it('grants its pages no permission and no device', () => {
    expect(facts.tried.permissions).toEqual([])
  })

  it('allows its pages only requests to itself, and no download', () => {
    expect([facts.tried.requests, facts.tried.downloads]).toEqual([[OWN], []])
  })

  it('blocks navigation, frames, new windows and webviews', () => {
    const { navigations, frames, opensWindow, attachesWebview } = facts.tried
    expect({ navigations, frames, opensWindow, attachesWebview }).toEqual({
      navigations: [OWN],
      frames: [],
      opensWindow: false,
      attachesWebview: false,
    })
  })

  it('responds only to calls of its own pages', () => {
    const { calls } = facts.tried
    expect(Object.keys(calls).toSorted()).toEqual(['shell:displays', 'shell:kiosk', 'shell:quit', 'shell:version'])
    for (const [channel, { elsewhere, own }] of Object.entries(calls)) {
      expect(elsewhere, channel).toBe('refused')
      expect(own, channel).not.toBe('refused')
    }
  })

  it('comes to the front when its lane is started again; the second start ends with a message and no dialog', () => {
    const { second } = facts
    expect({ code: second.code, errors: second.errors }).toEqual({
      code: 3,
      errors: `Milepost is already open on this lane (process ${facts.pid}). Its window is in front now.\n`,
    })
    expect(second.output).toContain('{"milepost":"refused"}')
    expect(second.events.filter(({ type }) => type === 'error-box' || type === 'window')).toEqual([])
    expect(reportsOf(facts.events, 'focused').map(({ text }) => text)).toEqual(['app://milepost/'])
  })

  it('opens the customer’s window with a second display, and without this display closes only that window', () => {
    const [, customer] = reportsOf(facts.events, 'window')
    expect(customer?.options).toMatchObject({ x: 1024, width: 1024, kiosk: true })
    expect(reportsOf(facts.events, 'closed').map(({ text }) => text)).toEqual(['app://milepost/customer'])
  })
})

describe('the built shell in a package', () => {
  it('refuses a switch that exposes its pages, before it starts a process', async () => {
    const shell = startShell({ packaged: true }, ['--remote-debugging-port=9222'])
    expect(await shell.ended).toMatchObject({
      code: 2,
      errors: expect.stringContaining('does not start with --remote-debugging-port') as string,
    })
    expect(shell.events.filter(({ type }) => ['window', 'fork'].includes(type))).toEqual([])
  })
})

describe('the code of the built shell', () => {
  const program = (...parts: string[]): string => readFileSync(at('build', 'app', 'electron', ...parts), 'utf8')

  it('imports ten names from Electron, and none that opens addresses or the web', () => {
    const asked = /import\{([^}]*)\}from"electron"/g
    const names = [...program('main.js').matchAll(asked)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.split(' as ')[0] ?? ''),
    )
    expect(names.toSorted()).toEqual(
      [
        'BrowserWindow',
        'Menu',
        'app',
        'dialog',
        'ipcMain',
        'protocol',
        'safeStorage',
        'screen',
        'session',
        'utilityProcess',
      ].toSorted(),
    )
    expect(program('main.js')).not.toMatch(/openExternal|openPath|import\("electron"\)|require\("electron"\)/)
  })

  it('evaluates no text as code', () => {
    for (const file of ['main.js', 'preload.cjs', 'utility-main.js'])
      expect(program(file), file).not.toMatch(/\beval\(|new Function\b|executeJavaScript|insertCSS|loadFile\(/)
  })
})
