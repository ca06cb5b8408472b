import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The reference services as a process of their own, with a data folder that goes with them. */
export interface CentralProcess {
  readonly pid: number
  readonly url: string
  readonly tokenUrl: string
  readonly controlUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Resolves with the exit code, or the signal's name, when it ends for whatever reason. */
  readonly ended: Promise<number | string>
  /** Everything that it said on standard error, by file. */
  readonly logFile: string
  stop(): Promise<void>
}

/** Starts packages/central/main.ts of this tree. Rejects when it ends before it is ready. */
export async function startCentralProcess(logLevel: 'warn' | 'error' = 'warn'): Promise<CentralProcess> {
  const data = await mkdtemp(join(tmpdir(), 'milepost-conformance-'))
  const logFile = join(data, 'central.log')
  const main = fileURLToPath(new URL('../central/main.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [
      main,
      '--data',
      join(data, 'central'),
      '--port',
      '0',
      '--control-port',
      '0',
      '--log-level',
      logLevel,
      '--token-ttl',
      '3600',
      '--exit-with-stdin',
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  child.stderr.pipe(createWriteStream(logFile))
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve)
  })
  const line = await Promise.race([
    ready,
    ended.then((code) => {
      throw new Error(`the services ended with ${code} before they were ready; see ${logFile}`)
    }),
  ])
  const told = JSON.parse(line) as Pick<CentralProcess, 'url' | 'tokenUrl' | 'controlUrl' | 'clientId' | 'clientSecret'>
  return {
    ...told,
    pid: child.pid ?? 0,
    ended,
    logFile,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}
