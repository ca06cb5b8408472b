import pg, { type Client, type QueryResult, type QueryResultRow } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { connectionOf } from './connection.ts'
import { listenTo, type Listening } from './listen.ts'
import { DatabaseUnavailable, inWords, isConflict, isConnectionLost } from './unavailable.ts'

/** Of one server; the database has to allow as many for each, and one more for each channel that is listened to. */
const MOST_CONNECTIONS = 10
const IDLE_MS = 30_000
/** A transaction that meets others so often is told to whoever asked. */
const MOST_TRIES = 5
/** Twice as long before each further try, and as much again by chance. */
const FIRST_PAUSE_MS = 10

/** Between two tries of a start to reach the database. */
const WAIT_MS = 1_000

export interface Answer<Row> {
  readonly rows: readonly Row[]
  /** Rows that were changed, or read. */
  readonly count: number
}

/** What takes statements: the database, or a transaction of it. Parameters are `$1`, `$2`, …, and never in the text. */
export interface Querying {
  query<Row extends QueryResultRow = QueryResultRow>(text: string, params?: readonly unknown[]): Promise<Answer<Row>>
}

export interface TransactionOptions {
  /** Default: read committed. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** On a connection of its own, whose statements and locks are waited for without end: changes of the schema. */
  readonly unlimited?: boolean
}

/**
 * A PostgreSQL database. Its calls reject with DatabaseUnavailable, in plain words, where it cannot be asked, and with
 * node-postgres’ DatabaseError for what it refuses.
 */
export interface Postgres extends Querying {
  /** Where it is, as words and logs may show it. */
  readonly place: string
  /**
   * Does the work in one transaction on one connection, and answers once it is on the disk; takes it back where the
   * work throws. What another transaction got in the way of is tried again: the work has no effect but on `tx`.
   */
  transaction<Result>(work: (tx: Querying) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /**
   * Calls back for each NOTIFY on the channel with what it says, and with null whenever notifications may have been
   * missed: at first, and after a connection was lost. Notifications are a hint; what counts stands in the tables.
   */
  listen(channel: string, onNotify: (payload: string | null) => void): Listening
  /**
   * Resolves once it answers, and tries for so long where it does not: a machine that starts may start its servers
   * before its database. Rejects with DatabaseUnavailable.
   */
  untilThere(patienceMs: number): Promise<void>
  stands(): PostgresStands
  /** Waits for the statements that run, then ends every connection. */
  close(): Promise<void>
}

/** How it stands with the connections of this server. */
export interface PostgresStands {
  readonly busy: number
  readonly idle: number
  /** What waits for a connection. */
  readonly wanted: number
  /** Whether every channel is heard that is listened to. */
  readonly isListening: boolean
  /** Connections of channels that were lost, since the start. */
  readonly losses: number
  /** Transactions that were tried again, since the start. */
  readonly retries: number
}

export interface PostgresOptions {
  /** postgres://USER@HOST:PORT/DATABASE; see connectionOf. */
  readonly url: string
  /** Where tables are that are named without one; default: as the database has it. */
  readonly schema?: string
  readonly log: Log
  /** Told how long each statement took, in seconds, also of one that failed. */
  readonly onQuery?: (seconds: number) => void
}

interface Lent {
  readonly client: Client
  release(isBroken: boolean): void
}
const NO_LIMITS = { statement_timeout: 0, lock_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }

/** Opens the database without asking it anything yet: each call connects where it has to. */
export function openPostgres({ url, schema, log, onQuery = () => undefined }: PostgresOptions): Postgres {
  const connection = connectionOf(url, schema ?? null)
  const { config, place } = connection
  const pool = new pg.Pool({ ...config, max: MOST_CONNECTIONS, idleTimeoutMillis: IDLE_MS })
  // An idle connection was lost: the pool opens another when it needs one.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the database was lost'))
  // A database that stops right after its handshake reports that before the borrower listens: an error without a
  // listener ends the process. The borrower's first statement then fails.
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

  const ofPool = async (): Promise<Lent> => {
    const client = await pool.connect()
    return { client, release: (isBroken) => client.release(isBroken) }
  }
  async function once<Result>(work: (tx: Querying) => Promise<Result>, isolation: string, lend: () => Promise<Lent>) {
    return await withClient(place, lend, async (client) => {
      let result: Result
      try {
        await ask(client, `BEGIN ISOLATION LEVEL ${isolation}`)
        result = await work({ query: async (text, params) => answerOf(await ask(client, text, params)) })
      } catch (error) {
        // Where the connection is what failed, the database takes it back by itself.
        if (!isConnectionLost(error)) await client.query('ROLLBACK').catch(() => undefined)
        throw inWords(error, place, false)
      }
      // Of a transaction in which a statement failed, and the work went on, COMMIT takes all back and says so.
      const { command } = await ask(client, 'COMMIT')
      if (command !== 'COMMIT') throw new Error('the transaction was taken back: one of its statements had failed')
      return result
    })
  }

  return {
    place,
    query: (text, params) => withClient(place, ofPool, async (client) => answerOf(await ask(client, text, params))),
    async transaction(work, { isolation = 'read committed', unlimited: isUnlimited = false } = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work, isolation, isUnlimited ? () => lendUnlimited(config, log) : ofPool)
        } catch (error) {
          if (tries === MOST_TRIES || !isConflict(error)) throw error
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
    stands: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      wanted: pool.waitingCount,
      isListening: [...listening].every((one) => one.isThere()),
      losses: [...listening].reduce((sum, one) => sum + one.losses(), 0),
      retries,
    }),
    untilThere(patienceMs) {
      return untilAnswers(() => this.query('SELECT 1'), patienceMs, log)
    },
    async close() {
      await Promise.all([...listening].map((one) => one.close()))
      await pool.end()
    },
  }
}

/** Lends a connection; one that broke is not given to anybody again. */
async function withClient<Result>(place: string, lend: () => Promise<Lent>, work: (client: Client) => Promise<Result>) {
  const { client, release } = await lend().catch((error: unknown) => {
    throw inWords(error, place, false)
  })
  let isBroken = false
  const onError = (): void => void (isBroken = true)
  client.on('error', onError)
  try {
    return await work(client)
  } catch (error) {
    if (isConnectionLost(error) || error instanceof DatabaseUnavailable) isBroken = true
    throw inWords(error, place, true)
  } finally {
    client.off('error', onError)
    release(isBroken || client.getTransactionStatus() !== 'I')
  }
}

/** A connection of its own without time limits. */
async function lendUnlimited(config: pg.ClientConfig, log: Log): Promise<Lent> {
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

async function untilAnswers(ask: () => Promise<unknown>, patienceMs: number, log: Log): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || error.isRefused || Date.now() >= until) throw error
      log.warn({ reason: error.message }, 'the database is waited for')
      await pause(WAIT_MS)
    }
  }
}

const answerOf = <Row extends QueryResultRow>({ rows, rowCount }: QueryResult<Row>): Answer<Row> => ({
  rows,
  count: rowCount ?? 0,
})
