import type { Report } from '../../delivery/updates/formats.ts'
import type { Tally } from '../../delivery/updates/choose.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import type { HaltRequest, HaltRequests, KeptReports, ReportRepository } from './repository.ts'

export const updateMigrations = () => readMigrations('updates', new URL('./postgres/', import.meta.url))

// No lane says anything after it is heard: one whose clock is ahead would have no later word.
const KEEP = `INSERT INTO update_report (version, store, lane, from_version, outcome, why, at, received_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (version, store, lane) DO UPDATE SET from_version = excluded.from_version,
    outcome = excluded.outcome, why = excluded.why, at = excluded.at, received_at = excluded.received_at
  WHERE least(excluded.at, excluded.received_at) COLLATE "C" > least(update_report.at, update_report.received_at)`
const TALLY = `SELECT count(*) FILTER (WHERE outcome = 'running') AS running,
    count(*) FILTER (WHERE outcome <> 'running') AS left
  FROM update_report WHERE version = $1`
const AT_HALT = 'SELECT running, lanes_left AS left FROM update_halt WHERE version = $1'
// Of two servers that note it at once, the one that knew more: reports become no fewer.
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

/** The repository on PostgreSQL, whose tables are there. */
export const createPostgresReports = (db: Postgres): ReportRepository => ({
  async keep({ version, store, lane, from, outcome, why, at }, receivedAt) {
    return (await db.query(KEEP, [version, store, lane, from, outcome, why, at, receivedAt.toISOString()])).count > 0
  },
  tally: async (version) => (await db.query<Tally>(TALLY, [version])).rows[0] ?? { running: 0, left: 0 },
  atHalt: async (version) => (await db.query<Tally>(AT_HALT, [version])).rows[0] ?? null,
  async noteHalt(version, { running, left }) {
    await db.query(NOTE_HALT, [version, running, left])
  },
  async others({ version, store, lane }) {
    const { rows } = await db.query<{ reported: number }>(OTHERS, [version, store, lane])
    return rows[0]?.reported ?? 0
  },
})

/** Halts that every server of this database sees: each may give out a copy of its own of what is published. */
export const createPostgresHaltRequests = (db: Postgres): HaltRequests => ({
  areShared: true,
  newest: async () => (await db.query<HaltRequest>(REQUESTED)).rows[0] ?? null,
  async ask({ version, sequence, running, left, at }) {
    await db.query(REQUEST, [version, sequence, running, left, at])
  },
  // Another server may give out the older channel still.
  forget: async () => undefined,
})

/** Everything that lanes reported. */
export async function readPostgresReports(db: Postgres): Promise<KeptReports> {
  const reports = await db.query<Report>(
    `SELECT version, store, lane, from_version AS "from", outcome, why, at FROM update_report
     ORDER BY version, store, lane`,
  )
  const halts = await db.query<Tally & { version: string }>(
    'SELECT version, running, lanes_left AS left FROM update_halt',
  )
  return {
    reports: reports.rows,
    halts: new Map(halts.rows.map(({ version, ...tally }) => [version, tally])),
    request: await createPostgresHaltRequests(db).newest(),
  }
}
