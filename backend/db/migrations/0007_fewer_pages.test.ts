import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createQueueRepository } from '../../features/queue/repository.ts'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

/** A database of the schema before, with a redemption that is being reversed and an issuance that is over; then migrated. */
async function migrated(upTo = 7): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 6))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S1', 1, 1, 'open', '01', 'alex', 0);
    INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('R1', 'redemption', 'redeem', 'S1', x'0a', 'reversing', 1, 2), ('I1', 'issuance', 'issue', 'S1', x'0b', 'confirmed', 3, 3);
    INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256, sends, first_sent_at) VALUES
      ('R1', 'redeem', '/r', 'K1', 't1', 'd1', x'01', x'a1', 2, 10), ('R1', 'reverse', '/v', 'K2', 't2', 'd2', x'02', x'a2', 1, 16), ('I1', 'issue', '/i', 'K3', 't3', 'd3', x'03', x'a3', 1, 14);
    INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash) VALUES
      (1, 'R1', 10, NULL, 'intent', '{}', x'00', x'01'), (2, 'R1', 11, 'intent', 'retry', '{"sending":"redeem"}', x'01', x'02'), (3, 'I1', 13, NULL, 'queued', '{}', x'02', x'03'),
      (4, 'I1', 14, 'queued', 'sent', '{"sending":"issue"}', x'03', x'04'), (5, 'R1', 15, 'approved', 'reversing', '{}', x'04', x'05'), (6, 'R1', 16, 'reversing', 'reversing', '{"sending":"reverse"}', x'05', x'06'),
      (7, 'I1', 17, 'sent', 'confirmed', '{}', x'06', x'07');
  `)
  await migrate(db, readMigrations().slice(0, upTo))
  return db
}

test('what is open, how often its newest call was sent, and where its history begins come over', async () => {
  const db = await migrated()
  expect(
    db.prepare('SELECT id, open, sends, first_sent_at, newest_entry FROM operation ORDER BY id').raw().all(),
  ).toEqual([
    ['I1', 0, 1, 14, 7],
    ['R1', 1, 1, 16, 6],
  ])
  expect(db.prepare('SELECT seq, previous_of_operation FROM journal_entry ORDER BY seq').raw().all()).toEqual([
    [1, null],
    [2, 1],
    [3, null],
    [4, 3],
    [5, 2],
    [6, 5],
    [7, 4],
  ])
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('a manager still reads the sends of every call, counted from the journal, and its steps in order', async () => {
  const queue = createQueueRepository(await migrated(readMigrations().length))
  expect(queue.calls('R1').map(({ purpose, sends, firstSentAt }) => [purpose, sends, firstSentAt])).toEqual([
    ['redeem', 2, 10],
    ['reverse', 1, 16],
  ])
  expect(queue.calls('I1').map(({ purpose, sends, firstSentAt }) => [purpose, sends, firstSentAt])).toEqual([
    ['issue', 1, 14],
  ])
  expect(queue.history('R1').map(({ to }) => to)).toEqual(['intent', 'retry', 'reversing', 'reversing'])
})

describe('what the database refuses', () => {
  test.each([
    [
      'a final operation that calls itself open',
      "UPDATE operation SET open = 1 WHERE id = 'I1'",
      'what the state says',
    ],
    [
      'an arrow that forgets to say that it ends',
      "UPDATE operation SET state = 'reversed' WHERE id = 'R1'",
      'what the state says',
    ],
    [
      'an operation that is born and does not say that it is open',
      "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('I2', 'issuance', 'issue', 'S1', x'0b', 'queued', 3, 3)",
      'what the state says',
    ],
    ['any change of a call', 'UPDATE operation_call SET trace_id = trace_id', 'never changes'],
    ['any change of an entry', 'UPDATE journal_entry SET previous_of_operation = NULL WHERE seq = 7', 'append-only'],
  ])('%s', async (_what, sql, words) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(words)
  })
})
