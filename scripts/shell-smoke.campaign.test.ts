import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ElectronApplication, _electron } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { APP, buildPrograms, runNode } from './build-app.ts'
import { missingFuses } from '../packages/delivery/packaging/electron-program.ts'
import { type PageSecurityFindings, pageSecurityProbes } from './testing/page-security-probes.ts'
import { displayMissing } from '../packages/supervisor/launcher/browser.ts'

/** Tests the shell in its real runtime, on machines that have the runtime and a display. */
const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const pathFile = at('node_modules', 'electron', 'path.txt')
const program = existsSync(pathFile) ? at('node_modules', 'electron', 'dist', readFileSync(pathFile, 'utf8')) : ''

function missing(): string | null {
  if (!existsSync(program)) return 'the Electron runtime is not on this machine (its download failed or was not tried)'
  const noDisplay = displayMissing()
  return noDisplay === null ? null : `Electron needs a display, but ${noDisplay}`
}
const reason = missing()
const data = mkdtempSync(path.join(tmpdir(), 'milepost-shell-'))
const args = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  at('build', 'app'),
  '--profile',
  at('stores', 'training.yaml'),
  '--data',
  data,
]

let shell: ElectronApplication | null = null
beforeAll(async () => {
  if (reason !== null) return
  await buildPrograms(APP, { onlyWhenStale: true, log: () => {} })
  await runNode('the build of the screens', at('scripts', 'prepare.mjs'), ['screens'])
  shell = await _electron.launch({ executablePath: program, args })
}, 300_000)
afterAll(async () => {
  await shell?.close()
  rmSync(data, { recursive: true, force: true, maxRetries: 5 })
})

async function openOutside(): Promise<{ readonly url: string; asked(): number; close(): void }> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    response.setHeader('access-control-allow-origin', '*').end('outside')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}/`, asked: () => asked, close: () => server.close() }
}

const OTHER_ORIGIN = "fetch('app://other/').then(() => 'let through', () => 'refused')"
const MAIL_LINK = `(() => {
  const link = document.createElement('a')
  link.href = 'mailto:somebody@elsewhere.example'
  document.body.append(link)
  link.click()
  link.remove()
})()`

function pinned(): string | undefined {
  const { devDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  return devDependencies['electron']
}

const switchesOf = (running: ElectronApplication): Promise<string[]> =>
  running.evaluate(({ app }) =>
    ['enable-blink-features', 'enable-experimental-web-platform-features', 'disable-web-security'].filter((name) =>
      app.commandLine.hasSwitch(name),
    ),
  )

const responseToForeignPage = (running: ElectronApplication): Promise<string> =>
  running.evaluate(
    async ({ BrowserWindow }, preload) => {
      const stranger = new BrowserWindow({ show: false, webPreferences: { preload } })
      try {
        await stranger.loadURL('data:text/html,<p>A stranger</p>')
        const call = "milepostShell.version().then(() => 'answered', (error) => error.message)"
        return String(await stranger.webContents.executeJavaScript(call))
      } finally {
        stranger.destroy()
      }
    },
    at('build', 'app', 'electron', 'preload.cjs'),
  )

describe('the terminal inside Electron', () => {
  it('shows the sign-in with its own scheme, and blocks navigation', async (context) => {
    if (shell === null) return context.skip(reason ?? 'it was not started')
    const page = await shell.firstWindow()
    // The staff names on the page come from the backend, so scheme, socket and session all work.
    await page.getByText('Alex Tremblay').first().waitFor()
    expect(page.url()).toMatch(/^app:\/\/milepost\//)
    await page.evaluate("location.href = 'https://example.org'")
    expect(page.url()).toMatch(/^app:\/\/milepost\//)
  })

  it('passes Electron’s security checklist', async (context) => {
    if (shell === null) return context.skip(reason ?? 'it was not started')
    const page = await shell.firstWindow()
    await page.getByText('Alex Tremblay').first().waitFor()
    const outside = await openOutside()
    const found = await page.evaluate<PageSecurityFindings>(pageSecurityProbes(outside.url))
    const is = (point: string, value: unknown): ReturnType<typeof expect.soft> => expect.soft(value, point)

    is('1 only secure content', [found.foreignResources, found.fetched]).toEqual([[], 'refused'])
    is('1 no request reached the outside', outside.asked()).toBe(0)
    is('2 no Node in the page', found.nodeNames).toEqual([])
    is('3 context isolation: no name of the preload’s world', found.electronNames).toEqual([])
    is('4 sandbox: off only for root', await shell.evaluate(({ app }) => app.commandLine.hasSwitch('no-sandbox'))).toBe(
      process.getuid?.() === 0,
    )
    is('5 permissions', [found.geolocation, found.notifications, found.camera]).toEqual(['denied', 'denied', 'refused'])
    is('6 web security: the same-origin policy applies', await page.evaluate(OTHER_ORIGIN)).toBe('refused')
    is('7 content policy', found.policy).toContain("default-src 'none'; script-src 'self'")
    is('7 an injected script does not run', [found.injected, found.worked]).toEqual([false, 'refused'])
    is('8 insecure content', found.fetched).toBe('refused')
    is('9, 10 experimental and Blink features', await switchesOf(shell)).toEqual([])
    is('11, 12 no webview, with or without popups', found.webviewMethods).toBe('undefined')
    is('13 navigation: no frames', found.embedded).not.toContain('elsewhere.example')
    is('14 new windows', found.opened).toBe('refused')
    await page.evaluate(MAIL_LINK)
    is('15 openExternal: a link to another program has no effect', page.url()).toMatch(/^app:\/\/milepost\//)
    is('16 the pinned runtime', await shell.evaluate(() => process.versions['electron'])).toBe(pinned())
    is('17 a sender that is not a page of ours', await responseToForeignPage(shell)).toContain('refused')
    is('18 a scheme of its own, and no file', [page.url().slice(0, 15), found.fetchedFile]).toEqual([
      'app://milepost/',
      'refused',
    ])
    is('19 every fuse is in this runtime', await missingFuses(program)).toEqual([])
    is('20 four calls and no API of Electron', found.offered).toEqual(['displays', 'quit', 'setKiosk', 'version'])
    outside.close()
  })

  it('runs once per lane: a second start ends with exit code 3', async (context) => {
    if (shell === null) return context.skip(reason ?? 'it was not started')
    const second = spawn(program, args, { stdio: 'ignore' })
    const [code] = (await once(second, 'exit')) as [number | null]
    expect(code).toBe(3)
    expect(shell.windows().length).toBeGreaterThan(0)
  })

  it('opens the customer’s window on a second display, without any function of the shell', async (context) => {
    if (shell === null) return context.skip(reason ?? 'it was not started')
    const displays = await shell.evaluate(({ screen }) => screen.getAllDisplays().length)
    if (displays < 2) return context.skip('there is only one display')
    const customer = shell.windows().find((page) => page.url().endsWith('/customer'))
    expect(await customer?.evaluate('typeof globalThis.milepostShell')).toBe('undefined')
  })
})
