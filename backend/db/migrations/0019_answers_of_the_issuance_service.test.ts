import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

/** A database of the schema before, with answers as they were counted then; then migrated. */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'answers_of_the_issuance_service')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, served_by, opened_at, closed_at) VALUES ('S1', 1, 1, 'completed', '01', 'sam', 'sam', 0, 1);`)
  const operation = db.prepare(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, open, created_at, changed_at, miles, newest_entry) VALUES (?, 'issuance', ?, 'S1', x'0b', ?, 0, 1, 2, ?, ?)",
  )
  const entry = db.prepare(
    "INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash) VALUES (?, ?, 2, 'sent', ?, ?, x'00', x'01')",
  )
  const kept = (...issuances: object[]): string => JSON.stringify({ kept: { issuances } })
  const rows = [
    ['DONE', 'issue', 'confirmed', 24, kept({ milesAmount: 24, status: 'CONFIRMED' })],
    [
      'MIXED',
      'issue',
      'confirmed',
      26,
      kept({ milesAmount: 20, status: 'CONFIRMED' }, { milesAmount: 6, status: 'PENDING' }),
    ],
    [
      'PARTLY',
      'post',
      'rejected',
      10,
      kept(
        { milesAmount: 4, status: 'CONFIRMED' },
        { milesAmount: 6, status: 'PENDING' },
        { milesAmount: 30, status: 'REJECTED' },
      ),
    ],
    ['WAITS', 'issue', 'accepted', 24, kept({ milesAmount: 24, status: 'PENDING' })],
    ['UNSAID', 'issue', 'accepted', null, '{}'],
    ['BACK', 'return', 'confirmed', 7, kept({ milesAmount: 7, status: 'CONFIRMED' })],
    ['MINUS', 'return', 'accepted', -7, '{}'],
    ['DEAD', 'issue', 'dead', 12, '{}'],
  ] as const
  rows.forEach(([id, intention, state, count, detail], index) => {
    operation.run(id, intention, state, count, index + 1)
    entry.run(index + 1, id, state, detail)
  })
  await migrate(db, readMigrations())
  return db
}

test('miles that wait or were rejected are no longer counted as earned, and what takes miles back is negative', async () => {
  const db = await migrated()
  expect(
    db
      .prepare('SELECT id, miles, pending_miles, rejected_miles, refusals FROM operation ORDER BY newest_entry')
      .raw()
      .all(),
  ).toEqual([
    ['DONE', 24, 0, 0, 0],
    ['MIXED', 20, 6, 0, 0],
    ['PARTLY', 4, 6, 30, 0],
    ['WAITS', 0, 24, null, 0],
    ['UNSAID', null, null, null, 0],
    ['BACK', -7, 0, 0, 0],
    ['MINUS', 0, -7, null, 0],
    ['DEAD', 12, null, null, 0],
  ])
  expect(db.pragma('foreign_key_check')).toEqual([])
})

test('an operation belongs to a sale or to a return, and to nothing else', async () => {
  const db = await migrated()
  db.exec(`INSERT INTO sale_return (id, sequence, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents)
    VALUES ('RETURN', 2, '01', 'sam', 'sam', 'no receipt', 3, 100, '[]', 100)`)
  const insert = db.prepare(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, open, created_at, changed_at) VALUES (?, 'issuance', 'record', ?, x'0b', 'queued', 1, 1, 2)",
  )
  insert.run('OF-SALE', 'S1')
  insert.run('OF-RETURN', 'RETURN')
  expect(() => insert.run('OF-NOTHING', 'NOBODY')).toThrow('FOREIGN KEY')
  const plan = db
    .prepare<[], { detail: string }>(
      "EXPLAIN QUERY PLAN SELECT id FROM operation WHERE sale_id = 'S1' AND kind = 'issuance'",
    )
    .get()
  expect(plan?.detail).toContain('operation_by_sale')
  expect([db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')]).toEqual(['ok', []])
})

describe('what the database refuses', () => {
  const notice = (ended: string): string =>
    `INSERT INTO issuance_notice (code, subject, first_at, last_at, times, newest_operation_id, ended_at, ended_by, note) VALUES ('230', 'N101', 1, 1, 1, 'DONE', ${ended})`
  test.each([
    ['two standing notices of one thing', `${notice('NULL, NULL, NULL')}; ${notice('NULL, NULL, NULL')}`, 'UNIQUE'],
    ['a notice that somebody settled and that still stands', notice("NULL, 'sam', 'mended'"), 'CHECK'],
    ['a settlement that says nothing', notice("2, 'sam', NULL"), 'CHECK'],
    [
      'another request in the place of a draft',
      "INSERT INTO operation_draft VALUES ('DONE', '/r', 't', 'd', x'01', x'02'); UPDATE operation_draft SET request_sealed = x'03'",
      'never changes',
    ],
    [
      'a draft that is taken away',
      "INSERT INTO operation_draft VALUES ('DONE', '/r', 't', 'd', x'01', x'02'); DELETE FROM operation_draft",
      'never deleted',
    ],
  ])('%s', async (_what, sql, words) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(words)
  })
  test('nothing of a notice that came back after its end', async () => {
    const db = await migrated()
    db.exec(`${notice("2, 'sam', 'mended'")}; ${notice('3, NULL, NULL')}; ${notice('NULL, NULL, NULL')}`)
    expect(db.prepare('SELECT count(*) FROM issuance_notice').pluck().get()).toBe(3)
  })
})
