import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** `npm start` as a person types it, with the real backend and the real training services; only the browser is a double. */
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
  await Promise.all(children.splice(0).map(async (child) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'close')
    child.kill('SIGKILL')
    await gone
  }))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

interface Started {
  readonly child: ChildProcess
  /** The first line of output that matches. */
  says(pattern: RegExp): Promise<string>
  readonly ended: Promise<{ code: number | null; said: string; complained: string }>
}
function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [START, '--data', data, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', ...env } })
  children.push(child)
  const complaints = text(child.stderr)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  const ended = once(child, 'close').then(async ([code]) => ({ code: code as number | null, said: lines.join('\n'), complained: await complaints }))
  return {
    child,
    ended,
    says: (pattern) => new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((line) => pattern.test(line))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(({ said, complained }) => reject(new Error(`ended without saying ${pattern}: ${said}\n${complained}`)))
    }),
  }
}
const addressIn = (line: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
const answers = (url: string): Promise<boolean> => fetch(`${url}/api/terminal`).then((response) => response.ok, () => false)

/** A browser that tells the test how it was started, and stays open until the test says how it ends. */
async function fakeBrowser(): Promise<{ bin: string; opened: Promise<string[]>; gone: Promise<'gone'>; end(code: number): void; close(): Promise<void> }> {
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
  writeFileSync(program, `#!${process.execPath}
fetch('http://127.0.0.1:${(server.address() as AddressInfo).port}', { method: 'POST', body: JSON.stringify(process.argv.slice(2)) })
  .then((response) => response.text()).then((code) => process.exit(Number(code)))
`)
  chmodSync(program, 0o755)
  return { bin, opened: opened.promise, gone: gone.promise, end: fate.resolve, close: () => { server.closeAllConnections(); return new Promise((resolve) => { server.close(() => resolve()) }) } }
}
const withBrowser = (bin: string): Record<string, string> => ({ DISPLAY: ':99', PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}` })

describe('npm start', () => {
  it('prints the address and the reason when no window can be opened, serves the terminal there, and ends at Ctrl-C with everything', async () => {
    const terminal = start([])
    const line = await terminal.says(/^Milepost is ready/)
    expect(line).toMatch(/open http:\/\/127\.0\.0\.1:\d+\/#launch=\S+ \(no window was opened: this machine has no graphical display/)
    expect(await (await fetch(`${addressIn(line)}/api/terminal`)).json()).toMatchObject({ mode: 'training', lane: '01' })
    terminal.child.kill('SIGINT')
    expect(await terminal.ended).toMatchObject({ code: 0, complained: '' })
    expect(await answers(addressIn(line))).toBe(false)
  }, TIMEOUT)

  it('refuses a second terminal on the same data folder, and the first one goes on', async () => {
    const first = start(['--no-window'])
    const line = await first.says(/^Milepost is ready/)
    const second = await start(['--no-window']).ended
    expect(second.complained).toBe(`Another Milepost terminal (process ${first.child.pid}) is already running on the data folder ${data}. Use its window, or start this one with another --data folder.\n`)
    expect(second.code).toBe(3)
    expect(await answers(addressIn(line))).toBe(true)
  }, TIMEOUT)

  it('opens an app window of a browser with a profile of its own, and ends when that window is closed', async () => {
    const browser = await fakeBrowser()
    const terminal = start(['--browser'], withBrowser(browser.bin))
    const line = await terminal.says(/^Milepost is open/)
    expect(line).toMatch(/in an app window of Chromium at http:\/\/127\.0\.0\.1:\d+ \(you asked for a browser\)\.$/)
    const args = await browser.opened
    expect(args[0]).toMatch(new RegExp(`^--app=${addressIn(line)}/#launch=.{20,}`))
    expect(args).toContain(`--user-data-dir=${path.join(data, 'browser')}`)
    browser.end(0)
    expect((await terminal.ended).code).toBe(0)
    expect(await answers(addressIn(line))).toBe(false)
    await browser.close()
  }, TIMEOUT)

  it('that was killed without warning leaves neither a backend nor a window behind', async () => {
    const browser = await fakeBrowser()
    const terminal = start(['--browser'], withBrowser(browser.bin))
    const address = addressIn(await terminal.says(/^Milepost is open/))
    await browser.opened
    // An open connection tells when the process at its other end is gone.
    const connection = connect(Number(new URL(address).port), '127.0.0.1')
    await once(connection, 'connect')
    const hungUp = once(connection, 'close')
    connection.on('error', () => {})
    connection.resume()
    terminal.child.kill('SIGKILL')
    await hungUp
    expect(await browser.gone).toBe('gone')
    expect(await answers(address)).toBe(false)
    // The lock of the killed terminal does not stand in the way of the next one.
    await start(['--no-window']).says(/^Milepost is ready/)
    await browser.close()
  }, TIMEOUT)

  it('prints the address when the browser cannot open', async () => {
    const browser = await fakeBrowser()
    browser.end(1)
    const terminal = start(['--browser'], withBrowser(browser.bin))
    const line = await terminal.says(/^The window could not be opened \(exit code 1\)\. Open this address instead: /)
    expect(await answers(addressIn(line))).toBe(true)
    await browser.close()
  }, TIMEOUT)

  it('brings a crashed backend back on the same port', async () => {
    const terminal = start(['--no-window'])
    const address = addressIn(await terminal.says(/^Milepost is ready/))
    const own = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(path.join('backend', 'main.ts')) && line.includes(data))
    expect(own).toHaveLength(1)
    process.kill(Number.parseInt(own[0] ?? '', 10), 'SIGKILL')
    await terminal.says(/^The backend ended unexpectedly \(SIGKILL\); starting it again in 0\.25 s\.$/)
    expect(addressIn(await terminal.says(/^The terminal is back/))).toBe(address)
    expect(await answers(address)).toBe(true)
  }, TIMEOUT)

  it('begins training anew on request, and sets the old data aside instead of deleting it', async () => {
    mkdirSync(data)
    writeFileSync(path.join(data, 'remember-me'), 'old')
    const terminal = start(['--no-window', '--reset-training'])
    await terminal.says(/^Milepost is ready/)
    expect(existsSync(path.join(data, 'remember-me'))).toBe(false)
    const aside = readdirSync(folder).find((name) => name.startsWith('data.before-')) ?? ''
    expect(readFileSync(path.join(folder, aside, 'remember-me'), 'utf8')).toBe('old')
  }, TIMEOUT)
})

describe('npm start refuses, with the reason and without a trace', () => {
  const refused = async (...args: string[]): Promise<{ code: number | null; complained: string }> => {
    const { code, complained } = await start(args).ended
    return { code, complained }
  }

  it('an option that there is not', async () => {
    expect(await refused('--colour', 'red')).toMatchObject({ code: 2, complained: expect.stringContaining("Unknown option '--colour'") as string })
  })
  it('a port that is none', async () => {
    expect(await refused('--port', '99999')).toMatchObject({ code: 2, complained: expect.stringContaining('--port needs a number from 0 to 65535, not "99999".') as string })
  })
  it('a lane that the profile does not have', async () => {
    expect(await refused('--lane', '07')).toEqual({ code: 2, complained: 'The profile has no lane "07". Its lanes: 01.\n' })
  })
  it('a profile that is not there', async () => {
    const { code, complained } = await refused('--profile', path.join(folder, 'none.yaml'))
    expect(code).toBe(2)
    expect(complained).toContain('none.yaml')
  })
  it('a profile with a misspelt setting, with its line', async () => {
    const profile = path.join(folder, 'store.yaml')
    writeFileSync(profile, readFileSync(path.join(root, 'stores', 'training.yaml'), 'utf8').replace('timeZone:', 'timezone:'))
    const { code, complained } = await refused('--no-window', '--profile', profile)
    expect(code).toBe(2)
    expect(complained).toMatch(/store\.yaml:\d+/)
    expect(complained).toContain('timezone')
  }, TIMEOUT)
  it('to set the data of a real store aside', async () => {
    expect(await refused('--profile', 'stores/example.yaml', '--reset-training')).toMatchObject({ code: 2, complained: expect.stringContaining('for training profiles') as string })
  })
  it('nothing, when asked for help', async () => {
    const { code, said } = await start(['--help']).ended
    expect(code).toBe(0)
    for (const option of ['--profile', '--data', '--lane', '--port', '--browser', '--no-window', '--reset-training']) expect(said).toContain(option)
  })
})
