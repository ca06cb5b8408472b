import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import Sqlite from 'better-sqlite3'
import { onTestFinished, vi } from 'vitest'
import { systemClock, type Clock } from '../clock.ts'
import { commandChannelOf } from '../command-channel.ts'
import { migrateAtOnce, readMigrations } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { createTransact, type Transact } from '../db/transact.ts'
import { createSeal } from '../integrity/seal.ts'
import type { LogCounts } from '../../../contracts/core/log-fields.ts'
import { createLogger } from '../log.ts'
import type { WindowPage } from '../../../contracts/staff/session.ts'
import {
  KEY_HEADER,
  WINDOW_HEADER,
  type WindowKey,
  headerOf,
  launchMessage,
  windowMessage,
} from '../../../contracts/core/window.ts'
import { type EventLimits, EventStream } from './events.ts'
import { ProblemError } from '../problem.ts'
import { buildServer, type Routes } from './server.ts'
import { Sessions } from './sessions.ts'
import type { Dropped } from '../../../contracts/operations/lane-metrics.ts'
import type { Ctx } from '../context.ts'

/**
 * Repeats a check until it passes. The timeout ends a wait without end; a busy machine may show a result seconds later.
 */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 30_000 })

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

let newDatabase: Buffer | null = null

/**
 * Opens a real database file. A new file is a copy of one with the newest schema, because the migrations take longer
 * than most tests.
 */
export function openMigrated(file: string): Database {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return openDatabase(file)
  newDatabase ??= createNewDatabase()
  writeFileSync(file, newDatabase, { mode: 0o600 })
  const db = openDatabase(file)
  // Each database has its own stream of facts for the store server; the name of a stream cannot be changed.
  db.exec(`DELETE FROM store_confirmed;
    DELETE FROM store_stream;
    INSERT INTO store_stream (epoch, name) VALUES (1, lower(hex(randomblob(16))));
    INSERT INTO store_confirmed (epoch, seq) SELECT epoch, told FROM store_stream`)
  return db
}

function createNewDatabase(): Buffer {
  const db = new Sqlite(':memory:')
  migrateAtOnce(db, readMigrations())
  const image = db.serialize()
  db.close()
  return image
}

/** Opens a database file with the newest schema. Opening the same folder again simulates a restart. */
export async function openTestDatabase(folder = temporaryFolder()): Promise<Database> {
  const db = openMigrated(join(folder, 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  return db
}

/**
 * A clock whose wall time moves only by request, while waits take real time. `advance` moves both clocks; `set` changes
 * only the wall clock.
 */
export function testClock(
  startIso = '2026-11-20T15:00:00Z',
): Clock & { advance(ms: number): void; set(byMs: number): void } {
  let now = Date.parse(startIso)
  let passed = 0
  return {
    ...systemClock,
    now: () => now,
    monotonic: () => systemClock.monotonic() + passed,
    advance: (ms) => {
      now += ms
      passed += ms
    },
    set: (byMs) => {
      now += byMs
    },
  }
}

export function testLog(counts?: LogCounts): { log: ReturnType<typeof createLogger>; lines: () => string } {
  let written = ''
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString('utf8')
      done()
    },
  })
  return { log: createLogger({ level: 'debug', destination, ...(counts ? { counts } : {}) }), lines: () => written }
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  json<Body = Record<string, unknown>>(): Body
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly window?: string | undefined
}

export interface TestServer {
  readonly url: string
  readonly host: string
  readonly db: Database
  readonly sessions: Sessions
  readonly events: EventStream
  readonly logLines: () => string
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  openWindow(): string
  close(): Promise<void>
}

export interface TestServerOptions {
  readonly routes?: (fields: {
    db: Database
    sessions: Sessions
    events: EventStream
    clock: Clock
    log: ReturnType<typeof createLogger>
    transact: Transact
  }) => Routes[]
  readonly db?: Database
  readonly clock?: Clock
  readonly staticRoot?: string
  readonly events?: EventLimits & { readonly dropped?: (kind: Dropped) => void }
}

export function openedWindow(sessions: Sessions, page: WindowPage = '/'): WindowKey {
  const opened = sessions.open(launchOf(sessions.mintLaunchToken(page)), 'nonce', 'host')
  if (opened === null) throw new Error('a fresh launch token must open a session')
  return opened
}

export const windowOfHeader = (header: string): string => header.split('.')[0] ?? ''

export function shownBy(sessions: Sessions, { window, key }: WindowKey): string {
  const run = sessions.prove(window, 'nonce', 'host')?.run
  if (run === undefined) throw new Error('the window has ended')
  return headerOf(window, hmac(key, windowMessage(run)))
}

export const launchOf = (token: string): string => hmac(token, launchMessage())

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const db = options.db ?? (await openTestDatabase())
  const clock = options.clock ?? testClock()
  const { log, lines } = testLog()
  const events = new EventStream(log, options.events?.dropped ?? (() => undefined), options.events)
  const seal = createSeal(Buffer.alloc(32, 3))
  const sessions = new Sessions(
    { db, clock, seal },
    {
      onWindowEnd(window) {
        events.end(window)
      },
    },
  )
  const { transact, failStop } = createTransact({
    db,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
    onMissed(error) {
      throw error
    },
  })
  const channel = commandChannelOf({ db, transact, outbox: { failStop }, seal, clock } as unknown as Ctx)
  let host = ''
  const app = buildServer({
    log,
    version: '0.0.0-test',
    guards: { allowedHosts: () => [host] },
    sessions,
    events,
    commands: { channel },
    staticRoot: options.staticRoot ?? null,
    routes: options.routes?.({ db, sessions, events, clock, log, transact }) ?? [],
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  host = new URL(url).host
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= app.close().then(() => undefined))
  onTestFinished(close)

  return {
    url,
    host,
    db,
    sessions,
    events,
    close,
    logLines: lines,
    call: (method, path, call = {}) =>
      send(url, method, path, {
        ...call,
        headers: {
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...(method === 'GET' ? {} : { [KEY_HEADER]: randomUUID() }),
          ...call.headers,
        },
      }),
    openWindow: () => shownBy(sessions, openedWindow(sessions)),
  }
}

export function send(
  url: string,
  method: string,
  path: string,
  { headers = {}, body, window }: CallOptions = {},
): Promise<Reply> {
  const json = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  const bytes = json ? JSON.stringify(body) : (body as string | Uint8Array | undefined)
  const all = {
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes ?? '')) }),
    ...(window ? { [WINDOW_HEADER]: window } : {}),
    ...headers,
  }
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: <Body>() => JSON.parse(text) as Body,
          })
        })
      },
    )
    request.on('error', reject)
    request.end(bytes)
  })
}
