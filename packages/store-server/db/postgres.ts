import pg, { type Client, type QueryResult, type QueryResultRow } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { connectionOf } from './connection.ts'
import { listenTo, type Listening } from './listen.ts'
import { DatabaseUnavailable, toReadableError, isConflict, isConnectionLost } from './unavailable.ts'

/** Maximum connections per server; the database must allow this many for each server, plus one per listened channel. */
const MAX_CONNECTIONS = 10
const IDLE_MS = 30_000
/** Maximum attempts of one transaction that conflicts with others, before the error is returned. */
const MAX_TRIES = 5
/** Delay after the first conflict; doubles for each attempt, plus a random time of at most the same length. */
const FIRST_PAUSE_MS = 10

const WAIT_MS = 1_000

export interface Answer<Row> {
  readonly rows: readonly Row[]
  readonly count: number
}

/** Runs SQL statements, on the database or in a transaction. Parameters are `$1`, `$2`, …, never in the text. */
export interface Querying {
  query<Row extends QueryResultRow = QueryResultRow>(text: string, params?: readonly unknown[]): Promise<Answer<Row>>
}

export interface TransactionOptions {
  /** Isolation level; default: read committed. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Uses a connection of its own without statement and lock timeouts, for schema changes. */
  readonly unlimited?: boolean
}

/**
 * A PostgreSQL database. Calls reject with DatabaseUnavailable (readable) when it cannot be reached, and with
 * node-postgres’ DatabaseError when it rejects a statement.
 */
export interface Postgres extends Querying {
  readonly place: string
  /**
   * Runs `work` in one transaction and resolves when its commit is durable; rolls back when `work` throws. Retries
   * after a conflict, so `work` must have no effect outside `tx`.
   */
  transaction<Result>(work: (tx: Querying) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /**
   * Calls back with the payload of each NOTIFY, and with null when notifications may have been missed: at first and
   * after a lost connection. Notifications are hints; the tables are authoritative.
   */
  listen(channel: string, onNotify: (payload: string | null) => void): Listening
  /**
   * Resolves when the database answers; retries for `waitMs`, because a machine may start its servers before its
   * database. Rejects with DatabaseUnavailable.
   */
  waitUntilReachable(waitMs: number): Promise<void>
  poolState(): PoolState
  close(): Promise<void>
}

export interface PoolState {
  readonly busy: number
  readonly idle: number
  readonly wanted: number
  readonly isListening: boolean
  readonly losses: number
  readonly retries: number
}

export interface PostgresOptions {
  readonly url: string
  /** Schema in which unqualified names resolve; default: the database's. */
  readonly schema?: string
  readonly log: Log
  /** Called with the duration of each statement in seconds, failed statements included. */
  readonly onQuery?: (seconds: number) => void
}

interface BorrowedConnection {
  readonly client: Client
  release(isBroken: boolean): void
}
const NO_LIMITS = { statement_timeout: 0, lock_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }

/** Opens the database lazily: connects on the first call. */
export function openPostgres({ url, schema, log, onQuery = () => undefined }: PostgresOptions): Postgres {
  const connection = connectionOf(url, schema ?? null)
  const { config, place } = connection
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, idleTimeoutMillis: IDLE_MS })
  // A lost idle connection is only logged; the pool opens another on demand.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the database was lost'))
  // A database that stops right after accepting a connection reports an error before the borrower of the connection
  // adds a listener, which would end the process. The borrower's first statement then fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const listening = new Set<Listening>()
  let retries = 0

  async function ask<Row extends QueryResultRow>(client: Client, text: string, params: readonly unknown[] = []) {
    const from = performance.now()
    try {
      return await client.query<Row>(text, [...params])
    } finally {
      onQuery((performance.now() - from) / 1_000)
    }
  }

  const ofPool = async (): Promise<BorrowedConnection> => {
    const client = await pool.connect()
    return { client, release: (isBroken) => client.release(isBroken) }
  }
  async function once<Result>(
    work: (tx: Querying) => Promise<Result>,
    isolation: string,
    borrow: () => Promise<BorrowedConnection>,
  ) {
    return await withClient(place, borrow, async (client) => {
      let result: Result
      try {
        await ask(client, `BEGIN ISOLATION LEVEL ${isolation}`)
        result = await work({ query: async (text, params) => answerOf(await ask(client, text, params)) })
      } catch (error) {
        // After a lost connection there is nothing to roll back: the database does it.
        if (!isConnectionLost(error)) await client.query('ROLLBACK').catch(() => undefined)
        throw toReadableError(error, place, false)
      }
      // PostgreSQL answers COMMIT with ROLLBACK if a statement of the transaction has failed.
      const { command } = await ask(client, 'COMMIT')
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements failed')
      return result
    })
  }

  return {
    place,
    query: (text, params) => withClient(place, ofPool, async (client) => answerOf(await ask(client, text, params))),
    async transaction(work, { isolation = 'read committed', unlimited: isUnlimited = false } = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work, isolation, isUnlimited ? () => openUnlimited(config, log) : ofPool)
        } catch (error) {
          if (tries === MAX_TRIES || !isConflict(error)) throw error
          retries += 1
          await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (1 + Math.random()))
        }
      }
    },
    listen(channel, onNotify) {
      const one = listenTo(connection, channel, onNotify, log)
      listening.add(one)
      return one
    },
    poolState: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      wanted: pool.waitingCount,
      isListening: [...listening].every((one) => one.isConnected()),
      losses: [...listening].reduce((sum, one) => sum + one.losses(), 0),
      retries,
    }),
    waitUntilReachable(waitMs) {
      return untilAnswers(() => this.query('SELECT 1'), waitMs, log)
    },
    async close() {
      await Promise.all([...listening].map((one) => one.close()))
      await pool.end()
    },
  }
}

async function withClient<Result>(
  place: string,
  borrow: () => Promise<BorrowedConnection>,
  work: (client: Client) => Promise<Result>,
) {
  const { client, release } = await borrow().catch((error: unknown) => {
    throw toReadableError(error, place, false)
  })
  let isBroken = false
  const onError = (): void => void (isBroken = true)
  client.on('error', onError)
  try {
    return await work(client)
  } catch (error) {
    if (isConnectionLost(error) || error instanceof DatabaseUnavailable) isBroken = true
    throw toReadableError(error, place, true)
  } finally {
    client.off('error', onError)
    release(isBroken || client.getTransactionStatus() !== 'I')
  }
}

async function openUnlimited(config: pg.ClientConfig, log: Log): Promise<BorrowedConnection> {
  const client = new pg.Client({ ...config, ...NO_LIMITS })
  let isGivenUp = false
  client.on('error', (error) => {
    if (!isGivenUp) log.warn({ reason: error.message }, 'a connection to the database was lost')
  })
  await client.connect()
  return {
    client,
    release() {
      isGivenUp = true
      client.connection.stream.destroy()
    },
  }
}

async function untilAnswers(ask: () => Promise<unknown>, waitMs: number, log: Log): Promise<void> {
  const until = Date.now() + waitMs
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || error.isRefused || Date.now() >= until) throw error
      log.warn({ reason: error.message }, 'waiting for the database')
      await pause(WAIT_MS)
    }
  }
}

const answerOf = <Row extends QueryResultRow>({ rows, rowCount }: QueryResult<Row>): Answer<Row> => ({
  rows,
  count: rowCount ?? 0,
})
