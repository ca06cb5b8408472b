import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Benchmark, BenchmarkRun, Measured, Target } from '../benchmark.ts'
import { openCounter } from './counter.ts'
import { openMeasuredStore, type MeasuredLane } from './measured-store.ts'

const OPTIONS = {
  lanes: { default: 30, about: 'lanes of the store' },
  seconds: { default: 60, about: 'idle seconds of a round' },
  rounds: { default: 3, about: 'rounds of idle time and of sales, alternating' },
  sales: { default: 60, about: 'cash sales of three lines a round, spread over all lanes' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const LIMITS = { transactionsASale: 12, transactionsASecond: 30 } as const
const SKUS = ['1001', '1002', '1004'] as const
/** Time to wait for PostgreSQL’s counters: an idle process reports them within ten seconds, a busy one within one. */
const COUNTERS_MS = 11_000
/** Time for a started lane to push its own facts and pull those of the other lanes. */
const AT_REST_MS = 20_000

export const storeDatabase: Benchmark<typeof OPTIONS> = {
  name: 'store-database',
  about: 'the load of lanes on the database of their store: transactions a sale and a second, and write-ahead log',
  options: OPTIONS,
  run: measureDatabase,
}

interface Work {
  readonly atMs: number
  readonly transactions: number
  readonly walBytes: number
}

async function measureDatabase({ settings, log, signal, atEnd }: Run): Promise<Measured> {
  const { lanes, seconds, rounds, sales } = settings
  log(`starting PostgreSQL, the server and ${lanes} lanes`)
  const measured = await openMeasuredStore({ lanes })
  atEnd(() => measured.close())
  const workOf = await openWork(measured.database)
  atEnd(workOf.close)
  const [idle, sold] = [new Array<Spent>(), new Array<Spent>()]
  await pause(AT_REST_MS, undefined, { signal })
  for (let round = 1; round <= rounds; round += 1) {
    log(`idle for ${seconds} s, round ${round}`)
    idle.push(await spentIn(workOf.now, () => pause(seconds * 1_000, undefined, { signal })))
    log(`${sales} sales, round ${round}`)
    sold.push(
      await spentIn(workOf.now, async () => {
        await sell(measured.lanes, sales, signal)
        await pause(COUNTERS_MS, undefined, { signal })
      }),
    )
  }
  const aSecond = idle.map(({ transactions, seconds: long }) => transactions / long)
  const aSale = sold.map(
    ({ transactions, seconds: long }, round) => (transactions - (aSecond[round] ?? 0) * long) / sales,
  )
  const walAnHour = idle.map(({ walBytes, seconds: long }) => (walBytes / long) * 3_600)
  return {
    measurements: [],
    targets: [
      atMost(`transactions a sale, ${lanes} lanes`, LIMITS.transactionsASale, aSale),
      atMost(`transactions a second, ${lanes} idle lanes`, LIMITS.transactionsASecond, aSecond),
    ],
    facts: {
      'write-ahead log an idle hour, MB, each round': walAnHour.map((bytes) => (bytes / 1e6).toFixed(2)).join(', '),
      'write-ahead log an idle year, GB': rounded((middle(walAnHour) * 24 * 365) / 1e9),
    },
    notes: [
      'Transactions are committed and rolled back ones of pg_stat_database, without those of this program. Real ' +
        'lanes, a real server, and PostgreSQL with synced commits.',
      "A sale's transactions are those during sales, less those of the same lanes in as much idle time.",
      'The log an hour is that of the idle rounds; a checkpoint writes each changed page once more.',
    ],
  }
}

interface Spent extends Pick<Work, 'transactions' | 'walBytes'> {
  readonly seconds: number
}

async function spentIn(now: () => Promise<Work>, work: () => Promise<void>): Promise<Spent> {
  const before = await now()
  await work()
  const after = await now()
  return {
    seconds: (after.atMs - before.atMs) / 1_000,
    transactions: after.transactions - before.transactions,
    walBytes: after.walBytes - before.walBytes,
  }
}

async function sell(lanes: readonly MeasuredLane[], sales: number, signal: AbortSignal): Promise<void> {
  const counters = lanes.map(openCounter)
  for (let sale = 0; sale < sales; sale += 1) {
    signal.throwIfAborted()
    const counter = counters[sale % counters.length]
    for (const sku of SKUS) await counter?.ring(sku)
    await counter?.pay()
  }
}

/**
 * Connects to another database of the PostgreSQL cluster, so that the statements of this connection are not counted.
 */
async function openWork(database: string) {
  const observed = new URL(database).pathname.slice(1)
  const client = new pg.Client({ connectionString: database.replace(`/${observed}?`, '/template1?') })
  await client.connect()
  return {
    async now(): Promise<Work> {
      const { rows } = await client.query<{ at: number; transactions: string; wal: string }>(
        `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at, xact_commit + xact_rollback AS transactions,
          pg_current_wal_lsn() - '0/0'::pg_lsn AS wal FROM pg_stat_database WHERE datname = $1`,
        [observed],
      )
      const [row] = rows
      if (row === undefined) throw new Error(`the cluster has no database ${observed}`)
      return { atMs: row.at, transactions: Number(row.transactions), walBytes: Number(row.wal) }
    },
    close: () => client.end(),
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
const middle = (samples: readonly number[]): number =>
  samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)] ?? 0
const atMost = (name: string, limit: number, samples: readonly number[]): Target => ({
  name,
  unit: '',
  bound: 'at most',
  limit,
  value: rounded(middle(samples)),
  low: rounded(Math.max(...samples)),
  high: rounded(Math.min(...samples)),
})
