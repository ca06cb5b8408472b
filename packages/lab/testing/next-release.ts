import { destination } from 'pino'
import { systemClock, systemRng } from '../../../backend/core/clock.ts'
import { lockDataFolder } from '../../../backend/core/program/data-folder.ts'
import { readMigrations, type Migration } from '../../../backend/core/db/migrate.ts'
import type { Database } from '../../../backend/core/db/database.ts'
import { openTerminalDatabase, type TerminalDatabase } from '../../../backend/core/integrity/open-terminal.ts'
import { createLogger } from '../../../backend/core/log.ts'
import { createOutbox, type Outbox } from '../../../backend/core/outbox/outbox.ts'

export const TODAY = readMigrations().length

/** Schema changes that the next release may make and with which this release still works (docs/releases.md). */
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

export const nextRelease = (sql: string = ADDITIVE, readableFrom: number = TODAY): Migration[] => [
  ...readMigrations(),
  { number: TODAY + 1, name: 'made_up', sql, readableFrom },
]

export interface OpenedLane extends TerminalDatabase, Pick<Outbox, 'transact' | 'journal'> {}

export async function withLane<Result>(
  data: string,
  migrations: readonly Migration[] = readMigrations(),
  work: (lane: OpenedLane) => Result | Promise<Result>,
): Promise<Result> {
  const folder = lockDataFolder(data, null, null)
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

export const updateTo = (data: string, migrations: readonly Migration[]): Promise<void> =>
  withLane(data, migrations, () => undefined)

export const createLane = (data: string): Promise<void> =>
  withLane(data, readMigrations(), ({ db }) => {
    db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')").run()
  })

let sold = 0
/** Adds an open sale with an operation in the journal. Returns the sequence number of the newest journal entry. */
export const sellOn = (data: string, migrations?: readonly Migration[]): Promise<number> =>
  withLane(data, migrations, ({ db, transact, journal, seal }) => {
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
