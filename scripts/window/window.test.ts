import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  readdirSync,
} from 'node:fs'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { browserArguments, displayMissing, findBrowser } from '../../packages/supervisor/launcher/browser.ts'
import { type ElectronRuntime, fetchElectron, findElectron } from './electron-runtime.ts'
import { type SystemFacts, sandboxProblem } from './electron-sandbox.ts'
import { writeLaunchPage } from '../../packages/supervisor/launcher/open-window.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-window-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the browser that opens the terminal', () => {
  const install = (name: string): string => {
    const program = path.join(folder, name)
    writeFileSync(program, '')
    chmodSync(program, 0o755)
    return program
  }

  it('is the first installed one of Chromium, Chrome and Edge', () => {
    const edge = install('microsoft-edge')
    const chrome = install('google-chrome')
    expect(findBrowser('linux', { PATH: folder })).toEqual({
      name: existsSync('/usr/bin/chromium') ? 'Chromium' : 'Chrome',
      program: existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : chrome,
    })
    const chromium = install('chromium')
    expect(findBrowser('linux', { PATH: folder })).toEqual({ name: 'Chromium', program: chromium })
    expect(edge).not.toBe(chromium)
  })

  it('is found in the Applications folder on a Mac', () => {
    const macOs = path.join(folder, 'Applications', 'Google Chrome.app', 'Contents', 'MacOS')
    mkdirSync(macOs, { recursive: true })
    writeFileSync(path.join(macOs, 'Google Chrome'), '', { mode: 0o755 })
    expect(findBrowser('darwin', { HOME: folder, PATH: '' })?.program).toBe(path.join(macOs, 'Google Chrome'))
  })

  it('keeps its sandbox, except if root starts it', () => {
    expect(browserArguments('http://127.0.0.1:1/', '/data/browser', { asRoot: false })).not.toContain('--no-sandbox')
    expect(browserArguments('http://127.0.0.1:1/', '/data/browser', { asRoot: true })).toContain('--no-sandbox')
  })

  it('needs a graphical display on Linux, and a missing display is reported', () => {
    expect(displayMissing('linux', {})).toContain('no graphical display')
    expect(displayMissing('linux', { DISPLAY: '' })).toContain('no graphical display')
    expect(displayMissing('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBeNull()
    expect(displayMissing('win32', {})).toBeNull()
  })
})

describe('the sandbox of Electron', () => {
  const CLOSED = {
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n',
    '/proc/sys/user/max_user_namespaces': '96365\n',
  }
  const facts = (
    files: Readonly<Record<string, string>>,
    helper: { uid: number; mode: number } | null,
    more: Partial<SystemFacts> = {},
  ): SystemFacts => ({
    platform: 'linux',
    uid: 1000,
    read: (file) => files[file] ?? null,
    stat: (file) => (file === '/electron/chrome-sandbox' ? helper : null),
    ...more,
  })
  const MINE = { uid: 1000, mode: 0o100755 }

  it('cannot be used by an ordinary user on Ubuntu, and the message names the setting to change', () => {
    expect(sandboxProblem('/electron/electron', facts(CLOSED, MINE))).toBe(
      'its sandbox cannot start: kernel.apparmor_restrict_unprivileged_userns is 1, and ' +
        '/electron/chrome-sandbox is not root’s with mode 4755',
    )
    expect(
      sandboxProblem('/electron/electron', facts({ '/proc/sys/kernel/unprivileged_userns_clone': '0' }, null)),
    ).toContain('kernel.unprivileged_userns_clone is 0')
    expect(
      sandboxProblem(
        '/electron/electron',
        facts({ '/proc/sys/user/max_user_namespaces': '0' }, { uid: 0, mode: 0o100755 }),
      ),
    ).toContain('user.max_user_namespaces is 0')
  })
  it('can be used with a helper owned by root, with open namespaces, and on other systems', () => {
    expect(sandboxProblem('/electron/electron', facts(CLOSED, { uid: 0, mode: 0o104755 }))).toBeNull()
    expect(
      sandboxProblem(
        '/electron/electron',
        facts({ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0' }, MINE),
      ),
    ).toBeNull()
    expect(sandboxProblem('/electron/electron', facts({}, MINE))).toBeNull()
    expect(sandboxProblem('/electron/electron', facts(CLOSED, MINE, { platform: 'darwin' }))).toBeNull()
    expect(sandboxProblem('/electron/electron', facts(CLOSED, MINE, { uid: 0 }))).toBeNull()
  })
})

describe('the page that opens a browser’s window', () => {
  it.skipIf(process.platform === 'win32')(
    'is readable by its owner only, also if it existed before, and is removed',
    () => {
      writeFileSync(path.join(folder, 'open.html'), 'old', { mode: 0o666 })
      const page = writeLaunchPage(folder, 'http://127.0.0.1:1/#launch=</script>')
      const file = path.join(folder, 'open.html')
      expect(page.address).toBe(pathToFileURL(file).href)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain('launch=</script>')
      page.remove()
      expect(existsSync(file)).toBe(false)
    },
  )
})

describe('the Electron runtime', () => {
  const VERSION = '45.0.0'
  const NAME = `electron-v${VERSION}-${process.platform}-${process.arch}.zip`
  const ARCHIVE = randomBytes(300_000)
  let host: Server
  let asked: (string | undefined)[]
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  let mirror: string
  let logged: string[]
  beforeEach(async () => {
    asked = []
    logged = []
    answer = (_request, response) => response.writeHead(200, { 'content-length': ARCHIVE.length }).end(ARCHIVE)
    host = createServer((request, response) => {
      asked.push(request.headers.range)
      answer(request, response)
    })
    host.listen(0, '127.0.0.1')
    await once(host, 'listening')
    mirror = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
    mkdirSync(path.join(folder, 'electron'))
    writeFileSync(path.join(folder, 'electron', 'package.json'), JSON.stringify({ name: 'electron', version: VERSION }))
    writeFileSync(
      path.join(folder, 'electron', 'checksums.json'),
      JSON.stringify({ [NAME]: createHash('sha256').update(ARCHIVE).digest('hex') }),
    )
  })
  afterEach(() => {
    host.closeAllConnections()
    return new Promise((resolve) => {
      host.close(resolve)
    })
  })

  const installer = (text: string): void => writeFileSync(path.join(folder, 'electron', 'install.js'), text)
  /** The fake installer takes the archive from the cache of Electron’s real installer. */
  const UNPACKS = `
    const fs = require('fs'), path = require('path'), crypto = require('crypto')
    const hash = crypto.createHash('sha256').update(process.env.ELECTRON_MIRROR + 'v${VERSION}').digest('hex')
    const archive = path.join(process.env.electron_config_cache, hash, '${NAME}')
    if (fs.statSync(archive).size !== ${ARCHIVE.length}) process.exit(1)
    fs.mkdirSync(__dirname + '/dist')
    fs.writeFileSync(__dirname + '/dist/electron', '')
    fs.writeFileSync(__dirname + '/path.txt', 'electron')`
  const memoryFile = (): string => path.join(folder, 'memory.json')
  const fetchIt = (now: number, env: Record<string, string> = {}): Promise<ElectronRuntime> =>
    fetchElectron({
      packageFolder: path.join(folder, 'electron'),
      memoryFile: memoryFile(),
      cacheFolder: path.join(folder, 'cache'),
      now: () => now,
      log: (line) => logged.push(line),
      silenceMs: 2_000,
      installMs: 20_000,
      env: { ELECTRON_MIRROR: mirror, ...env },
    })
  const NOON = Date.parse('2026-11-21T12:00:00Z')
  const HOUR = 60 * 60 * 1000
  const PROGRAM = (): string => path.join(folder, 'electron', 'dist', 'electron')

  it('is used without network access if it is installed', async () => {
    expect(findElectron({ packageFolder: path.join(folder, 'electron'), env: {} })).toEqual({
      missing: 'it has not been downloaded',
    })
    mkdirSync(path.join(folder, 'electron', 'dist'))
    writeFileSync(PROGRAM(), '')
    writeFileSync(path.join(folder, 'electron', 'path.txt'), 'electron')
    expect(findElectron({ packageFolder: path.join(folder, 'electron'), env: {} })).toEqual({ program: PROGRAM() })
    expect(await fetchIt(NOON)).toEqual({ program: PROGRAM() })
    expect(asked).toEqual([])
  })

  it('is downloaded with progress messages, and unpacked by its own installer', async () => {
    installer(UNPACKS)
    expect(await fetchIt(NOON)).toEqual({ program: PROGRAM() })
    expect(logged[0]).toBe('Downloading the Electron runtime for the next start (0 MB)…')
    expect(logged.at(-1)).toBe('Electron runtime: 100 % of 0 MB.')
    expect(existsSync(path.join(folder, 'cache'))).toBe(false)
  })

  it('is downloaded to its end by the next start after an interruption', async () => {
    installer(UNPACKS)
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': ARCHIVE.length })
      response.write(ARCHIVE.subarray(0, 200_000))
      // Break the connection only after the received bytes are on disk.
      const cache = path.join(folder, 'cache')
      const looking = setInterval(() => {
        const partialFile = readdirSync(cache, { recursive: true }).find((name) => String(name).endsWith('.part'))
        if (partialFile === undefined || statSync(path.join(cache, String(partialFile))).size === 0) return
        clearInterval(looking)
        response.destroy()
      }, 5)
    }
    expect(await fetchIt(NOON)).toEqual({ missing: 'its download was interrupted; the next start resumes it' })
    answer = (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1])
      response
        .writeHead(206, {
          'content-length': ARCHIVE.length - from,
          'content-range': `bytes ${from}-${ARCHIVE.length - 1}/${ARCHIVE.length}`,
        })
        .end(ARCHIVE.subarray(from))
    }
    expect(await fetchIt(NOON)).toEqual({ program: PROGRAM() })
    expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  })

  it('is never unpacked from a file with a wrong checksum', async () => {
    installer("require('fs').writeFileSync(__dirname + '/tried', '')")
    answer = (_request, response) => response.end('something else')
    expect(await fetchIt(NOON)).toEqual({ missing: 'the checksum of its download differs from that in the package' })
    expect(existsSync(path.join(folder, 'electron', 'tried'))).toBe(false)
  })

  it('is not downloaded again for a day after a failure', async () => {
    installer('process.exit(1)')
    answer = (_request, response) => response.writeHead(404).end()
    expect(await fetchIt(NOON)).toEqual({ missing: 'its download host responds with 404' })
    expect(await fetchIt(NOON + 23 * HOUR)).toEqual({
      missing: 'its download host responds with 404, and the next try is a day after the last',
    })
    expect(asked).toHaveLength(1)
    expect(await fetchIt(NOON + 25 * HOUR)).toEqual({ missing: 'its download host responds with 404' })
    expect(asked).toHaveLength(2)
  })

  it('is downloaded again after the clock was set back, or from another mirror', async () => {
    installer('process.exit(1)')
    answer = (_request, response) => response.writeHead(404).end()
    await fetchIt(NOON)
    await fetchIt(NOON - HOUR)
    await fetchIt(NOON - HOUR, { ELECTRON_MIRROR: `${mirror}other/` })
    writeFileSync(memoryFile(), '{"failedAt":')
    await fetchIt(NOON + HOUR)
    expect(asked).toHaveLength(4)
    expect(readFileSync(memoryFile(), 'utf8')).toContain(String(NOON + HOUR))
  })

  it('is given up without running its installer if the download host does not respond', async () => {
    installer("require('fs').writeFileSync(__dirname + '/tried', '')")
    // Port 9 of this machine has no listener, so the connection is refused.
    expect(await fetchIt(NOON, { ELECTRON_MIRROR: 'http://127.0.0.1:9/' })).toEqual({
      missing: 'its download host is unreachable from here',
    })
    answer = () => {}
    expect(await fetchIt(NOON)).toEqual({ missing: 'its download host is unreachable from here' })
    expect(existsSync(path.join(folder, 'electron', 'tried'))).toBe(false)
  })
})
