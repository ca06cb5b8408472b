import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { StaffId } from '../../contracts/core/ids.ts'
import { LATEST_TIME } from '../../contracts/store/bounds.ts'
import { SettingChange } from '../../contracts/store/changes.ts'
import type { ForeignFact } from '../../contracts/store/protocol.ts'
import { migrate, readMigrations } from '../core/db/migrate.ts'
import { openDatabase, type Database } from '../core/db/database.ts'
import { createTransact } from '../core/db/transact.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { createReadFact } from './read-fact.ts'
import { createFactsRepository } from './facts.sql.ts'
import { createStoreSeal } from './store-seal.ts'
import { laneTimeOf } from '../core/lane-time.ts'
import { changesOf } from './changes.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../packages/lab/testing/load/store.ts'
import { systemClock } from '../core/clock.ts'

const STREAM = '0'.repeat(31)
const STORE_SEAL = createStoreSeal(Buffer.alloc(32, 3))
const migrations = readMigrations()
const settingOf = (word: string): SettingChange => ({
  rows: [{ value: JSON.stringify(word), fromAt: 1, at: 1, by: { id: StaffId.parse('sam'), name: 'Sam' } }],
})

async function openLane(number: number) {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => void db.close())
  await migrate(db, migrations)
  const lane = `0${number}`
  const seal = createSeal(Buffer.alloc(32, number))
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
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')").run()
  let now = 1_000
  let passed = 0
  const clock = { ...systemClock, now: () => now, monotonic: () => passed }
  const ctx = testContext({ db, seal, transact, clock, lane: { ...trainingStore().lane, id: lane } })
  const changes = changesOf(ctx)
  const held = new Map<string, unknown>()
  const overruled: string[] = []
  changes.follow('setting', SettingChange, (_, { subject, value, detail }) => {
    held.set(subject, value)
    if (detail.overruled) overruled.push(subject)
  })
  const facts = createFactsRepository(db)
  const readFact = createReadFact(
    db,
    seal,
    () => STORE_SEAL,
    () => null,
  )
  return {
    lane,
    held,
    overruled,
    changes,
    at: (time: number): void => {
      now = time
    },
    pass: (ms: number): void => {
      passed += ms
      now += ms
    },
    receiveStoreTime: laneTimeOf(ctx).onStoreTime,
    change(subject: string, word: string): void {
      const value = settingOf(word)
      held.set(subject, value)
      transact((tx) => {
        changes.recordLocal(tx, { kind: 'setting', subject, value, byId: 'sam' })
      })
    },
    changePin(secret: object): void {
      transact((tx) => {
        changes.recordLocal(tx, {
          kind: 'person-pin',
          subject: 'sam',
          value: { temporary: false },
          byId: 'sam',
          secret,
        })
      })
    },
    factCount: (): number => facts.next({ epoch: 1, confirmed: 0 }, 10_000).length,
    factsAfter: (after = 0): ForeignFact[] =>
      facts
        .next({ epoch: 1, confirmed: after }, 1_000)
        .map((row) => ({ ...readFact(row), stream: `${STREAM}${number}`, lane })),
    take: (fact: ForeignFact): void => {
      transact((tx) => {
        changes.take(tx, fact, STORE_SEAL)
      })
    },
    registers: (prefix: string) => registersOf(db, prefix),
    setClocks: (clock: number): void => {
      db.prepare('UPDATE store_register SET clock = ?').run(clock)
    },
  }
}
const registersOf = (db: Database, prefix: string): unknown[] =>
  db
    .prepare(
      `SELECT kind, subject, clock, lane, at, by_id, value FROM store_register WHERE subject GLOB ?
        ORDER BY kind, subject`,
    )
    .all(`${prefix}*`)

const Act = fc.record({
  lane: fc.nat(2),
  subject: fc.constantFrom('receipt.footer', 'taxes'),
  word: fc.string({ maxLength: 3 }),
  receives: fc.boolean(),
  passes: fc.nat(3),
})

test('lanes that get all changes twice and in any order end with the same values, for any clock offsets', async () => {
  const lanes = [await openLane(1), await openLane(2), await openLane(3)]
  let time = 1_000
  let run = 0
  fc.assert(
    fc.property(
      fc.array(Act, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(), { minLength: 64, maxLength: 64 }),
      fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50)),
      (acts, order, offsets) => {
        run += 1
        const before = lanes.map((lane) => lane.factCount())
        const sentFacts = (index: number): ForeignFact[] => lanes[index]?.factsAfter(before[index]) ?? []
        const others = (index: number): ForeignFact[] =>
          [0, 1, 2].flatMap((one) => (one === index ? [] : sentFacts(one)))
        for (const { lane: index, subject, word, receives, passes } of acts) {
          const lane = lanes[index]
          time += passes
          lane?.at(time + (offsets[index] ?? 0))
          if (receives) others(index).forEach((fact) => lane?.take(fact))
          lane?.change(`${run} ${subject}`, word)
        }
        for (const [index, lane] of lanes.entries()) {
          // Each fact arrives twice, and in another order at each lane.
          const arriving = [...others(index), ...others(index)]
          const placed = arriving.map((fact, at) => ({ fact, place: order[(at + 7 * index) % 64] ?? 0 }))
          for (const { fact } of placed.toSorted((one, other) => one.place - other.place)) lane.take(fact)
        }
        const [first, ...rest] = lanes.map((lane) => ({
          registers: lane.registers(`${run} `),
          held: Object.fromEntries(lane.held),
        }))
        for (const other of rest) expect(other).toEqual(first)
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)

test('a replaced local change is reported once, and only if the other lane had not received it', async () => {
  const [one, two] = [await openLane(1), await openLane(2)]
  two.at(1_010)
  one.change('taxes', 'here')
  two.change('taxes', 'there')
  two.factsAfter().forEach(one.take)
  two.factsAfter().forEach(one.take)
  expect(one.overruled).toEqual(['taxes'])
  expect(one.changes.changedAt('setting', 'taxes')).toEqual({ lane: '02', elsewhere: true, byId: 'sam', overId: 'sam' })
  one.change('taxes', 'again')
  one.factsAfter().forEach(two.take)
  expect(two.held.get('taxes')).toEqual(settingOf('again'))
  expect(two.overruled).toEqual([])
})

test('a change with a clock above the limit is rejected; one just below it does not block later changes', async () => {
  const [one, two] = [await openLane(1), await openLane(2)]
  two.change('taxes', 'odd')
  const odd = (clock: number) => two.factsAfter().map((fact) => ({ ...fact, body: { ...fact.body, clock } }))
  for (const clock of [Number.MAX_SAFE_INTEGER, LATEST_TIME + 1])
    expect(() => odd(clock).forEach(one.take)).toThrow('clock')
  odd(LATEST_TIME - 1).forEach(one.take)
  one.change('receipt.footer', 'here')
  one.change('taxes', 'here')
  const facts = one.factsAfter()
  expect(facts.map(({ body }) => body['clock'])).toEqual([1_000, LATEST_TIME])
  facts.forEach(two.take)
  expect(two.held).toEqual(one.held)
})

test('a later change replaces a stored one with a clock above the limit, which an older release accepted', async () => {
  const [one, two] = [await openLane(1), await openLane(2)]
  for (const lane of [one, two]) {
    lane.change('taxes', 'odd')
    lane.setClocks(Number.MAX_SAFE_INTEGER)
  }
  const before = one.factCount()
  one.change('taxes', 'here')
  one.change('receipt.footer', 'here')
  one.factsAfter(before).forEach(two.take)
  expect(two.held).toEqual(one.held)
})

test('a secret sealed with a change opens at other lanes of the store, and its fact does not reveal it', async () => {
  const [one, two] = [await openLane(1), await openLane(2)]
  const secrets: unknown[] = []
  two.changes.follow('person-pin', z.object({ temporary: z.boolean() }), (_, { secret }) => void secrets.push(secret))
  const secret = { verifier: 'keyed$1024$8$1$salt$hash', key: Buffer.alloc(32, 9).toString('base64') }
  one.changePin(secret)
  expect(JSON.stringify(one.factsAfter())).not.toContain(secret.verifier)
  one.factsAfter().forEach(two.take)
  expect(secrets).toEqual([secret])
})

test('of two changes at disconnected lanes the later one wins, although one clock is two hours fast', async () => {
  const HOUR = 3_600_000
  const [fast, right] = [await openLane(1), await openLane(2)]
  fast.at(12 * HOUR)
  right.at(10 * HOUR)
  for (const lane of [fast, right]) lane.receiveStoreTime(10 * HOUR)
  // The lanes are disconnected from here on. The fast lane changes first and its clock is then corrected, which must
  // not affect the order.
  fast.at(15 * HOUR)
  fast.change('limits.pinDigits', 'first')
  for (const lane of [fast, right]) lane.pass(60_000)
  right.change('limits.pinDigits', 'second')
  const [byFast, byRight] = [fast.factsAfter(), right.factsAfter()]
  for (const fact of byFast) right.take(fact)
  for (const fact of byRight) fast.take(fact)
  for (const lane of [fast, right]) expect(lane.held.get('limits.pinDigits')).toEqual(settingOf('second'))
})
