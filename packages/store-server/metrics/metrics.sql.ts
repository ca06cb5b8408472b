import { z } from 'zod'
import { METRICS_STALE_MS, Sample } from '../../../contracts/store/metrics.ts'
import { SILENT_AFTER_MS } from '../../../contracts/store/overview.ts'
import type { Querying } from '../db/postgres.ts'
import { within } from '../db/connection.ts'
import { IS_OPEN } from '../lanes/awaited.ts'
import type { Caller } from '../lanes/caller.ts'

/** Maximum number of lanes in the metrics, more than any store has. */
export const MAX_LANES = 200
/** SQL of a lane's last contact: its last heartbeat, or for a lane without heartbeats its first hello. */
const LAST_SEEN = 'coalesce(seen_at, known_since)'
/**
 * SQL condition: the last contact is recent enough to report a silent lane. A lane without contact for longer may have
 * been replaced or closed.
 */
const MISSED = `${LAST_SEEN} > now() - interval '7 days'`
const MIN_INTERVAL = "interval '5 seconds'"

const SAVE = `INSERT INTO lane_metrics AS known (store, lane, samples, at) VALUES ($1, $2, $3, now())
  ON CONFLICT (store, lane) DO UPDATE SET samples = excluded.samples, at = excluded.at
  WHERE known.at NOT BETWEEN now() - ${MIN_INTERVAL} AND now()`
const LANES = `SELECT lane.store, lane.lane,
    abs(extract(epoch FROM now() - ${LAST_SEEN}))::float8 AS "secondsSinceContact",
    CASE WHEN ${within('sent.at', METRICS_STALE_MS)} THEN sent.samples END AS samples
  FROM lane LEFT JOIN lane_metrics AS sent USING (store, lane)
  WHERE ${MISSED} ORDER BY lane.store, lane.lane LIMIT ${MAX_LANES + 1}`
const SEEN = within(LAST_SEEN, SILENT_AFTER_MS)
const GAUGES = `SELECT
  (SELECT count(*) FROM lane WHERE ${SEEN}) AS seen,
  (SELECT count(*) FROM lane WHERE ${MISSED} AND NOT ${SEEN}) AS silent,
  (SELECT count(*) FROM fact_aside WHERE settled_at IS NULL) AS quarantined,
  (SELECT count(*) FROM (SELECT DISTINCT awaited.store, coalesce(lane, '') FROM stream_awaited AS awaited
    LEFT JOIN stream ON stream.name = awaited.stream WHERE ${IS_OPEN}) AS lanes) AS awaited,
  (SELECT count(*) FROM collector_turn WHERE until > now()) AS held,
  (SELECT count(*) FROM collector_turn WHERE until <= now()) AS expired,
  (SELECT count(*) FROM held_sale WHERE state = 'offered') AS offered,
  (SELECT count(*) FROM held_sale WHERE state = 'waiting') AS waiting,
  (SELECT count(*) FROM held_sale WHERE state = 'claimed') AS claimed`
const CHECKED = `SELECT count(*) FILTER (WHERE held_cents > 0) AS vouchers,
  coalesce(sum(held_cents), 0)::bigint AS cents,
  (SELECT count(*) FROM voucher_wrong) AS wrong,
  (SELECT count(*) FROM receipt_return WHERE state = 'claimed') AS "returnReservations",
  pg_database_size(current_database()) AS bytes,
  (SELECT extract(epoch FROM now() - coalesce((SELECT max(at) FROM database_backup), since)) FROM database_identity)
    ::float8 AS "backupSeconds"
  FROM voucher_account`
/**
 * Reads whether the server has the right to list the WAL, because listing fails without it. A superuser grants the
 * right (`db/roles.sql`).
 */
const MAY_READ_WAL = "SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS may"
const WAL = 'SELECT coalesce(sum(size), 0)::bigint AS bytes FROM pg_ls_waldir()'

const Samples = z.array(Sample)

export interface LaneSamples extends Caller {
  readonly secondsSinceContact: number
  /** Null if the lane sent no samples, or they are too old. */
  readonly samples: readonly Sample[] | null
}

/** Values that are cheap enough to read for each scrape: from few rows, or by an index. */
export interface StoreGauges extends Record<string, number> {
  readonly seen: number
  readonly silent: number
  readonly quarantined: number
  readonly awaited: number
  readonly held: number
  readonly expired: number
  readonly offered: number
  readonly waiting: number
  readonly claimed: number
}

/** Values from full-table reads, made every minute. Money is in cents. */
export interface Checked extends Record<string, number> {
  readonly vouchers: number
  readonly cents: number
  readonly wrong: number
  readonly returnReservations: number
  readonly bytes: number
  readonly backupSeconds: number
}

async function one<Row extends Record<string, number>>(db: Querying, sql: string): Promise<Row> {
  const [row] = (await db.query<Row>(sql)).rows
  if (row === undefined) throw new Error('an aggregate answers one row')
  return row
}

export async function storeSamples(db: Querying, { store, lane }: Caller, samples: readonly Sample[]): Promise<void> {
  await db.query(SAVE, [store, lane, JSON.stringify(samples)])
}

export async function lanesWithSamples(db: Querying): Promise<LaneSamples[]> {
  const { rows } = await db.query<LaneSamples & Record<string, unknown>>(LANES)
  return rows.map((row) => ({ ...row, samples: row.samples === null ? null : Samples.parse(row.samples) }))
}

export const readGauges = (db: Querying): Promise<StoreGauges> => one<StoreGauges>(db, GAUGES)

export const readChecked = (db: Querying): Promise<Checked> => one<Checked>(db, CHECKED)

/** Reads the size of the database cluster's write-ahead log; null when the server may not read it. */
export async function readWalBytes(db: Querying): Promise<number | null> {
  const { rows } = await db.query<{ may: boolean }>(MAY_READ_WAL)
  return rows[0]?.may === true ? (await one<{ bytes: number }>(db, WAL)).bytes : null
}
