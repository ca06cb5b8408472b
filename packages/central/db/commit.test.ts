import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../ledger.ts'
import { type Db, createCommitter, openDatabase } from './database.ts'

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  db = openDatabase(folder)
})
afterEach(() => {
  if (db.open) db.close()
  rmSync(folder, { recursive: true, force: true })
})

const put = (name: string) => (): string => {
  db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run(name, 'x')
  return name
}
const names = (): string[] =>
  db
    .prepare<[], { name: string }>('SELECT name FROM setting ORDER BY name')
    .all()
    .map((row) => row.name)

it('the database of the reference services has a write-ahead log, syncs every commit and checks foreign keys', () => {
  expect([
    db.pragma('journal_mode', { simple: true }),
    db.pragma('synchronous', { simple: true }),
    db.pragma('foreign_keys', { simple: true }),
  ]).toEqual(['wal', 2, 1])
})

it('the reference services refuse a data folder written by a newer version', () => {
  db.pragma('user_version = 99')
  db.close()
  expect(() => openDatabase(folder)).toThrow(/newer version/)
})

it('the committer rolls back a failed job and keeps the other jobs of its group', async () => {
  const commit = createCommitter(db)
  const outcomes = await Promise.allSettled([
    commit(put('a')),
    commit(() => {
      put('b')()
      throw new Error('no')
    }),
    commit(put('c')),
  ])
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(names()).toEqual(['a', 'c'])
})

it('the committer rejects every job of a group whose commit fails', async () => {
  const commit = createCommitter(db)
  // A deferred foreign key fails only at COMMIT.
  db.exec('CREATE TABLE child (parent TEXT REFERENCES sponsor (code) DEFERRABLE INITIALLY DEFERRED)')
  const outcomes = await Promise.allSettled([
    commit(put('a')),
    commit(() => {
      db.exec("INSERT INTO child VALUES ('nobody')")
    }),
  ])
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected'])
  expect(names()).toEqual([])
  await commit(put('b'))
  expect(names()).toEqual(['b'])
})

it('the database rejects changes to ledger rows, and the ledger check detects a wrong balance', async () => {
  const ledger = createLedger(db)
  const operation = {
    kind: 'OPENING',
    at: 0,
    collectorNumber: '80000000011',
    sponsorCode: 'NRTH',
    reference: null,
    idempotencyKey: null,
  } as const
  ledger.post(operation, { cash: 100, dream: 50 }, 'opening')
  expect(await ledger.check()).toMatchObject({ ok: true, operations: 1 })
  expect(() => db.exec('UPDATE posting SET miles = 7')).toThrow(/append-only/)
  expect(() => db.exec('DELETE FROM operation')).toThrow(/append-only/)
  db.exec("UPDATE account SET balance = balance + 1 WHERE name = 'cash'")
  expect((await ledger.check()).problems).toEqual([
    expect.stringMatching(/has a balance of 101 but its postings add up to 100/),
  ])
  db.exec(
    `INSERT INTO operation (id, kind, at, collector_number, sponsor_code)
      VALUES (9, 'REDEEM', 0, '80000000011', 'NRTH')`,
  )
  db.exec('INSERT INTO posting (operation_id, account_id, miles) VALUES (9, 1, -95)')
  expect((await ledger.check()).problems).toContain('operation 9 is out of balance by -95')
})
