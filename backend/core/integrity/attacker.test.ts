import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { lockDataFolder, StartRefusedError } from '../program/data-folder.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openDatabase } from '../db/database.ts'
import { temporaryFolder } from '../http/testing.ts'
import { createSeal } from './seal.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { giftCard, payCash } from '../../../packages/lab/testing/vouchers.ts'
import { adopt } from './state.ts'
import { openTerminalDatabase } from './open-terminal.ts'

/**
 * An attacker with write access to every file of a stopped lane who knows SQLite and this source code, but not the key:
 * a packaged lane, whose key is in the system's key store, or a stolen disk.
 */

const central = useCentral()
let made: Promise<{ monday: string; tuesday: string }> | undefined
const evenings = () => (made ??= twoEvenings())
const sharedFolder = (): string => mkdtempSync(join(tmpdir(), 'milepost-thief-'))

async function sellTo(harness: TerminalHarness, card: string): Promise<void> {
  await harness.ring('1021')
  const sale = await harness.swipe(card)
  await payCash(harness, sale)
  await harness.until(({ issuance }) => issuance?.state === 'confirmed')
}

async function twoEvenings(): Promise<{ monday: string; tuesday: string }> {
  const [monday, tuesday] = [sharedFolder(), sharedFolder()]
  const first = await openTerminalHarness(central, { folder: tuesday })
  await sellTo(first, 'fine')
  await payCash(first, await giftCard(first, 2500))
  await first.close()
  cpSync(tuesday, monday, { recursive: true })
  const second = await openTerminalHarness(central, { folder: tuesday })
  await sellTo(second, 'special')
  await payCash(second, await giftCard(second, 5000))
  await second.close()
  return { monday, tuesday }
}

afterAll(async () => {
  for (const folder of Object.values(await evenings())) rmSync(folder, { recursive: true, force: true })
})

async function stolen(): Promise<string> {
  const folder = temporaryFolder()
  cpSync((await evenings()).tuesday, folder, { recursive: true })
  return folder
}

/** Writes to the database as an attacker who knows its triggers: drops them, and restores them unchanged afterwards. */
function write(folder: string, change: (db: Database.Database) => void): void {
  const db = new Database(join(folder, 'terminal.db'))
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  change(db)
  for (const { sql } of triggers) db.exec(sql)
  db.close()
}
const changeOne =
  (sql: string) =>
  (db: Database.Database): void => {
    expect(db.prepare(sql).run().changes, sql).toBeGreaterThan(0)
  }

async function nextStart(folder: string): Promise<string | null> {
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

test('a folder that only the program changed opens at every start', async () => {
  const folder = await stolen()
  for (let start = 0; start < 3; start += 1) expect(await nextStart(folder)).toBeNull()
})

describe('the next start detects an attacker who', () => {
  test.each([
    [
      'reduces a cash payment',
      "UPDATE tender SET amount_cents = amount_cents - 100, tendered_cents = tendered_cents - 100 WHERE kind = 'cash'",
      'table tender',
    ],
    [
      'adds money to a gift card',
      "UPDATE voucher_entry SET amount_cents = 50000 WHERE kind = 'issued'",
      'table voucher_entry',
    ],
    [
      'adds an entry that refills a gift card',
      `INSERT INTO voucher_entry (voucher_id, at, kind, amount_cents, sale_id)
        SELECT voucher_id, 1, 'given-back', 100, sale_id FROM voucher_entry LIMIT 1`,
      'added to the table voucher_entry',
    ],
    [
      'gives the manager the PIN of the cashier',
      "UPDATE staff SET pin_hash = (SELECT pin_hash FROM staff WHERE id = 'alex') WHERE id = 'sam'",
      'table staff',
    ],
    ['makes a cashier a manager', "UPDATE staff SET role = 'manager' WHERE id = 'alex'", 'table staff'],
    [
      'deletes an audit entry',
      'DELETE FROM audit_entry WHERE id = (SELECT max(id) FROM audit_entry)',
      'removed from the table audit_entry',
    ],
    [
      'adds a window session',
      `INSERT INTO window_session (secret_hash, window_id, opened_at, staff_id, signed_in_at)
        VALUES ('x', 'w', 1, 'sam', 1)`,
      'added to the table window_session',
    ],
    ['voids a line of a paid sale', 'UPDATE sale_line SET voided = 1', 'table sale_line'],
    [
      'gives the miles of one collector’s sale to another',
      `UPDATE sale SET member_sealed = (SELECT member_sealed FROM sale AS other WHERE other.id <> sale.id
        AND other.member_sealed IS NOT NULL) WHERE member_sealed IS NOT NULL`,
      'table sale',
    ],
    [
      'swaps the codes of two gift cards',
      'UPDATE voucher SET code_sealed = (SELECT code_sealed FROM voucher AS other WHERE other.id <> voucher.id)',
      'table voucher',
    ],
    ['increases issued miles', 'UPDATE operation SET miles = 9999', 'the operation'],
    [
      'sends one sale’s call for another',
      `UPDATE operation_call
        SET request_sealed = (SELECT request_sealed FROM operation_call AS other
        WHERE other.operation_id <> operation_call.operation_id)`,
      'the stored bytes',
    ],
    [
      'sends a call under another key',
      "UPDATE operation_call SET idempotency_key = idempotency_key || 'x'",
      'the stored bytes',
    ],
  ])('changes rows of the database: %s', async (_case, sql, message) => {
    const folder = await stolen()
    write(folder, changeOne(sql))
    expect(await nextStart(folder)).toContain(message)
  })

  test('deletes or forges the mark outside the database', async () => {
    const folder = await stolen()
    rmSync(join(folder, 'journal.mark'))
    expect(await nextStart(folder)).toContain('journal.mark) is missing')
    writeFileSync(join(folder, 'journal.mark'), `1 ${'ab'.repeat(32)} 1 ${'cd'.repeat(32)}\n`.padEnd(512, ' '))
    expect(await nextStart(folder), 'under another key').toContain('journal.mark) is missing')
  })

  test('restores yesterday’s database and removes the mark', async () => {
    const folder = await stolen()
    for (const name of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm'])
      rmSync(join(folder, name), { force: true })
    copyFileSync(join((await evenings()).monday, 'terminal.db'), join(folder, 'terminal.db'))
    expect(await nextStart(folder)).toContain('it is older than its mark')
    rmSync(join(folder, 'journal.mark'))
    expect(await nextStart(folder)).toContain('journal.mark) is missing')
  })

  test('copies one table of yesterday into today’s database', async () => {
    const folder = await stolen()
    const { monday } = await evenings()
    write(folder, (db) => {
      db.exec(`ATTACH '${join(monday, 'terminal.db')}' AS yesterday`)
      db.exec(
        `DELETE FROM voucher_entry; INSERT INTO voucher_entry SELECT * FROM yesterday.voucher_entry;
          UPDATE tamper_evidence SET state = (SELECT state FROM yesterday.tamper_evidence)`,
      )
    })
    expect(await nextStart(folder)).toContain('the record of the table digests was changed')
  })

  test('deletes the tamper record or its table, or resets the schema version', async () => {
    for (const change of ['DELETE FROM tamper_evidence', 'DROP TABLE tamper_evidence']) {
      const folder = await stolen()
      write(folder, (db) => {
        db.exec(change)
      })
      expect(await nextStart(folder), change).toContain('the record of its table digests is missing')
      rmSync(join(folder, 'terminal.json'))
      rmSync(join(folder, 'journal.mark'))
      expect(await nextStart(folder), 'nor in a folder that knows of no database').toContain(
        'the record of its table digests',
      )
    }
    const folder = await stolen()
    write(folder, (db) => {
      db.exec('DROP TABLE tamper_evidence')
      db.pragma('user_version = 0')
    })
    expect(await nextStart(folder)).toContain('the record of its table digests is missing')
  })

  test('changes the schema version, or the row that states which programs may open the database', async () => {
    const renumbered = await stolen()
    write(renumbered, (db) => {
      db.pragma(`user_version = ${readMigrations().length + 1}`)
    })
    expect(await nextStart(renumbered)).toContain('its schema version was changed')
    const remarked = await stolen()
    write(remarked, changeOne("UPDATE schema_mark SET program = '9.9.9'"))
    expect(await nextStart(remarked)).toContain('table schema_mark')
  })

  test('replaces the database by an empty one', async () => {
    const folder = await stolen()
    for (const name of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm', 'terminal.json'])
      rmSync(join(folder, name), { force: true })
    expect(await nextStart(folder)).toContain('it is empty, although there was a database before')
    new Database(join(folder, 'terminal.db')).exec('CREATE TABLE anything (a)').close()
    expect(await nextStart(folder)).toContain('the record of its table digests is missing')
  })

  test('removes a trigger', async () => {
    const folder = await stolen()
    const db = new Database(join(folder, 'terminal.db'))
    db.exec('DROP TRIGGER voucher_covers')
    db.close()
    expect(await nextStart(folder)).toContain('tables or triggers of the database were changed')
  })
})

test('the next start completes a first start that was interrupted before it had written the mark', async () => {
  const folder = temporaryFolder()
  const locked = lockDataFolder(folder, null, null)
  onTestFinished(locked.release)
  // The interruption is after the commit that adopts the database and before the mark is written: the schema exists,
  // and no file outside the database shows it.
  const db = openDatabase(locked.database)
  const seal = createSeal(locked.masterKey)
  await migrate(db, readMigrations(), undefined, () => {
    adopt(db, seal)
  })
  db.close()
  locked.release()
  expect(await nextStart(folder)).toBeNull()
  rmSync(join(folder, 'journal.mark'))
  expect(await nextStart(folder), 'from the first mark on it is missed').toContain('journal.mark) is missing')
})
