import type { Report } from '../../delivery/updates/formats.ts'
import type { Tally } from '../../delivery/updates/wave.ts'
import { migrate, type Db } from '../db/open.ts'

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

export interface ReportRepository {
  /** Keeps what a lane said last of a version. False: it has said something later. */
  keep(report: Report, receivedAt: Date): boolean
  tally(version: string): Tally
  /** How many lanes have said something of the version, but for this one. */
  others(report: Pick<Report, 'version' | 'store' | 'lane'>): number
}

export function createReportRepository(db: Db): ReportRepository {
  migrate(db, 'updates', SCRIPTS)
  const keep = db.prepare(
    `INSERT INTO update_report (version, store, lane, from_version, outcome, why, at, received_at)
     VALUES (@version, @store, @lane, @from, @outcome, @why, @at, @receivedAt)
     ON CONFLICT (version, store, lane) DO UPDATE SET from_version = excluded.from_version,
       outcome = excluded.outcome, why = excluded.why, at = excluded.at, received_at = excluded.received_at
     WHERE excluded.at > update_report.at`,
  )
  const tally = db.prepare<[string], { running: number; reported: number }>(
    `SELECT count(*) AS reported, coalesce(sum(outcome = 'running'), 0) AS running FROM update_report
     WHERE version = ?`,
  )
  const others = db.prepare<[string, string, string], { reported: number }>(
    'SELECT count(*) AS reported FROM update_report WHERE version = ? AND NOT (store = ? AND lane = ?)',
  )
  return {
    keep: (report, receivedAt) => keep.run({ ...report, receivedAt: receivedAt.toISOString() }).changes > 0,
    tally: (version) => {
      const { running = 0, reported = 0 } = tally.get(version) ?? {}
      return { running, left: reported - running }
    },
    others: ({ version, store, lane }) => others.get(version, store, lane)?.reported ?? 0,
  }
}

/** Every lane’s last word on every version. */
export const allReports = (db: Db): Report[] =>
  db
    .prepare<[], Row>('SELECT version, store, lane, from_version, outcome, why, at FROM update_report')
    .all()
    .map(({ from_version: from, ...row }) => ({ ...row, from }))
