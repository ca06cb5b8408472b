import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { openLog } from '../../supervisor/log-files.ts'
import { TerminalRefused } from '../../supervisor/terminal-refused.ts'
import { launchNode } from '../../supervisor/service.ts'
import { ServiceFailure, supervise, type Supervised } from '../../supervisor/supervise.ts'
import { reportRestarts } from '../../supervisor/terminal.ts'
import { ownCertificate } from '../../store-server/certificate/files.ts'
import { type StartedPostgres, isFree, startPostgres } from '../../store-server/db/start-postgres.ts'
import { openPostgres } from '../../store-server/db/postgres.ts'
import { createLog } from '../../store-server/log.ts'
import type { DemoFolder } from './folder.ts'

const MAIN = fileURLToPath(new URL('../../store-server/main.ts', import.meta.url))
const DATABASE = 'milepost'
const HOST = '127.0.0.1'

const Ready = z.object({ url: z.url(), fingerprint: z.string() })
export type StoreReady = z.infer<typeof Ready>

export interface DemoPostgres extends Pick<StartedPostgres, 'url' | 'pid' | 'stop'> {
  /** Resolves with the reason when PostgreSQL ended and could not be restarted. */
  readonly failed: Promise<{ readonly message: string }>
}

/**
 * Runs the PostgreSQL of this machine in a folder of the demo with the store’s database, and restarts it when it ends.
 */
export async function startDemoPostgres(
  place: Pick<DemoFolder, 'postgres'>,
  log: (line: string) => void,
): Promise<DemoPostgres> {
  const postgres = await startPostgres({ folder: place.postgres })
  const db = openPostgres({ url: postgres.url('postgres'), log: createLog('silent') })
  try {
    const { count } = await db.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (count === 0) await db.query(`CREATE DATABASE ${DATABASE}`)
    return restarting(postgres, log)
  } catch (error) {
    await postgres.stop()
    throw error
  } finally {
    await db.close()
  }
}

function restarting(postgres: StartedPostgres, log: (line: string) => void): DemoPostgres {
  const { promise: failed, resolve: fail } = Promise.withResolvers<{ readonly message: string }>()
  let isStopping = false
  let starting = Promise.resolve()
  async function restartLoop(): Promise<void> {
    for (;;) {
      await postgres.ended()
      if (isStopping) return
      log('PostgreSQL ended and is restarted.')
      starting = postgres.restart()
      await starting
    }
  }
  const loop = restartLoop().catch((error: unknown) =>
    fail({ message: error instanceof Error ? error.message : 'gone' }),
  )
  return {
    url: postgres.url,
    pid: postgres.pid,
    failed,
    async stop() {
      isStopping = true
      await starting.catch(() => undefined)
      await postgres.stop()
      await loop
    },
  }
}

export interface DemoServer extends Supervised<StoreReady> {
  readonly database: string
  readonly certificate: string
}

/**
 * Runs the store server (`npm run milepost store`) with its own certificate at a fixed address, and restarts it when it
 * ends.
 */
export async function startDemoServer(
  place: DemoFolder,
  postgres: Pick<StartedPostgres, 'url'>,
  { port, log }: { readonly port: number | null; readonly log: (line: string) => void },
): Promise<DemoServer> {
  const { certificate } = ownCertificate(place.server)
  if (!existsSync(certificate)) {
    const names = ['--name', 'localhost', '--name', HOST]
    await promisify(execFile)(process.execPath, [MAIN, 'certificate', '--data', place.server, ...names])
  }
  const database = postgres.url(DATABASE)
  const args = ['--data', place.server, '--database', database, '--enrolment', '--host', HOST]
  const first = await portFor(port, place.state().serverPort)
  const logs = path.join(place.folder, 'logs')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  try {
    const server = await supervise<StoreReady>({
      name: 'store server',
      launch: (previous) =>
        launchNode({
          script: MAIN,
          args: [...args, '--port', previous === null ? String(first) : new URL(previous.url).port],
          env: {},
        }),
      parseReady: (line) => Ready.parse(JSON.parse(line)),
      onLine: openLog(path.join(logs, 'server.log')),
      onRestart: reportRestarts('storeServer', { log }),
    })
    place.save({ serverPort: Number(new URL(server.ready.url).port) })
    return { ...server, database, certificate: readFileSync(certificate, 'utf8') }
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error
    throw new TerminalRefused([error.message, ...error.lastLines.slice(-3), `The log is in ${logs}.`].join('\n'), 1)
  }
}

/** Returns the port to use: the requested one, or the former one if it is free; 0 means any. */
async function portFor(asked: number | null, before: number | null): Promise<number> {
  if (asked === null) return before !== null && (await isFree(before)) ? before : 0
  if (!(await isFree(asked))) throw new TerminalRefused(`Port ${asked} is in use. Give another with --port.`, 2)
  return asked
}
