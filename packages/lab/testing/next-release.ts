import { destination } from 'pino'
import { systemClock, systemRng } from '../../../backend/core/clock.ts'
import { claimDataFolder } from '../../../backend/core/program/data-folder.ts'
import { readMigrations, type Migration } from '../../../backend/core/db/migrate.ts'
import type { Database } from '../../../backend/core/db/database.ts'
import { openTerminalDatabase, type TerminalDatabase } from '../../../backend/core/integrity/open-terminal.ts'
import { createLogger } from '../../../backend/core/log.ts'
import { createOutbox, type Outbox } from '../../../backend/core/outbox/outbox.ts'

/** The number of this program's schema. */
export const TODAY = readMigrations().length

/** What the next release may do and this one still works with (docs/releases.md). */
export const ADDITIVE = `
  ALTER TABLE sale ADD COLUMN channel TEXT;
  ALTER TABLE tender ADD COLUMN wallet TEXT NOT NULL DEFAULT 'none' CHECK (wallet <> '');
  ALTER TABLE z_report ADD COLUMN remark TEXT;
  CREATE TABLE pickup_order (
    id      TEXT PRIMARY KEY,
    sale_id TEXT NOT NULL REFERENCES sale (id)
  ) STRICT;
  INSERT INTO pickup_order (id, sale_id) SELECT 'order of ' || id, id FROM sale WHERE state = 'completed' LIMIT 1;
  UPDATE sale SET channel = 'counter' WHERE state = 'completed';
  CREATE INDEX sale_by_channel ON sale (channel) WHERE channel IS NOT NULL;`

/** The migrations of the next release: those of this program, and a made-up one. */
export const nextRelease = (sql: string = ADDITIVE, readableFrom: number = TODAY): Migration[] => [
  ...readMigrations(),
  { number: TODAY + 1, name: 'made_up', sql, readableFrom },
]

export interface LaneAtWork extends TerminalDatabase, Pick<Outbox, 'transact' | 'journal'> {}

/** Starts a program of these migrations on a data folder, as far as its database, works in it, and ends it in order. */
export async function atWork<Result>(
  data: string,
  migrations: readonly Migration[] = readMigrations(),
  work: (lane: LaneAtWork) => Result | Promise<Result>,
): Promise<Result> {
  const folder = claimDataFolder(data, null, null)
  try {
    const opened = await openTerminalDatabase(folder, systemClock, migrations)
    try {
      return await work({
        ...opened,
        ...createOutbox({
          ...opened,
          clock: systemClock,
          rng: systemRng,
          log: createLogger({ level: 'silent', destination: destination(2) }),
          onStop: () => undefined,
          refusal: (reason) => new Error(reason),
        }),
      })
    } finally {
      opened.close()
    }
  } finally {
    folder.release()
  }
}

/** The start of a program of the next release, which migrates the database. */
export const updateTo = (data: string, migrations: readonly Migration[]): Promise<void> =>
  atWork(data, migrations, () => undefined)

/** Makes a data folder of this program, with a manager and nothing sold. */
export const makeLane = (data: string): Promise<void> =>
  atWork(data, readMigrations(), ({ db }) => {
    db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')").run()
  })

let sold = 0
/** Sells something for miles: an open sale with an operation in the journal. Answers the number of its newest entry. */
export const sellOn = (data: string, migrations?: readonly Migration[]): Promise<number> =>
  atWork(data, migrations, ({ db, transact, journal, seal }) => {
    const id = `N101${String((sold += 1)).padStart(10, '0')}QZQZ`
    transact((tx) => {
      tx.run(
        db.prepare(`INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at)
          VALUES (@id, (SELECT coalesce(max(sequence), 0) + 1 FROM sale), 1, 'open', @id, 'sam', 1)`),
        { id },
      )
      journal.open(tx, {
        kind: 'issuance',
        type: 'issue',
        saleId: id,
        collectorHash: seal.keyedHash('81234567890'),
        state: 'queued',
        sending: false,
        facts: {},
        call: {
          purpose: 'issue',
          path: '/p',
          idempotencyKey: `key of ${id}`,
          traceId: 'trace',
          dateTime: '2026-11-20T10:00:00.000-05:00',
          request: Buffer.from('{}'),
        },
      })
    })
    return newestOf(db)
  })

const newestOf = (db: Database): number => Number(db.prepare('SELECT max(seq) FROM journal_entry').pluck().get())
