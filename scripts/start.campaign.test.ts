import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** Runs `npm start` as a user types it, with the real backend and training services; only the browser is a fake. */
const root = fileURLToPath(new URL('..', import.meta.url))
const START = path.join(root, 'scripts', 'start.ts')
const TIMEOUT = 90_000

let folder: string
let data: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-start-'))
  data = path.join(folder, 'data')
})
afterEach(async () => {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'close')
      child.kill('SIGKILL')
      await gone
    }),
  )
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

interface Started {
  readonly child: ChildProcess
  line(pattern: RegExp): Promise<string>
  readonly ended: Promise<{ code: number | null; output: string; errors: string }>
}
function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [START, '--data', data, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', ...env },
  })
  children.push(child)
  const errorText = text(child.stderr)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  const ended = once(child, 'close').then(async ([code]) => ({
    code: code as number | null,
    output: lines.join('\n'),
    errors: await errorText,
  }))
  return {
    child,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(({ output, errors }) =>
          reject(new Error(`ended without printing ${pattern}: ${output}\n${errors}`)),
        )
      }),
  }
}
const addressIn = (line: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/api/terminal`).then(
    (response) => response.ok,
    () => false,
  )

async function fakeBrowser(): Promise<{
  bin: string
  opened: Promise<string[]>
  gone: Promise<'gone'>
  end(code: number): void
  close(): Promise<void>
}> {
  const opened = Promise.withResolvers<string[]>()
  const gone = Promise.withResolvers<'gone'>()
  const fate = Promise.withResolvers<number>()
  const server = createServer(async (request, response) => {
    response.once('close', () => gone.resolve('gone'))
    opened.resolve(JSON.parse(await text(request)) as string[])
    response.end(String(await fate.promise))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  const program = path.join(bin, 'chromium')
  writeFileSync(
    program,
    `#!${process.execPath}
const body = JSON.stringify(process.argv.slice(2))
fetch('http://127.0.0.1:${(server.address() as AddressInfo).port}', { method: 'POST', body })
  .then((response) => response.text()).then((code) => process.exit(Number(code)))
`,
  )
  chmodSync(program, 0o755)
  return {
    bin,
    opened: opened.promise,
    gone: gone.promise,
    end: fate.resolve,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
const withBrowser = (bin: string): Record<string, string> => ({
  DISPLAY: ':99',
  PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
})

describe('npm start without Electron', () => {
  it(
    'prints the address and the reason if no window can be opened, and serves until Ctrl-C',
    async () => {
      const terminal = start([])
      const line = await terminal.line(/^Milepost is ready/)
      expect(line).toMatch(
        /open http:\/\/127\.0\.0\.1:\d+\/#launch=\S+ \(no window was opened: this machine has no graphical display/,
      )
      expect(await (await fetch(`${addressIn(line)}/api/terminal`)).json()).toMatchObject({
        mode: 'training',
        lane: '01',
      })
      terminal.child.kill('SIGINT')
      expect(await terminal.ended).toMatchObject({ code: 0, errors: '' })
      expect(await answers(addressIn(line))).toBe(false)
    },
    TIMEOUT,
  )

  it(
    'refuses a second terminal on the same data folder, and the first one continues',
    async () => {
      const first = start(['--no-window'])
      const line = await first.line(/^Milepost is ready/)
      const second = await start(['--no-window']).ended
      expect(second.errors).toBe(
        `Another Milepost terminal (process ${first.child.pid}) is already running on the data folder ${data}. ` +
          `Use its window, or start this one with another --data folder.\n`,
      )
      expect(second.code).toBe(3)
      expect(await answers(addressIn(line))).toBe(true)
    },
    TIMEOUT,
  )

  it(
    'opens an app window of a browser with a user-data folder of its own, and ends when that window is closed',
    async () => {
      const browser = await fakeBrowser()
      const terminal = start(['--browser'], withBrowser(browser.bin))
      const line = await terminal.line(/^Milepost is open/)
      expect(line).toMatch(/in an app window of Chromium at http:\/\/127\.0\.0\.1:\d+ \(you chose a browser\)\.$/)
      const args = await browser.opened
      // The launch token is in a file with mode 600, and not in the process list.
      const page = fileURLToPath(args[0]?.replace('--app=', '') ?? '')
      expect(statSync(page).mode & 0o777).toBe(0o600)
      const token =
        new RegExp(`${addressIn(line)}/#launch=([\\w-]{20,})"`).exec(readFileSync(page, 'utf8'))?.[1] ??
        'none was found'
      expect(token).not.toBe('none was found')
      expect(execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })).not.toContain(token)
      expect(args).toContain(`--user-data-dir=${path.join(data, 'browser')}`)
      browser.end(0)
      expect((await terminal.ended).code).toBe(0)
      expect(await answers(addressIn(line))).toBe(false)
      await browser.close()
    },
    TIMEOUT,
  )

  it(
    'leaves neither a backend nor a window behind when it is killed',
    async () => {
      const browser = await fakeBrowser()
      const terminal = start(['--browser'], withBrowser(browser.bin))
      const address = addressIn(await terminal.line(/^Milepost is open/))
      await browser.opened
      const connection = connect(Number(new URL(address).port), '127.0.0.1')
      await once(connection, 'connect')
      const hungUp = once(connection, 'close')
      connection.on('error', () => {})
      connection.resume()
      terminal.child.kill('SIGKILL')
      await hungUp
      expect(await browser.gone).toBe('gone')
      expect(await answers(address)).toBe(false)
      // The lock of the killed terminal does not block the next start.
      await start(['--no-window']).line(/^Milepost is ready/)
      await browser.close()
    },
    TIMEOUT,
  )

  it(
    'prints the address if the browser cannot be opened',
    async () => {
      const browser = await fakeBrowser()
      browser.end(1)
      const terminal = start(['--browser'], withBrowser(browser.bin))
      const line = await terminal.line(/^The window could not be opened \(exit code 1\)\. Open this address instead: /)
      expect(await answers(addressIn(line))).toBe(true)
      await browser.close()
    },
    TIMEOUT,
  )

  it(
    'restarts a crashed backend on the same port',
    async () => {
      const terminal = start(['--no-window'])
      const address = addressIn(await terminal.line(/^Milepost is ready/))
      const own = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(path.join('backend', 'main.ts')) && line.includes(data))
      expect(own).toHaveLength(1)
      process.kill(Number.parseInt(own[0] ?? '', 10), 'SIGKILL')
      await terminal.line(/^The backend ended unexpectedly \(SIGKILL\)\. Starting it again in 0\.25 s\.$/)
      expect(addressIn(await terminal.line(/^The terminal is running again/))).toBe(address)
      expect(await answers(address)).toBe(true)
    },
    TIMEOUT,
  )

  it(
    'starts training with empty data on request, and renames the old data folder',
    async () => {
      mkdirSync(data)
      writeFileSync(path.join(data, 'remember-me'), 'old')
      const terminal = start(['--no-window', '--reset-training'])
      await terminal.line(/^Milepost is ready/)
      expect(existsSync(path.join(data, 'remember-me'))).toBe(false)
      const aside = readdirSync(folder).find((name) => name.startsWith('data.before-')) ?? ''
      expect(readFileSync(path.join(folder, aside, 'remember-me'), 'utf8')).toBe('old')
    },
    TIMEOUT,
  )
})

describe('npm start with the Electron runtime', () => {
  function fakeElectron(behaviour: string): {
    env: Record<string, string>
    started: () => { args: string[]; env: Record<string, string> }[]
  } {
    const dist = path.join(folder, 'dist')
    const log = path.join(folder, 'electron.log')
    mkdirSync(dist)
    writeFileSync(
      path.join(dist, 'electron'),
      `#!${process.execPath}
const started = JSON.stringify({ args: process.argv.slice(2), env: process.env })
require('fs').appendFileSync(${JSON.stringify(log)}, started + '\\n')
${behaviour}
`,
      { mode: 0o755 },
    )
    return {
      env: { ELECTRON_OVERRIDE_DIST_PATH: dist, ELECTRON_RUN_AS_NODE: '1' },
      started: () =>
        existsSync(log)
          ? readFileSync(log, 'utf8')
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as { args: string[]; env: Record<string, string> })
          : [],
    }
  }
  const { version: VERSION } = JSON.parse(
    readFileSync(path.join(root, 'node_modules', 'electron', 'package.json'), 'utf8'),
  ) as { version: string }
  const SHOWN = "console.log(JSON.stringify({ milepost: 'shown' }))"
  const WAITS = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)"

  it(
    'opens the window in Electron without Node mode, and ends on Ctrl-C',
    async () => {
      const electron = fakeElectron(`${SHOWN}; console.log('words of its own'); ${WAITS}`)
      const terminal = start([], { DISPLAY: ':99', ...electron.env })
      await terminal.line(/^Milepost opens in Electron \d/)
      await terminal.line(/^words of its own$/)
      const [first] = electron.started()
      expect(first?.env['ELECTRON_RUN_AS_NODE']).toBeUndefined()
      expect(first?.args).toContain(data)
      terminal.child.kill('SIGINT')
      const { code, output } = await terminal.ended
      expect(code).toBe(0)
      expect(output).not.toContain('"milepost"')
    },
    TIMEOUT,
  )

  it.each([
    [
      'a signal, such as without a sandbox',
      "console.error('FATAL: no usable sandbox!'); process.kill(process.pid, 'SIGTRAP')",
      /opened no window: signal 5 ended it\. Its last line: FATAL: no usable sandbox!$/,
      [],
    ],
    [
      'an unknown exit code',
      "console.error('cannot open display'); process.exit(1)",
      /opened no window: it ended with exit code 1\. Its last line: cannot open display$/,
      [],
    ],
    ['exit code 0 without output', 'process.exit(0)', /opened no window: it ended with exit code 0$/, []],
    ['silence', WAITS, /opened no window: it showed no window for 0\.5 s$/, ['--electron-patience', '0.5']],
  ])(
    'opens a browser and remembers the failure if Electron ends before its window is shown, by %s',
    async (_case, behaviour, why, args) => {
      const browser = await fakeBrowser()
      const electron = fakeElectron(behaviour)
      const env = { ...withBrowser(browser.bin), ...electron.env }
      const terminal = start(args, env)
      await terminal.line(why)
      await terminal.line(/^Milepost is open in an app window of Chromium .*\(Electron [\d.]+ is installed, but /)
      await browser.opened
      terminal.child.kill('SIGINT')
      expect((await terminal.ended).code).toBe(0)
      expect(JSON.parse(readFileSync(path.join(data, 'electron-failed.json'), 'utf8'))).toMatchObject({
        version: VERSION,
      })
      // Only a start as root disables the sandbox. An Electron that was ended because it showed no window in time may
      // not have recorded its start.
      const started = electron.started()
      expect(started.length).toBeGreaterThanOrEqual(args.length === 0 ? 1 : 0)
      for (const one of started) expect(one.args.includes('--no-sandbox')).toBe(process.getuid?.() === 0)
      await browser.close()
    },
    TIMEOUT,
  )

  it(
    'tries a failed Electron again only after an update of Electron, or on request',
    async () => {
      const browser = await fakeBrowser()
      const electron = fakeElectron(`${SHOWN}; setTimeout(() => process.exit(0), 50)`)
      const env = { ...withBrowser(browser.bin), ...electron.env }
      mkdirSync(data)
      writeFileSync(
        path.join(data, 'electron-failed.json'),
        JSON.stringify({ version: VERSION, why: 'signal 5 ended it' }),
      )
      const terminal = start([], env)
      await terminal.line(
        /^Milepost is open in an app window of Chromium .*\(Electron [\d.]+ is installed, but signal 5 ended it\)/,
      )
      terminal.child.kill('SIGINT')
      await terminal.ended
      expect(electron.started()).toEqual([])
      expect((await start(['--electron'], env).ended).code).toBe(0)
      writeFileSync(
        path.join(data, 'electron-failed.json'),
        JSON.stringify({ version: '1.0.0', why: 'signal 5 ended it' }),
      )
      expect((await start([], env).ended).code).toBe(0)
      expect(electron.started()).toHaveLength(2)
      await browser.close()
    },
    TIMEOUT,
  )

  it.each([
    ['a refusal of the terminal', "console.error('The profile is wrong.'); process.exit(2)", 2],
    [
      'a refusal with an ambiguous exit code',
      "console.log(JSON.stringify({ milepost: 'refused' })); process.exit(1)",
      1,
    ],
    ['a crash after the window was shown', `${SHOWN}; setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 50)`, 139],
    [
      'a window closed before its page was loaded',
      "console.log(JSON.stringify({ milepost: 'ready' })); setTimeout(() => process.exit(0), 50)",
      0,
    ],
    ['a closed window', `${SHOWN}; setTimeout(() => process.exit(0), 50)`, 0],
  ])(
    'does not open a browser if Electron ended after %s',
    async (_case, behaviour, code) => {
      const browser = await fakeBrowser()
      const { output, code: ended } = await start([], { ...withBrowser(browser.bin), ...fakeElectron(behaviour).env })
        .ended
      expect(ended).toBe(code)
      expect(output).not.toContain('app window')
      expect(existsSync(path.join(data, 'electron-failed.json'))).toBe(false)
      await browser.close()
    },
    TIMEOUT,
  )

  it(
    'downloads the Electron runtime only after the browser is open, and can be ended during the download',
    async () => {
      const browser = await fakeBrowser()
      const asked = Promise.withResolvers<void>()
      // A download host that accepts the request and never responds.
      const host = createServer(() => asked.resolve())
      host.listen(0, '127.0.0.1')
      await once(host, 'listening')
      const missing = {
        ELECTRON_OVERRIDE_DIST_PATH: path.join(folder, 'no-dist'),
        ELECTRON_MIRROR: `http://127.0.0.1:${(host.address() as AddressInfo).port}/`,
      }
      const terminal = start([], { ...withBrowser(browser.bin), ...missing })
      await terminal.line(
        /^Milepost is open in an app window of Chromium .*\(the Electron runtime is missing: it has not been/,
      )
      await browser.opened
      await asked.promise
      terminal.child.kill('SIGINT')
      expect((await terminal.ended).code).toBe(0)
      await browser.close()
      host.closeAllConnections()
      host.close()
    },
    TIMEOUT,
  )

  it(
    'rejects --browser on a production lane whose key is only in the key store',
    async () => {
      const browser = await fakeBrowser()
      mkdirSync(data)
      writeFileSync(path.join(data, 'seal-key.sealed'), 'sealed')
      const { code, errors } = await start(['--profile', 'stores/example.yaml', '--browser'], withBrowser(browser.bin))
        .ended
      expect(code).toBe(2)
      expect(errors).toContain('The key of this lane is in the system’s key store')
      expect(existsSync(path.join(data, 'terminal.db'))).toBe(false)
      await browser.close()
    },
    TIMEOUT,
  )
})

describe('npm start with given options', () => {
  const refused = async (...args: string[]): Promise<{ code: number | null; errors: string }> => {
    const { code, errors } = await start(args).ended
    return { code, errors }
  }

  it('rejects an unknown option', async () => {
    expect(await refused('--colour', 'red')).toMatchObject({
      code: 2,
      errors: expect.stringContaining("Unknown option '--colour'") as string,
    })
  })
  it('rejects an invalid port', async () => {
    expect(await refused('--port', '99999')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--port needs a number from 0 to 65535, not "99999".') as string,
    })
  })
  it('rejects a lane that the profile does not have', async () => {
    expect(await refused('--lane', '07')).toEqual({
      code: 2,
      errors: 'The profile has no lane 07; it has 01.\n',
    })
  })
  it('rejects a profile file that does not exist', async () => {
    const { code, errors } = await refused('--profile', path.join(folder, 'none.yaml'))
    expect(code).toBe(2)
    expect(errors).toContain('none.yaml')
  })
  it(
    'rejects a profile with a misspelt setting, with its line',
    async () => {
      const profile = path.join(folder, 'store.yaml')
      writeFileSync(
        profile,
        readFileSync(path.join(root, 'stores', 'training.yaml'), 'utf8').replace('timeZone:', 'timezone:'),
      )
      const { code, errors } = await refused('--no-window', '--profile', profile)
      expect(code).toBe(2)
      expect(errors).toMatch(/store\.yaml:\d+/)
      expect(errors).toContain('timezone')
    },
    TIMEOUT,
  )
  it('refuses to reset the data of a production store', async () => {
    expect(await refused('--profile', 'stores/example.yaml', '--reset-training')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('for training profiles') as string,
    })
  })
  it('prints help with all options', async () => {
    const { code, output } = await start(['--help']).ended
    expect(code).toBe(0)
    for (const option of [
      '--profile',
      '--data',
      '--lane',
      '--port',
      '--electron',
      '--electron-patience',
      '--browser',
      '--no-window',
      '--reset-training',
    ])
      expect(output).toContain(option)
  })
})
