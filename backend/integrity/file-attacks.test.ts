import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { claimDataFolder, StartRefusedError } from '../data-folder.ts'
import { temporaryFolder } from '../http/testing.ts'
import { examineCopy } from '../outbox/integrity-check.ts'
import { makeLane, sellOn } from '../testing/next-release.ts'
import { openTerminalDatabase } from './open-terminal.ts'
import { verifyAudit } from './verify-audit.ts'

let lane = ''
beforeAll(async () => {
  lane = mkdtempSync(join(tmpdir(), 'milepost-attacked-'))
  await makeLane(lane)
  await sellOn(lane)
  await sellOn(lane)
})
afterAll(() => {
  rmSync(lane, { recursive: true, force: true })
})

/** A copy of a stopped lane that has sold twice. */
function stoppedLane(): string {
  const folder = temporaryFolder()
  cpSync(lane, folder, { recursive: true })
  return folder
}

/** Writes to the database file without the key. The triggers are dropped for it and created again as they were. */
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

/** Writes a row of the schema itself: SQLite refuses these names in a CREATE statement. */
function plant(db: Database.Database, row: { type: string; name: string; table: string; sql: string }): void {
  db.pragma('writable_schema = ON')
  db.prepare(
    'INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (@type, @name, @table, 0, @sql)',
  ).run(row)
  db.pragma('writable_schema = OFF')
}

async function startOf(folder: string): Promise<string | null> {
  const claimed = claimDataFolder(folder, null, null)
  try {
    const database = await openTerminalDatabase(claimed, systemClock)
    database.close()
    return null
  } catch (error) {
    if (error instanceof StartRefusedError) return error.message
    throw error
  } finally {
    claimed.release()
  }
}

/** What the next start, Verify and the proof of a backup report; null where they report nothing. */
async function reports(folder: string) {
  const claimed = claimDataFolder(folder, null, null)
  const { masterKey, database, journalMark: mark } = claimed
  claimed.release()
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

test('start, Verify and the proof of a backup accept a database that only the program wrote', async () => {
  expect(await reports(stoppedLane())).toEqual(UNCHANGED)
})

describe('a name that SQLite reserves does not hide', () => {
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
  ])('%s', async (_what, type, name, table, sql) => {
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
  ])('%s', async (_what, name, sql) => {
    const folder = stoppedLane()
    attack(folder, (db) => {
      db.exec(sql)
      db.pragma('writable_schema = ON')
      db.prepare(
        'UPDATE sqlite_schema SET name = @name, tbl_name = iif(type = \'table\', @name, tbl_name), sql = @sql WHERE name = \'planted\'',
      ).run({ name, sql: sql.replace('planted', name) })
      db.pragma('writable_schema = OFF')
    })
    expect((await reports(folder)).start).toContain(SCHEMA)
  })
})

test('statistics that SQLite itself gathers are no change', async () => {
  const folder = stoppedLane()
  const db = new Database(join(folder, 'terminal.db'))
  db.exec('ANALYZE')
  db.close()
  expect(await reports(folder)).toEqual(UNCHANGED)
})
