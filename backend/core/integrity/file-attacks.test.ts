import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { lockDataFolder, StartRefusedError } from '../program/data-folder.ts'
import { temporaryFolder } from '../http/testing.ts'
import { examineCopy } from '../outbox/integrity-check.ts'
import { withLane, createLane, sellOn } from '../../../packages/lab/testing/next-release.ts'
import { openTerminalDatabase } from './open-terminal.ts'
import { verifyAudit } from './verify-audit.ts'

let lane = ''
beforeAll(async () => {
  lane = mkdtempSync(join(tmpdir(), 'milepost-attacked-'))
  await createLane(lane)
  await sellOn(lane)
  await sellOn(lane)
  await withLane(lane, undefined, ({ db }) => {
    db.prepare(
      `INSERT INTO print_job (id, kind, sale_id, copy, document, open_drawer, state, created_at)
        SELECT 'job', 'sale', id, 0, '{}', 0, 'queued', 1 FROM sale LIMIT 1`,
    ).run()
  })
})
afterAll(() => {
  rmSync(lane, { recursive: true, force: true })
})

function stoppedLane(): string {
  const folder = temporaryFolder()
  cpSync(lane, folder, { recursive: true })
  return folder
}

/** Writes to the database file without the key: drops the triggers and creates them again unchanged. */
function attack(folder: string, change: (db: Database.Database) => void): void {
  const db = new Database(join(folder, 'terminal.db'))
  db.unsafeMode(true)
  db.pragma('foreign_keys = OFF')
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  change(db)
  for (const { sql } of triggers) db.exec(sql)
  db.close()
}

/** Inserts a row into the schema table itself, because SQLite refuses these names in a CREATE statement. */
function plant(db: Database.Database, row: { type: string; name: string; table: string; sql: string }): void {
  db.pragma('writable_schema = ON')
  db.prepare(
    'INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (@type, @name, @table, 0, @sql)',
  ).run(row)
  db.pragma('writable_schema = OFF')
}

async function startOf(folder: string): Promise<string | null> {
  const locked = lockDataFolder(folder, null, null)
  try {
    const database = await openTerminalDatabase(locked, systemClock)
    database.close()
    return null
  } catch (error) {
    if (error instanceof StartRefusedError) return error.message
    throw error
  } finally {
    locked.release()
  }
}

/**
 * Returns the findings of the next start, of the command Verify and of the backup check; null for each that finds
 * nothing.
 */
async function reports(folder: string) {
  const locked = lockDataFolder(folder, null, null)
  const { masterKey, database, journalMark: mark } = locked
  locked.release()
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(database, copy)
  return {
    verify: verifyAudit({ database, mark, masterKey }, () => undefined).broken?.cause ?? null,
    backup: examineCopy(copy, masterKey).problem,
    start: await startOf(folder),
  }
}

const UNCHANGED = { verify: null, backup: null, start: null }
const SCHEMA = 'the tables or triggers of the database were changed'

test('a start, the command Verify and the backup check accept a database that only the program changed', async () => {
  expect(await reports(stoppedLane())).toEqual(UNCHANGED)
})

describe('a schema object with a name that SQLite reserves is detected', () => {
  test.each([
    [
      'a trigger that promotes a cashier',
      'trigger',
      'sqlite_x',
      'window_session',
      'CREATE TRIGGER sqlite_x AFTER INSERT ON window_session BEGIN UPDATE staff SET role = "manager"; END',
    ],
    [
      'a trigger that suppresses audit entries',
      'trigger',
      'SQLITE_sequence',
      'audit_entry',
      'CREATE TRIGGER SQLITE_sequence BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(IGNORE); END',
    ],
    [
      'a trigger with the name of a statistics table',
      'trigger',
      'sqlite_stat1',
      'tender',
      'CREATE TRIGGER sqlite_stat1 AFTER INSERT ON tender BEGIN DELETE FROM print_job; END',
    ],
    ['a view', 'view', 'sqlite_autoindex_v', 'sqlite_autoindex_v', 'CREATE VIEW sqlite_autoindex_v AS SELECT 1'],
  ])('by the next start, Verify and the backup check: %s', async (_case, type, name, table, sql) => {
    const folder = stoppedLane()
    attack(folder, (db) => {
      plant(db, { type, name, table, sql })
    })
    expect(await reports(folder)).toMatchObject({
      verify: 'record-changed',
      backup: expect.stringContaining(SCHEMA) as string,
      start: expect.stringContaining(SCHEMA) as string,
    })
  })

  test.each([
    ['a table', 'sqlite_extra', 'CREATE TABLE planted (a)'],
    ['a unique index', 'sqlite_autoindex_tender_9', 'CREATE UNIQUE INDEX planted ON tender (kind)'],
    ['an index with the name of a statistics table', 'sqlite_stat9', 'CREATE UNIQUE INDEX planted ON tender (kind)'],
  ])('by the next start: %s', async (_case, name, sql) => {
    const folder = stoppedLane()
    attack(folder, (db) => {
      db.exec(sql)
      db.pragma('writable_schema = ON')
      db.prepare(
        `UPDATE sqlite_schema SET name = @name, tbl_name = iif(type = 'table', @name, tbl_name), sql = @sql
          WHERE name = 'planted'`,
      ).run({ name, sql: sql.replace('planted', name) })
      db.pragma('writable_schema = OFF')
    })
    expect((await reports(folder)).start).toContain(SCHEMA)
  })
})

test('statistics that SQLite gathers itself do not count as a change', async () => {
  const folder = stoppedLane()
  const db = new Database(join(folder, 'terminal.db'))
  db.exec('ANALYZE')
  db.close()
  expect(await reports(folder)).toEqual(UNCHANGED)
})

describe('comparing the journal and its operations in both directions detects', () => {
  const UNPAIRED = 'in the journal do not match'

  test.each([
    ['a queued operation', 'DELETE FROM operation WHERE rowid = 1', UNPAIRED],
    ['an operation with its calls', 'DELETE FROM operation WHERE rowid = 1; DELETE FROM operation_call', UNPAIRED],
    [
      'the stored call of an operation',
      'DELETE FROM operation_call',
      'the stored bytes of the call of entry 1 are missing',
    ],
    [
      'a journal entry of an operation',
      'DELETE FROM journal_entry WHERE seq = 1',
      'the journal has lost or changed entries',
    ],
    ['the sends of an operation', 'UPDATE operation SET sends = 9 WHERE rowid = 1', 'of the journal was changed'],
    [
      'the link of an entry',
      'UPDATE journal_entry SET previous_of_operation = 1 WHERE seq = 2',
      'linked to entries of other operations',
    ],
  ])('missing or changed rows: %s', async (_case, sql, message) => {
    const folder = stoppedLane()
    attack(folder, (db) => {
      db.exec(sql)
    })
    const { start, verify, backup } = await reports(folder)
    expect(start).toContain(message)
    expect(verify).toBe('database-changed')
    expect(backup).not.toBeNull()
  })

  test('operations in another order than the journal recorded them', async () => {
    const folder = stoppedLane()
    attack(folder, (db) => {
      db.exec('UPDATE operation SET rowid = -rowid')
    })
    const message = 'was moved to another position in the queue'
    expect(await reports(folder)).toMatchObject({
      verify: 'database-changed',
      backup: expect.stringContaining(message) as string,
      start: expect.stringContaining(message) as string,
    })
  })

  test('an operation that was set back to its state before its newest journal entry', async () => {
    const folder = stoppedLane()
    const before = join(temporaryFolder(), 'before.db')
    copyFileSync(join(folder, 'terminal.db'), before)
    await withLane(folder, undefined, ({ db, transact, journal }) => {
      const id = db.prepare<[], string>('SELECT id FROM operation LIMIT 1').pluck().get() ?? ''
      transact((tx) => journal.move(tx, id, 'sent'))
    })
    attack(folder, (db) => {
      db.exec(
        `ATTACH '${before}' AS before; DELETE FROM operation; INSERT INTO operation SELECT * FROM before.operation`,
      )
    })
    expect((await reports(folder)).start).toContain(UNPAIRED)
  })
})

test.each([
  ['store_cursor', "INSERT INTO store_cursor VALUES (printf('%032d', 1), 9)"],
  ['store_change_cursor', "INSERT INTO store_change_cursor VALUES (printf('%032d', 1), 9)"],
  ['store_stream', 'UPDATE store_stream SET told = 9'],
  ['store_confirmed', 'UPDATE store_confirmed SET seq = 9'],
  ['store_fact', "INSERT INTO store_fact VALUES (1, 9, 'sale', 'x')"],
  ['store_key', "INSERT INTO store_key VALUES (1, x'00')"],
  ['store_hold', "INSERT INTO store_hold (id, sale_id, state) SELECT 'x', id, 'given' FROM sale LIMIT 1"],
  [
    'store_hold_claim',
    "INSERT INTO store_hold_claim (id, held_sale, staff_id, asked_at, state) VALUES ('x', 'y', 'sam', 1, 'asked')",
  ],
  ['print_job', 'DELETE FROM print_job'],
])('a change of the table %s by another program is detected', async (table, sql) => {
  const folder = stoppedLane()
  attack(folder, (db) => {
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0)
  })
  expect(await reports(folder)).toMatchObject({
    verify: 'database-changed',
    backup: expect.stringContaining(`the table ${table}`) as string,
    start: expect.stringContaining(`the table ${table}`) as string,
  })
})

test('an index that was changed to hide rows of its table is detected', async () => {
  const folder = stoppedLane()
  attack(folder, (db) => {
    db.pragma('writable_schema = ON')
    db.exec(`UPDATE sqlite_schema SET rootpage =
      (SELECT rootpage FROM sqlite_schema WHERE name = 'voucher_entry_by_voucher')
      WHERE name = 'sqlite_autoindex_staff_1'`)
    db.pragma('writable_schema = OFF')
  })
  expect(await reports(folder)).toMatchObject({
    verify: 'database-changed',
    backup: expect.stringContaining('the database is damaged') as string,
    start: expect.stringContaining('the database is damaged') as string,
  })
})
