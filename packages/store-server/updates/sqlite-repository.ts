import type { Report } from '../../delivery/updates/formats.ts'
import type { Tally } from '../../delivery/updates/choose.ts'
import { migrate, type Db } from '../db/open.ts'
import type { ReportRepository } from './repository.ts'

/** One for each lane and version: what the lane said last. Times are ISO 8601, UTC. */
const SCRIPTS = [
  `CREATE TABLE update_report (
    version TEXT NOT NULL,
    store TEXT NOT NULL,
    lane TEXT NOT NULL,
    from_version TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('running', 'went-back', 'failed')),
    why TEXT,
    at TEXT NOT NULL,
    received_at TEXT NOT NULL,
    PRIMARY KEY (version, store, lane)
  ) STRICT, WITHOUT ROWID`,
  // What stood when it was last halted: whoever lets the wave go on has seen that.
  `CREATE TABLE update_halt (
    version TEXT PRIMARY KEY,
    running INTEGER NOT NULL,
    lanes_left INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
]

interface Row {
  version: string
  store: string
  lane: string
  from_version: string
  outcome: Report['outcome']
  why: string | null
  at: string
}

interface Halt {
  version: string
  running: number
  lanes_left: number
}

/** The repository on SQLite. */
export function createSqliteReports(db: Db): ReportRepository {
  migrate(db, 'updates', SCRIPTS)
  const keep = db.prepare(
    `INSERT INTO update_report (version, store, lane, from_version, outcome, why, at, received_at)
     VALUES (@version, @store, @lane, @from, @outcome, @why, @at, @receivedAt)
     ON CONFLICT (version, store, lane) DO UPDATE SET from_version = excluded.from_version,
       outcome = excluded.outcome, why = excluded.why, at = excluded.at, received_at = excluded.received_at
     WHERE min(excluded.at, excluded.received_at) > min(update_report.at, update_report.received_at)`,
  )
  const tally = db.prepare<[string], { running: number; reported: number }>(
    `SELECT count(*) AS reported, coalesce(sum(outcome = 'running'), 0) AS running FROM update_report
     WHERE version = ?`,
  )
  const noteHalt = db.prepare(
    `INSERT INTO update_halt (version, running, lanes_left) VALUES (?, ?, ?)
     ON CONFLICT (version) DO UPDATE SET running = excluded.running, lanes_left = excluded.lanes_left`,
  )
  const atHalt = db.prepare<[string], Halt>('SELECT version, running, lanes_left FROM update_halt WHERE version = ?')
  const others = db.prepare<[string, string, string], { reported: number }>(
    'SELECT count(*) AS reported FROM update_report WHERE version = ? AND NOT (store = ? AND lane = ?)',
  )
  return {
    keep: async (report, receivedAt) => keep.run({ ...report, receivedAt: receivedAt.toISOString() }).changes > 0,
    async tally(version) {
      const { running = 0, reported = 0 } = tally.get(version) ?? {}
      return { running, left: reported - running }
    },
    async atHalt(version) {
      const found = atHalt.get(version)
      return found ? { running: found.running, left: found.lanes_left } : null
    },
    async noteHalt(version, { running, left }) {
      noteHalt.run(version, running, left)
    },
    others: async ({ version, store, lane }) => others.get(version, store, lane)?.reported ?? 0,
  }
}

/** What stood of each version when it was last halted. */
export const allHalts = (db: Db): ReadonlyMap<string, Tally> =>
  new Map(
    db
      .prepare<[], Halt>('SELECT version, running, lanes_left FROM update_halt')
      .all()
      .map(({ version, running, lanes_left: left }) => [version, { running, left }]),
  )

/** Every lane’s last word on every version. */
export const allReports = (db: Db): Report[] =>
  db
    .prepare<[], Row>('SELECT version, store, lane, from_version, outcome, why, at FROM update_report')
    .all()
    .map(({ from_version: from, ...row }) => ({ ...row, from }))
