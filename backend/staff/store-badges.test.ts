import { expect, test } from 'vitest'
import { BadgeChange } from '../../contracts/store/changes.ts'
import type { ForeignFact } from '../../contracts/store/protocol.ts'
import { systemClock } from '../core/clock.ts'
import { createPlainTransact } from '../core/db/transact.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { changesOf } from '../store/changes.ts'
import { createReadFact } from '../store/read-fact.ts'
import { createFactsRepository } from '../store/facts.sql.ts'
import { createStoreSeal } from '../store/store-seal.ts'
import { openTestDatabase } from '../../packages/lab/testing/loyalty-harness.ts'
import { createAuditTrail } from '../core/audit.ts'
import { createStaffService } from './sign-in.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../packages/lab/testing/load/store.ts'
import { staffModuleOf } from './staff-module.ts'

const STORE_SEAL = createStoreSeal(Buffer.alloc(32, 9))
const NUMBER = 'STAFF-00A1B2C3'

async function openLane(lane: string) {
  const db = await openTestDatabase(temporaryFolder(), { followed: false })
  for (const id of ['alex', 'jo', 'sam'])
    db.prepare(
      `INSERT OR IGNORE INTO staff (id, name, role, locale, pin_hash) VALUES (?, ?, 'cashier', 'en-CA', 'keyed')`,
    ).run(id, id)
  db.prepare("UPDATE staff SET pin_hash = 'keyed', pin_temporary = 0").run()
  const seal = createSeal(Buffer.alloc(32, Number(lane)))
  const transact = createPlainTransact(db)
  let now = systemClock.now()
  const clock = { ...systemClock, now: () => now }
  const ctx = testContext({ db, seal, clock, lane: { ...trainingStore().lane, id: lane } })
  const changes = changesOf(ctx)
  const audit = createAuditTrail({ db, clock: systemClock, seal })
  const staff = createStaffService({
    ...staffModuleOf({ ...ctx, clock: systemClock, audit }, Buffer.alloc(32, Number(lane))),
    badgesAllowed: () => true,
    store: { changes, seal },
  })
  const { badges } = staff
  changes.follow('person-badge', BadgeChange, staff.takeBadge)
  const facts = createFactsRepository(db)
  const read = createReadFact(
    db,
    seal,
    () => STORE_SEAL,
    () => null,
  )
  return {
    db,
    later: (ms: number): void => void (now += ms),
    give: (id: string, number = NUMBER) => transact((tx) => badges.assign(tx, id, number, 'sam')),
    deactivate: (id: string) => transact((tx) => badges.deactivate(tx, id, 'sam')),
    read(number = NUMBER): string {
      try {
        return badges.signIn(number).id
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    badgeOf: (id: string) => staff.locks().find((lock) => lock.id === id)?.badge,
    sentFacts: (): ForeignFact[] =>
      facts.next({ epoch: 1, confirmed: 0 }, 100).map((row) => ({ ...read(row), stream: lane.repeat(16), lane })),
    take: (facts: readonly ForeignFact[]) =>
      transact((tx) => {
        for (const fact of facts) changes.take(tx, fact, STORE_SEAL)
      }),
  }
}

test('a badge that another lane assigned signs its person in until any lane deactivates it', async () => {
  const [one, two, three] = [await openLane('01'), await openLane('02'), await openLane('03')]
  one.give('jo')
  expect(two.read()).toBe('badge-unknown')
  two.take(one.sentFacts())
  expect(two.badgeOf('jo')).toBe('active')
  expect([two.read(), two.read()], 'by its hash of the store, then by one of its own').toEqual(['jo', 'jo'])
  expect(() => two.give('alex')).toThrow('badge-taken')
  two.deactivate('jo')
  one.take(two.sentFacts())
  // Lane three gets both changes at once, and has never read the badge.
  three.take([...two.sentFacts(), ...one.sentFacts()])
  for (const lane of [one, two, three]) {
    expect(lane.badgeOf('jo')).toBe('inactive')
    expect(lane.read()).toBe('badge-inactive')
  }
  expect(JSON.stringify(three.sentFacts()), 'applied changes are not sent again').toBe('[]')
  expect(JSON.stringify(one.sentFacts().map(({ body }) => body))).not.toContain('00A1B2C3')
})

test("a new badge replaces the person's previous one at every lane", async () => {
  const [one, two] = [await openLane('01'), await openLane('02')]
  one.give('jo')
  two.take(one.sentFacts())
  expect(two.read()).toBe('jo')
  one.later(10)
  one.give('jo', 'STAFF-NEW')
  two.take(one.sentFacts())
  expect(two.read()).toBe('badge-unknown')
  expect(two.read('STAFF-NEW')).toBe('jo')
})

test('a badge that two disconnected lanes assigned belongs at both to the person of the later assignment', async () => {
  const [one, two] = [await openLane('01'), await openLane('02')]
  one.give('jo')
  two.later(10)
  two.give('alex')
  const [ofOne, ofTwo] = [one.sentFacts(), two.sentFacts()]
  one.take(ofTwo)
  two.take(ofOne)
  expect([one.read(), two.read()]).toEqual(['alex', 'alex'])
})

test('a badge that the previous release assigned is its person’s active badge; the older one is unknown', async () => {
  const [one, two] = [await openLane('01'), await openLane('02')]
  one.give('jo')
  two.take(one.sentFacts())
  // Written as the previous release does it, without the columns for badges of the store.
  two.db.prepare("UPDATE staff SET badge_hash = zeroblob(32), badge_active = 1 WHERE id = 'jo'").run()
  expect(two.read()).toBe('badge-unknown')
  expect(two.badgeOf('jo')).toBe('active')
})
