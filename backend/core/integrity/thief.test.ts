import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { claimDataFolder, StartRefusedError } from '../program/data-folder.ts'
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
 * Somebody who can write to every file of a stopped lane, knows SQLite and this program's sources, and has not the key:
 * the lane of a package, whose key is in the system's key store, or a disk that was taken out of a machine.
 */

const central = useCentral()
let made: Promise<{ monday: string; tuesday: string }> | undefined
/** Made by the first test that asks, and kept for the others. */
const evenings = () => (made ??= twoEvenings())
const keptFolder = (): string => mkdtempSync(join(tmpdir(), 'milepost-thief-'))

async function sellTo(harness: TerminalHarness, card: string): Promise<void> {
  await harness.ring('1021')
  const sale = await harness.swipe(card)
  await payCash(harness, sale)
  await harness.until(({ issuance }) => issuance?.state === 'confirmed')
}

/** A lane's folder on Monday evening, and the same on Tuesday evening. */
async function twoEvenings(): Promise<{ monday: string; tuesday: string }> {
  const [monday, tuesday] = [keptFolder(), keptFolder()]
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

/** A lane's folder as it is stolen: a copy. */
async function stolen(): Promise<string> {
  const folder = temporaryFolder()
  cpSync((await evenings()).tuesday, folder, { recursive: true })
  return folder
}

/**
 * Writes to the database as whoever knows its triggers: they are taken off, and stand again afterwards as they stood.
 */
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

/** What the next start says; null when it opens the database. */
async function nextStart(folder: string): Promise<string | null> {
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

test('a folder that nobody wrote to opens, again and again', async () => {
  const folder = await stolen()
  for (let start = 0; start < 3; start += 1) expect(await nextStart(folder)).toBeNull()
})

describe('is found out at the next start who', () => {
  test.each([
    [
      'pays less into the drawer than the sale says',
      "UPDATE tender SET amount_cents = amount_cents - 100, tendered_cents = tendered_cents - 100 WHERE kind = 'cash'",
      'table tender',
    ],
    [
      'puts money on a gift card',
      "UPDATE voucher_entry SET amount_cents = 50000 WHERE kind = 'issued'",
      'table voucher_entry',
    ],
    [
      'makes an entry that fills a gift card again',
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
      'takes an entry out of the audit trail',
      'DELETE FROM audit_entry WHERE id = (SELECT max(id) FROM audit_entry)',
      'taken out of the table audit_entry',
    ],
    [
      'opens a session that nobody opened',
      `INSERT INTO window_session (secret_hash, window_id, opened_at, staff_id, signed_in_at)
        VALUES ('x', 'w', 1, 'sam', 1)`,
      'added to the table window_session',
    ],
    ['takes a line out of a sale that was paid', 'UPDATE sale_line SET voided = 1', 'table sale_line'],
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
    ['says that miles were issued for more', 'UPDATE operation SET miles = 9999', 'the operation'],
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
  ])('%s', async (_what, sql, words) => {
    const folder = await stolen()
    write(folder, changeOne(sql))
    expect(await nextStart(folder)).toContain(words)
  })

  test('deletes the mark, or writes one of their own', async () => {
    const folder = await stolen()
    rmSync(join(folder, 'journal.mark'))
    expect(await nextStart(folder)).toContain('journal.mark) is missing')
    writeFileSync(join(folder, 'journal.mark'), `1 ${'ab'.repeat(32)} 1 ${'cd'.repeat(32)}\n`.padEnd(512, ' '))
    expect(await nextStart(folder), 'under another key').toContain('journal.mark) is missing')
  })

  test('copies yesterday’s database in, and takes the mark away with it', async () => {
    const folder = await stolen()
    for (const name of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm'])
      rmSync(join(folder, name), { force: true })
    copyFileSync(join((await evenings()).monday, 'terminal.db'), join(folder, 'terminal.db'))
    expect(await nextStart(folder)).toContain('it is older than the mark beside it says')
    rmSync(join(folder, 'journal.mark'))
    expect(await nextStart(folder)).toContain('journal.mark) is missing')
  })

  test('puts one table of yesterday into today’s database', async () => {
    const folder = await stolen()
    const { monday } = await evenings()
    write(folder, (db) => {
      db.exec(`ATTACH '${join(monday, 'terminal.db')}' AS yesterday`)
      db.exec(
        `DELETE FROM voucher_entry; INSERT INTO voucher_entry SELECT * FROM yesterday.voucher_entry;
          UPDATE tamper_evidence SET state = (SELECT state FROM yesterday.tamper_evidence)`,
      )
    })
    expect(await nextStart(folder)).toContain('the record of what the tables add up to was changed')
  })

  test('deletes the record, or the table that has it, or says that the schema is still to be made', async () => {
    for (const change of ['DELETE FROM tamper_evidence', 'DROP TABLE tamper_evidence']) {
      const folder = await stolen()
      write(folder, (db) => {
        db.exec(change)
      })
      expect(await nextStart(folder), change).toContain('the record of what its tables add up to is gone')
      rmSync(join(folder, 'terminal.json'))
      rmSync(join(folder, 'journal.mark'))
      expect(await nextStart(folder), 'nor in a folder that knows of no database').toContain('the record of what')
    }
    const folder = await stolen()
    write(folder, (db) => {
      db.exec('DROP TABLE tamper_evidence')
      db.pragma('user_version = 0')
    })
    expect(await nextStart(folder)).toContain('the record of what its tables add up to is gone')
  })

  test('says that the schema is another, or that other programs may open it', async () => {
    const renumbered = await stolen()
    write(renumbered, (db) => {
      db.pragma(`user_version = ${readMigrations().length + 1}`)
    })
    expect(await nextStart(renumbered)).toContain('the number of its schema was changed')
    const remarked = await stolen()
    write(remarked, changeOne("UPDATE schema_mark SET program = '9.9.9'"))
    expect(await nextStart(remarked)).toContain('table schema_mark')
  })

  test('leaves an empty database behind', async () => {
    const folder = await stolen()
    for (const name of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm', 'terminal.json'])
      rmSync(join(folder, name), { force: true })
    expect(await nextStart(folder)).toContain('it is empty, and there was one before')
    new Database(join(folder, 'terminal.db')).exec('CREATE TABLE anything (a)').close()
    expect(await nextStart(folder)).toContain('the record of what its tables add up to is gone')
  })

  test('takes a trigger off for good, or adds one', async () => {
    const folder = await stolen()
    const db = new Database(join(folder, 'terminal.db'))
    db.exec('DROP TRIGGER voucher_covers')
    db.close()
    expect(await nextStart(folder)).toContain('tables or triggers of the database were changed')
  })
})

test('a first start that was cut short before its mark goes on at the next one', async () => {
  const folder = temporaryFolder()
  const claimed = claimDataFolder(folder, null, null)
  onTestFinished(claimed.release)
  // Between the commit that takes the database into care and the mark: the schema stands, and nothing is noted outside.
  const db = openDatabase(claimed.database)
  const seal = createSeal(claimed.masterKey)
  await migrate(db, readMigrations(), undefined, () => {
    adopt(db, seal)
  })
  db.close()
  claimed.release()
  expect(await nextStart(folder)).toBeNull()
  rmSync(join(folder, 'journal.mark'))
  expect(await nextStart(folder), 'from the first mark on it is missed').toContain('journal.mark) is missing')
})
