import type { Channel, Report } from '../delivery/updates/formats.ts'
import type { Tally } from '../delivery/updates/choose.ts'
import { readMigrations } from './db/migrate.ts'
import type { Querying } from './db/postgres.ts'

export const UPDATES_TABLES = readMigrations('updates')

/**
 * A store server's unsigned request to halt an update after too many lanes rolled it back. The servers then send lanes
 * no channel file (the signed list of releases) up to this sequence number; a newer file ends the halt.
 */
export interface HaltRequest extends Tally {
  readonly version: string
  readonly sequence: number
  readonly at: string
}

export interface StoredReports {
  readonly reports: readonly Report[]
  /** For each version, the newest tally that was stored while its wave was halted. */
  readonly halts: ReadonlyMap<string, Tally>
  /** Newest requested halt; it applies until a newer channel is signed (`holdsBack`). */
  readonly request: HaltRequest | null
}

// Stores a report unless a later one is stored. A time after the receipt counts as that of the receipt, so that a lane
// whose clock was fast can still send later reports.
const SAVE = `INSERT INTO update_report (version, store, lane, from_version, outcome, why, at, received_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (version, store, lane) DO UPDATE SET from_version = excluded.from_version,
    outcome = excluded.outcome, why = excluded.why, at = excluded.at, received_at = excluded.received_at
  WHERE least(excluded.at, excluded.received_at) COLLATE "C" > least(update_report.at, update_report.received_at)`
const TALLY = `SELECT count(*) FILTER (WHERE outcome = 'running') AS running,
    count(*) FILTER (WHERE outcome <> 'running') AS left
  FROM update_report WHERE version = $1`
const AT_HALT = 'SELECT running, lanes_left AS left FROM update_halt WHERE version = $1'
// Stores the tally of a halt. Keeps the larger tally of two concurrent servers: the number of reports never decreases.
const NOTE_HALT = `INSERT INTO update_halt (version, running, lanes_left) VALUES ($1, $2, $3)
  ON CONFLICT (version) DO UPDATE SET running = excluded.running, lanes_left = excluded.lanes_left
  WHERE excluded.running + excluded.lanes_left >= update_halt.running + update_halt.lanes_left`
const OTHERS = 'SELECT count(*) AS reported FROM update_report WHERE version = $1 AND NOT (store = $2 AND lane = $3)'
const REQUEST = `INSERT INTO update_halt_request (version, sequence, running, lanes_left, at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (only_one) DO UPDATE SET version = excluded.version, sequence = excluded.sequence,
    running = excluded.running, lanes_left = excluded.lanes_left, at = excluded.at
  WHERE excluded.sequence > update_halt_request.sequence`
const REQUESTED = 'SELECT version, sequence, running, lanes_left AS left, at FROM update_halt_request'
const ALL_REPORTS = `SELECT version, store, lane, from_version AS "from", outcome, why, at FROM update_report
  ORDER BY version, store, lane`
const ALL_HALTS = 'SELECT version, running, lanes_left AS left FROM update_halt'

/** Stores the last report of a lane about a version. Returns false if this or a later one is stored. */
export async function storeReport(db: Querying, report: Report, receivedAt: Date): Promise<boolean> {
  const { version, store, lane, from, outcome, why, at } = report
  return (await db.query(SAVE, [version, store, lane, from, outcome, why, at, receivedAt.toISOString()])).count > 0
}

export const tallyReports = async (db: Querying, version: string): Promise<Tally> =>
  (await db.query<Tally>(TALLY, [version])).rows[0] ?? { running: 0, left: 0 }

export const tallyAtHalt = async (db: Querying, version: string): Promise<Tally | null> =>
  (await db.query<Tally>(AT_HALT, [version])).rows[0] ?? null

export async function noteHalt(db: Querying, version: string, { running, left }: Tally): Promise<void> {
  await db.query(NOTE_HALT, [version, running, left])
}

export async function countOthers(
  db: Querying,
  { version, store, lane }: Pick<Report, 'version' | 'store' | 'lane'>,
): Promise<number> {
  const { rows } = await db.query<{ reported: number }>(OTHERS, [version, store, lane])
  return rows[0]?.reported ?? 0
}

/** Requests a halt at every server of the database, because each may serve its own copy of the channel. */
export async function requestHalt(db: Querying, request: HaltRequest): Promise<void> {
  const { version, sequence, running, left, at } = request
  await db.query(REQUEST, [version, sequence, running, left, at])
}

export const newestHaltRequest = async (db: Querying): Promise<HaltRequest | null> =>
  (await db.query<HaltRequest>(REQUESTED)).rows[0] ?? null

/**
 * Returns whether a halt request applies to a channel: until a newer channel is signed. A missing or restored older
 * channel does not end the halt.
 */
export const holdsBack = ({ sequence }: HaltRequest, channel: Pick<Channel, 'sequence'> | null): boolean =>
  (channel?.sequence ?? 0) <= sequence

export async function readReports(db: Querying): Promise<StoredReports> {
  const reports = await db.query<Report>(ALL_REPORTS)
  const halts = await db.query<Tally & { version: string }>(ALL_HALTS)
  return {
    reports: reports.rows,
    halts: new Map(halts.rows.map(({ version, ...tally }) => [version, tally])),
    request: await newestHaltRequest(db),
  }
}
