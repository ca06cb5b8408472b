import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StaffId } from '../../contracts/core/ids.ts'
import { SettingChange, CouponChange } from '../../contracts/store/changes.ts'
import type { ForeignFact } from '../../contracts/store/protocol.ts'
import { migrate, readMigrations } from '../core/db/migrate.ts'
import { openDatabase, type Database } from '../core/db/database.ts'
import { createTransact } from '../core/db/transact.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { changesOf } from './changes.ts'
import { createForeignGroups } from './foreign-facts.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'

const STREAM = 'a'.repeat(32)

async function openTestLane() {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => void db.close())
  await migrate(db, readMigrations())
  return db
}

function startProgram(db: Database, kinds: readonly ('setting' | 'coupon')[], version = '1.0.0') {
  const taken: string[] = []
  const { transact } = createTransact({
    db,
    onStop: (error) => {
      throw error
    },
    refusal: (reason) => new Error(reason),
    onMissed: (error) => {
      throw error
    },
  })
  const ctx = testContext({ db, transact, seal: createSeal(Buffer.alloc(32, 1)) })
  const changes = changesOf(ctx)
  const note = (_: unknown, { subject }: { readonly subject: string }): void => void taken.push(subject)
  if (kinds.includes('setting')) changes.follow('setting', SettingChange, note)
  if (kinds.includes('coupon')) changes.follow('coupon', CouponChange, note)
  const groups = createForeignGroups(ctx, version, () => null)
  groups.followChanges()
  return { taken, groups }
}

const fact = (seq: number, kind: string, subject: string, value: object): ForeignFact => ({
  stream: STREAM,
  lane: '02',
  seq,
  kind,
  subject: String(seq),
  at: seq,
  body: {
    subject,
    clock: seq,
    at: seq,
    by: { id: StaffId.parse('sam'), name: 'Sam' },
    seen: { '02': seq },
    value: { ...value },
  },
  sealed: null,
})
const FACTS = [fact(1, 'coupon', 'SPRING', { coupon: null }), fact(2, 'setting', 'taxes', { rows: [] })]
const pull = ({ groups }: ReturnType<typeof startProgram>, facts = FACTS): void => {
  for (const group of groups.pulled()) {
    const from = group.vector()[STREAM] ?? 0
    const news = facts.filter(({ seq, kind }) => seq > from && group.kinds().includes(kind))
    group.take(news, { [STREAM]: facts.length })
  }
}

test('a program that knows a new kind of fact reads those that arrived while an older program ran', async () => {
  const db = await openTestLane()
  const older = startProgram(db, ['setting'])
  pull(older)
  expect(older.taken).toEqual(['taxes'])
  const newer = startProgram(db, ['setting', 'coupon'])
  expect(newer.groups.vector()).toEqual({})
  pull(newer)
  // The changed setting arrived again, and was recognised as applied.
  expect(newer.taken).toEqual(['SPRING'])
  const again = startProgram(db, ['setting', 'coupon'])
  expect(again.groups.vector()).toEqual({ [STREAM]: 2 })
})

test('a change that cannot be read is skipped and reported, and later ones are applied', async () => {
  const program = startProgram(await openTestLane(), ['setting', 'coupon'])
  pull(program, [fact(1, 'setting', 'limits.pinDigits', { rows: 'none' }), fact(2, 'setting', 'taxes', { rows: [] })])
  expect(program.taken).toEqual(['taxes'])
  expect(program.groups.skipped()).toBe(1)
  expect(program.groups.vector()).toEqual({ [STREAM]: 2 })
})

test('a newer program version reads a change that the previous one skipped, and resets the skip count', async () => {
  const db = await openTestLane()
  const program = startProgram(db, ['setting'])
  pull(program, [fact(1, 'setting', 'taxes', { rows: 'later' })])
  expect([program.taken, program.groups.skipped()]).toEqual([[], 1])
  expect(startProgram(db, ['setting']).groups.vector(), 'the same one does not try it again').toEqual({ [STREAM]: 1 })
  const next = startProgram(db, ['setting'], '1.1.0')
  expect([next.groups.vector(), next.groups.skipped()]).toEqual([{}, 0])
  pull(next, [fact(1, 'setting', 'taxes', { rows: [] })])
  expect([next.taken, next.groups.skipped()]).toEqual([['taxes'], 0])
})

test('a cursor that the server cannot have given is deleted, and its stream is read again from the start', async () => {
  const db = await openTestLane()
  db.exec(`INSERT INTO store_cursor (stream, seq) VALUES ('not a stream', 3), ('${STREAM}', 9007199254740991)`)
  db.exec(`INSERT INTO store_change_cursor (stream, seq) VALUES ('${STREAM}', 9007199254740991);
    INSERT INTO store_change_kinds (id, kinds) VALUES (1, '["setting","program 1.0.0"]')`)
  const program = startProgram(db, ['setting'])
  expect(db.prepare('SELECT * FROM store_cursor').all()).toEqual([])
  expect(program.groups.vector()).toEqual({})
  pull(program)
  expect(program.taken).toEqual(['taxes'])
  expect(program.groups.vector()).toEqual({ [STREAM]: 2 })
})
