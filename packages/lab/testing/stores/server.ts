import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import type { Query } from './judge/books.ts'
import type { LaneCredentials } from '../../../delivery/enrolment/proof.ts'
import { makeLaneKey } from '../../../delivery/enrolment/sealing.ts'
import { launch, type LaunchedProcess, start } from '../../rig/process.ts'

const SERVER = join(import.meta.dirname, '../../../store-server')
const MAIN = join(SERVER, 'main.ts')
const CLUSTER = join(SERVER, 'testing/cluster-program.ts')
const Cluster = z.union([z.object({ url: z.string(), folder: z.string() }), z.object({ missing: z.string() })])
const Listening = z.object({ url: z.string() })
const Done = z.object({ done: z.string() })

export interface Cluster {
  readonly url: string
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
  /** Returns the rows of one statement. Rejects while PostgreSQL is down. */
  readonly query: Query
  /** Runs `work` on the database changed by the statement `sql`, then rolls the change back. */
  planted<Result>(sql: string, work: (query: Query) => Promise<Result>): Promise<Result>
}

/** Starts PostgreSQL. Returns a reason if this machine has no PostgreSQL. */
export async function startCluster({ fsync = true }: { fsync?: boolean } = {}): Promise<Cluster | string> {
  const program = await start([CLUSTER, ...(fsync ? [] : ['--no-fsync'])])
  const ready = Cluster.parse(program.ready)
  if ('missing' in ready) return ready.missing
  const { url } = ready
  async function withClient<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(async (sql, params = []) => (await client.query(sql, [...params])).rows)
    } finally {
      await client.end()
    }
  }
  const done = async (request: string): Promise<void> => {
    const answer = Done.safeParse(await program.ask(request))
    if (!answer.success) throw new Error(`PostgreSQL could not ${request}`)
  }
  return {
    url,
    kill: () => done('kill'),
    restart: () => done('restart'),
    stop: () => program.end(),
    query: (sql, params) => withClient((query) => query(sql, params)),
    planted: (sql, work) =>
      withClient(async (query) => {
        await query('BEGIN')
        // The change may also be one that triggers and constraints would reject.
        await query('SET LOCAL session_replication_role = replica')
        await query(sql)
        return await work(query)
      }),
  }
}

export interface StoreServer {
  readonly certificate: string
  readonly key: string
  readonly url: string
  readonly pid: number
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function prepareServer(folder: string, database: string): Promise<StoreServer> {
  const names = ['--name', 'localhost', '--name', '127.0.0.1']
  execFileSync(process.execPath, [...process.execArgv, MAIN, 'certificate', '--data', folder, ...names], {
    stdio: 'pipe',
  })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const place = ['--data', folder, '--database', database, '--host', '127.0.0.1', '--port', '0']
  const args = [MAIN, ...place, '--log-level', 'error', '--exit-with-stdin']
  let program: LaunchedProcess | null = null
  let url = ''
  return {
    certificate: read('server.crt'),
    key: read('server.key'),
    get url() {
      return url
    },
    get pid() {
      return program?.pid ?? 0
    },
    async start() {
      program = launch(args, { NODE_COMPILE_CACHE: join(folder, 'compiled') })
      url = Listening.parse(await program.ready).url
    },
    kill: async () => program?.kill(),
    stop: async () => program?.end(),
  }
}

export async function enrol({ query }: Pick<Cluster, 'query'>, store: string, lane: string): Promise<LaneCredentials> {
  const [token, key] = [randomBytes(32).toString('base64url'), makeLaneKey()]
  await query(
    'INSERT INTO device (token_hash, store, lane, lane_key, code_id, since) VALUES ($1, $2, $3, $4, $5, $6)',
    [createHash('sha256').update(token).digest(), store, lane, key.publicKey, 'TEST1', Date.now()],
  )
  return { token, key }
}
