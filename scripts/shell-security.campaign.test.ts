import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Told, Tried } from '../electron/testing/stand-in-words.ts'
import { webPreferences } from '../packages/supervisor/shell/lockdown.ts'
import { at, buildShell, startShell } from './testing/built-shell.ts'

/**
 * Electron's own security list, point by point, at the shell as a package has it: what it really hands to Electron, and
 * what its handlers really answer. docs/shell-security.md has the list; that Chromium does as it is told is for
 * shell-smoke.campaign.test.ts.
 */
const FOREIGN = [
  'https://elsewhere.example/',
  'http://127.0.0.1:8080/',
  'ws://elsewhere.example/',
  'file:///etc/passwd',
] as const
const OWN = 'app://milepost/manager'
const PERMISSIONS = ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'hid', 'usb'] as const

/** The directives of a policy by name. */
const directives = (policy: string): Map<string, string> =>
  new Map(
    policy.split(';').map((one) => {
      const [name = '', ...values] = one.trim().split(' ')
      return [name, values.join(' ')]
    }),
  )

interface Facts {
  readonly told: readonly Told[]
  readonly tried: Tried
  readonly pid: number | undefined
  readonly second: { readonly told: readonly Told[]; readonly code: number | null; said: string; complained: string }
}
let facts: Facts
const toldBy = <Kind extends Told['told']>(told: readonly Told[], kind: Kind): Extract<Told, { told: Kind }>[] =>
  told.filter((one): one is Extract<Told, { told: Kind }> => one.told === kind)

/** One start of the shell, for as long as it takes to see everything of it; a second start; displays that change. */
beforeAll(async () => {
  await buildShell()
  const shell = startShell({})
  await shell.next('page')
  shell.order({ order: 'try', permissions: PERMISSIONS, addresses: [...FOREIGN, OWN] })
  const { tried } = await shell.next('tried')
  const again = startShell({}, [], { MILEPOST_SHELL_REPORTS: '1' })
  const second = { ...(await again.ended), told: again.told }
  await shell.next('focused')
  shell.order({ order: 'displays', displays: 2 })
  await shell.next('page', 1)
  shell.order({ order: 'displays', displays: 1 })
  await shell.next('closed')
  shell.order({ order: 'displays', displays: 2 })
  await shell.next('page', 2)
  facts = { told: [...shell.told], tried, pid: shell.child.pid, second }
}, 180_000)

describe('the built shell, started', () => {
  it('hands every window the walls of a page, and its preload to the cashier’s alone', () => {
    const preload = at('build', 'app', 'electron', 'preload.cjs')
    const [cashier, ...customers] = toldBy(facts.told, 'window').map(({ options }) => options.webPreferences)
    expect(cashier).toEqual(webPreferences(preload))
    expect(customers).toEqual([webPreferences(null), webPreferences(null)])
  })

  it('asks for the sandbox of every process', () => {
    expect(toldBy(facts.told, 'sandbox').map(({ text }) => text)).toEqual(['every process'])
  })

  it('registers one scheme of its own, which neither goes round the policy nor takes workers or extensions', () => {
    const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true }
    expect(toldBy(facts.told, 'schemes').map(({ schemes }) => schemes)).toEqual([[{ scheme: 'app', privileges }]])
  })

  it('loads its pages over that scheme and no other', () => {
    expect(toldBy(facts.told, 'loading').map(({ text }) => text)).toEqual([
      'app://milepost/',
      'app://milepost/customer',
      'app://milepost/customer',
    ])
  })

  it('shows them under the backend’s policy: scripts of the package alone, and nothing evaluated', () => {
    const policies = toldBy(facts.told, 'page').map(({ policy }) => policy ?? '')
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

  it('grants no permission and no device', () => {
    expect(facts.tried.permissions).toEqual([])
  })

  it('lets no request leave but to itself, and downloads nothing', () => {
    expect([facts.tried.requests, facts.tried.downloads]).toEqual([[OWN], []])
  })

  it('lets no page leave, holds no page in a page, and opens neither window nor webview', () => {
    const { navigations, frames, opensWindow, attachesWebview } = facts.tried
    expect({ navigations, frames, opensWindow, attachesWebview }).toEqual({
      navigations: [OWN],
      frames: [],
      opensWindow: false,
      attachesWebview: false,
    })
  })

  it('answers its channels to its own pages alone', () => {
    const { calls } = facts.tried
    expect(Object.keys(calls).toSorted()).toEqual(['shell:displays', 'shell:kiosk', 'shell:quit', 'shell:version'])
    for (const [channel, { elsewhere, own }] of Object.entries(calls)) {
      expect(elsewhere, channel).toBe('refused')
      expect(own, channel).not.toBe('refused')
    }
  })

  it('comes forward when its lane is started once more, and the second ends in words, without a box', () => {
    const { second } = facts
    expect({ code: second.code, complained: second.complained }).toEqual({
      code: 3,
      complained: `Milepost is already open on this lane (process ${facts.pid}). Its window is in front now.\n`,
    })
    expect(second.said).toContain('{"milepost":"refused"}')
    expect(second.told.filter(({ told }) => told === 'error-box' || told === 'window')).toEqual([])
    expect(toldBy(facts.told, 'focused').map(({ text }) => text)).toEqual(['app://milepost/'])
  })

  it('opens the customer’s window when a second display comes, and takes it away with it; the sale stays', () => {
    const [, customer] = toldBy(facts.told, 'window')
    expect(customer?.options).toMatchObject({ x: 1024, width: 1024, kiosk: true })
    expect(toldBy(facts.told, 'closed').map(({ text }) => text)).toEqual(['app://milepost/customer'])
  })
})

describe('the built shell as a package', () => {
  it('refuses a switch that opens its pages, before anything is started', async () => {
    const shell = startShell({ packaged: true }, ['--remote-debugging-port=9222'])
    expect(await shell.ended).toMatchObject({
      code: 2,
      complained: expect.stringContaining('does not start with --remote-debugging-port') as string,
    })
    expect(shell.told.filter(({ told }) => ['window', 'fork'].includes(told))).toEqual([])
  })
})

describe('the built shell, read', () => {
  const program = (...parts: string[]): string => readFileSync(at('build', 'app', 'electron', ...parts), 'utf8')

  it('asks Electron for ten things by name, and for nothing that opens an address or reaches the web', () => {
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

  it('evaluates no text as a program', () => {
    for (const file of ['main.js', 'preload.cjs', 'utility-main.js'])
      expect(program(file), file).not.toMatch(/\beval\(|new Function\b|executeJavaScript|insertCSS|loadFile\(/)
  })
})
