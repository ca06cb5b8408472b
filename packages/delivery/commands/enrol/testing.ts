import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const at = (file: string): string => fileURLToPath(new URL(`../../../../${file}`, import.meta.url))

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export const run = (file: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, [at(file), ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    })
  })

export interface Started {
  readonly process: ChildProcess
  readonly ready: unknown
  readonly ended: Promise<number | null>
}

export async function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(process.execPath, [at(file), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], ...env },
  })
  const ended = once(child, 'close').then(() => child.exitCode)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => null)])
  if (line === null) throw new Error(`${file} ended before it was ready`)
  return { process: child, ready: JSON.parse(String(line[0])), ended }
}

export interface Chain {
  readonly folder: string
  readonly profile: string
  readonly data: string
  readonly database: string
  enrol(...args: readonly string[]): Promise<Ran>
  sheet(name?: string): { readonly html: string; readonly codes: readonly string[]; readonly check: string }
}

export async function makeChain(database: string): Promise<Chain> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-enrol-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [data, stores, out] = ['service', 'stores', 'sheets'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(stores)
  copyFileSync(at('stores/example-catalog.csv'), path.join(stores, 'example-catalog.csv'))
  const profile = path.join(stores, '4417.yaml')
  const lanes = ['02', '03'].map((id) => `  - { id: "${id}", deviceId: Q417-${id}, devices: {} }\n`).join('')
  const example = readFileSync(at('stores/example.yaml'), 'utf8')
  writeFileSync(profile, example.replace('\nendpoints:', `\n${lanes}endpoints:`))
  writeFileSync(path.join(folder, 'secrets.csv'), 'store,lane,secret\n4417,,of-the-store\n4417,02,of-lane-2\n')
  await run(
    'packages/store-server/main.ts',
    'certificate',
    '--data',
    data,
    '--name',
    'localhost',
    '--name',
    '127.0.0.1',
  )
  return {
    folder,
    profile,
    data,
    database,
    enrol(command = '', ...args) {
      const issues = command === 'new' || command === 'reissue'
      const usual = {
        '--data': data,
        '--database': database,
        ...(issues ? { '--stores': stores, '--out': out } : {}),
      }
      const missing = Object.entries(usual).filter(([option]) => !args.includes(option))
      return run('packages/delivery/commands/enrol.ts', command, ...missing.flat(), ...args)
    },
    sheet(name = '4417.en-CA.html') {
      const html = readFileSync(path.join(out, name), 'utf8')
      const inCode = (pattern: RegExp) => Array.from(html.matchAll(pattern), ([, text = '']) => text)
      return {
        html,
        codes: inCode(/class="code">((?:[0-9A-Z]{5}-){3}[0-9A-Z]{5})</g),
        check: inCode(/class="code">((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})</g)[0] ?? '',
      }
    },
  }
}

const StoreReady = z.object({ url: z.url() })

export async function startService({
  data,
  database,
}: Chain): Promise<{ readonly url: string; readonly started: Started }> {
  const place = ['--data', data, '--database', database, '--host', '127.0.0.1', '--port', '0']
  const args = [...place, '--enrolment', '--log-level', 'error']
  const started = await start('packages/store-server/main.ts', args)
  return { url: StoreReady.parse(started.ready).url, started }
}
