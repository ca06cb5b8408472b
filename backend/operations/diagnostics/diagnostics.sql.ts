import { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import type { Database } from '../../core/db/database.ts'
import { droppedOf, perLane } from '../../core/context.ts'

export const HOUR_MS = 3_600_000

/** How long ECHO checks are stored: over a year in total, with limited numbers for any interval in the profile. */
export const RETENTION = {
  /** Days for which single checks are stored, and their maximum number. */
  days: 7,
  checks: 20_000,
  hoursMs: 372 * 24 * HOUR_MS,
  outages: 1_000,
} as const
const LISTED = 50
/**
 * Maximum number of rows that one check deletes. It is more than the one row that a check adds, so that the many rows
 * of a shorter interval are deleted after the profile has a longer one.
 */
const REMOVED = 100

export interface EchoTiming {
  readonly at: number
  readonly knownMs: number
  readonly wasFailing: boolean
  readonly offsetMs: number
}

export interface HourRow {
  readonly fromMs: number
  readonly checks: number
  readonly failures: number
  readonly onMs: number
  readonly downMs: number
  readonly timed: number
  readonly latencySum: number
  readonly latencyLeast: number | null
  readonly latencyMost: number | null
}
export interface OutageRow {
  readonly fromAt: number
  readonly lastAt: number
  readonly toAt: number | null
  readonly checks: number
  readonly result: string
}

export const ECHO_SQL = {
  hours: `SELECT from_ms AS fromMs, checks, failures, on_ms AS onMs, down_ms AS downMs, timed,
    latency_sum AS latencySum, latency_least AS latencyLeast, latency_most AS latencyMost
    FROM echo_hour WHERE from_ms >= ? AND from_ms < ?
    ORDER BY from_ms`,
  outages: `SELECT from_at AS fromAt, last_at AS lastAt, to_at AS toAt, checks, result FROM echo_outage
    WHERE last_at >= ? ORDER BY last_at DESC LIMIT ?`,
  outagesInAll: 'SELECT count(*) FROM echo_outage WHERE last_at >= ?',
  lastFailureOrGap: 'SELECT max(id) FROM echo_result WHERE failed = 1 OR known_ms = 0',
  oldChecks:
    'DELETE FROM echo_result WHERE id IN (SELECT id FROM echo_result ORDER BY id LIMIT ?) AND (at < ? OR id <= ?)',
} as const

const LAST_OUTAGE = '(SELECT max(id) FROM echo_outage)'

type Statements = ReturnType<typeof statementsOf>

const statementsOf = (db: Database) => ({
  insert: db.prepare<[number, number, number, string]>(
    'INSERT INTO echo_result (at, failed, known_ms, result) VALUES (?, ?, ?, ?)',
  ),
  newest: db.prepare<[number], { at: number; failed: 0 | 1; result: string }>(
    'SELECT at, failed, result FROM echo_result ORDER BY id DESC LIMIT ?',
  ),
  addToHour: db.prepare<Omit<HourRow, 'onMs' | 'downMs'> & { onMs: number; downMs: number }>(
    `INSERT INTO echo_hour
      (from_ms, checks, failures, on_ms, down_ms, timed, latency_sum, latency_least, latency_most)
      VALUES (@fromMs, @checks, @failures, @onMs, @downMs, @timed, @latencySum, @latencyLeast, @latencyMost)
      ON CONFLICT (from_ms) DO UPDATE SET
        checks = checks + excluded.checks,
        failures = failures + excluded.failures,
        -- after the clock was set back an hour repeats; its total stays within one hour
        on_ms = min(on_ms + excluded.on_ms, ${HOUR_MS}),
        down_ms = min(down_ms + excluded.down_ms, on_ms + excluded.on_ms, ${HOUR_MS}),
        timed = timed + excluded.timed,
        latency_sum = latency_sum + excluded.latency_sum,
        latency_least = coalesce(min(latency_least, excluded.latency_least), latency_least, excluded.latency_least),
        latency_most = coalesce(max(latency_most, excluded.latency_most), latency_most, excluded.latency_most)`,
  ),
  beginOutage: db.prepare<[number, number, string]>(
    'INSERT INTO echo_outage (from_at, last_at, checks, result) VALUES (?, ?, 1, ?)',
  ),
  prolongOutage: db.prepare<[number]>(
    `UPDATE echo_outage SET last_at = ?, checks = checks + 1 WHERE id = ${LAST_OUTAGE}`,
  ),
  endOutage: db.prepare<[number]>(`UPDATE echo_outage SET to_at = ? WHERE id = ${LAST_OUTAGE} AND to_at IS NULL`),
  forget: [
    db.prepare(ECHO_SQL.oldChecks),
    db.prepare('DELETE FROM echo_hour WHERE from_ms < ?'),
    db.prepare(`DELETE FROM echo_outage WHERE id <= ${LAST_OUTAGE} - ? OR last_at < ?`),
  ] as const,
  lastFailureOrGap: db.prepare<[], number | null>(ECHO_SQL.lastFailureOrGap).pluck(),
  checkAfter: db.prepare<[number], { at: number }>('SELECT at FROM echo_result WHERE id >= ? ORDER BY id LIMIT 1'),
  goodAfter: db.prepare<[number], { at: number }>(
    'SELECT at FROM echo_result WHERE id >= ? AND failed = 0 ORDER BY id LIMIT 1',
  ),
  outageStart: db.prepare<[], { fromAt: number }>(
    `SELECT from_at AS fromAt FROM echo_outage WHERE id = ${LAST_OUTAGE}`,
  ),
  hours: db.prepare<[number, number], HourRow>(ECHO_SQL.hours),
  outages: db.prepare<[number, number], OutageRow>(ECHO_SQL.outages),
  outagesInAll: db.prepare<[number], number>(ECHO_SQL.outagesInAll).pluck(),
})

function addToHours(sql: Statements, result: EchoResult, { at, knownMs, wasFailing, offsetMs }: EchoTiming): void {
  const failed = isFailure(result)
  for (const { fromMs, onMs, checks } of sharesOf(at, knownMs, offsetMs)) {
    const latency = checks === 1 && !failed && result.latencyMs !== null ? Math.round(result.latencyMs * 10) : null
    sql.addToHour.run({
      fromMs,
      checks,
      failures: checks === 1 && failed ? 1 : 0,
      onMs,
      downMs: wasFailing ? onMs : 0,
      timed: latency === null ? 0 : 1,
      latencySum: latency ?? 0,
      latencyLeast: latency,
      latencyMost: latency,
    })
  }
}

function addToOutages(sql: Statements, result: EchoResult, { at, knownMs, wasFailing }: EchoTiming): void {
  // After a gap it is unknown whether the service worked in between, so a new outage starts.
  const continues = wasFailing && knownMs > 0
  if (!isFailure(result)) {
    if (continues) sql.endOutage.run(at)
  } else if (continues) sql.prolongOutage.run(at)
  else sql.beginOutage.run(at, at, JSON.stringify({ ...result, requestHeaders: {} }))
}

export type EchoRepository = ReturnType<typeof createEchoRepository>

/**
 * ECHO checks: single ones of recent days, and hourly sums over a year. Each check adds to the sums of its hour in its
 * own commit, so that no later batch delays a sale. `onRemoved` gets the number of removed rows.
 */
export function createEchoRepository(db: Database, onRemoved?: (rows: number) => void) {
  const sql = statementsOf(db)
  const add = db.transaction((result: EchoResult, timing: EchoTiming): number => {
    const { lastInsertRowid } = sql.insert.run(
      timing.at,
      isFailure(result) ? 1 : 0,
      timing.knownMs,
      JSON.stringify(result),
    )
    addToHours(sql, result, timing)
    addToOutages(sql, result, timing)
    const [checks, oldHours, oldOutages] = sql.forget
    return [
      checks.run(REMOVED, timing.at - RETENTION.days * 24 * HOUR_MS, Number(lastInsertRowid) - RETENTION.checks),
      oldHours.run(timing.at - RETENTION.hoursMs),
      oldOutages.run(RETENTION.outages, timing.at - RETENTION.hoursMs),
    ].reduce((sum, { changes }) => sum + changes, 0)
  })

  return {
    add: (result: EchoResult, timing: EchoTiming): void => {
      const removed = add.immediate(result, timing)
      if (removed > 0) onRemoved?.(removed)
    },
    latest: (most = LISTED): EchoResult[] =>
      sql.newest.all(most).map((row) => EchoResult.parse(JSON.parse(row.result))),
    before(): EarlierCheck | null {
      const row = sql.newest.get(1)
      return row === undefined ? null : { at: row.at, monotonic: null, failed: row.failed === 1 }
    },
    /**
     * Returns the time (epoch ms) from which the current state of the services has lasted without a gap; `atLeast`: it
     * began before the oldest stored check. Null without a check.
     */
    since(): { at: number; atLeast: boolean } | null {
      const last = sql.newest.get(1)
      if (last === undefined) return null
      if (last.failed === 1) return { at: sql.outageStart.get()?.fromAt ?? last.at, atLeast: false }
      const changedAt = sql.lastFailureOrGap.get() ?? null
      const first = changedAt === null ? sql.checkAfter.get(0) : sql.goodAfter.get(changedAt)
      return first === undefined ? null : { at: first.at, atLeast: changedAt === null }
    },
    hours: (fromMs: number, toMs: number): HourRow[] => sql.hours.all(fromMs, toMs),
    outages: (fromMs: number, most: number): { rows: OutageRow[]; total: number } => ({
      rows: sql.outages.all(fromMs, most),
      total: sql.outagesInAll.get(fromMs) ?? 0,
    }),
  }
}

/** Time of the previous check, by the wall clock (epoch ms) and by the monotonic clock. */
export interface EarlierCheck {
  readonly at: number
  readonly monotonic: number | null
  readonly failed: boolean
}

export const isFailure = ({ outcome }: Pick<EchoResult, 'outcome'>): boolean => outcome !== 'approved'

/**
 * Time in ms before `now` for which the lane is known to have been on: since the previous check. 0 when either clock
 * shows more than `longestMs`: the lane was off or asleep, so the service counts neither as up nor as down; or the
 * clock was set, so that the real time is unknown.
 */
export function knownMs(before: EarlierCheck | null, now: Omit<EarlierCheck, 'failed'>, longestMs: number): number {
  if (before === null) return 0
  const byWall = now.at - before.at
  // The monotonic clock restarts with each run of the program, so after a restart only the wall clock counts.
  const passed = before.monotonic === null || now.monotonic === null ? byWall : now.monotonic - before.monotonic
  if (byWall <= 0 || byWall > longestMs || passed > longestMs) return 0
  return Math.round(byWall)
}

export interface HourShare {
  readonly fromMs: number
  readonly onMs: number
  /** Number of checks in the hour: 1 in the hour of the check itself, otherwise 0. */
  readonly checks: 0 | 1
}

/**
 * Splits the known time of a check by hour; the check itself counts in the last hour. `offsetMs`: the store's offset
 * from UTC, so that hours start at full hours of the store.
 */
export function sharesOf(at: number, onMs: number, offsetMs: number): HourShare[] {
  const hourOf = (instant: number): number => Math.floor((instant + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs
  const shares: HourShare[] = []
  const last = hourOf(at)
  for (let from = at - onMs; ;) {
    const fromMs = hourOf(from)
    if (fromMs >= last) return [...shares, { fromMs: last, onMs: at - from, checks: 1 }]
    shares.push({ fromMs, onMs: fromMs + HOUR_MS - from, checks: 0 })
    from = fromMs + HOUR_MS
  }
}

export const echoRowsOf = perLane((ctx) =>
  createEchoRepository(ctx.db, (rows) => droppedOf(ctx).emit('dropped', 'echo-history', rows)),
)
