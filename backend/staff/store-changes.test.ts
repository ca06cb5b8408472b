import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Locale } from '../../contracts/core/locales.ts'
import { PersonChange, PersonLocaleChange } from '../../contracts/store/changes.ts'
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
import { createPeople } from './people.ts'
import { staffModuleOf } from './staff-module.ts'
import { createStaffRepository } from './staff.sql.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../packages/lab/testing/load/store.ts'

const Entries = z.array(z.object({ detail: z.string() }))
const JO = { id: 'jo', name: 'Jo', role: 'cashier', locale: 'en-CA' } as const
const SAM = { id: 'sam', name: 'Sam', role: 'manager', locale: 'en-CA' } as const

async function openLane(lane: string) {
  const db = await openTestDatabase(temporaryFolder(), { followed: false })
  const seal = createSeal(Buffer.alloc(32, Number(lane)))
  const transact = createPlainTransact(db)
  const ctx = testContext({ db, seal, lane: { ...trainingStore().lane, id: lane } })
  const changes = changesOf(ctx)
  const rows = createStaffRepository(db)
  const audit = createAuditTrail({ db, clock: systemClock, seal })
  const pinKey = Buffer.alloc(32, 7)
  const people = createPeople({ ...staffModuleOf({ ...ctx, audit }, pinKey), store: { changes, seal } })
  changes.follow('person', PersonChange, people.take)
  changes.follow('person-locale', PersonLocaleChange, people.takeLocale)
  const facts = createFactsRepository(db)
  const read = createReadFact(
    db,
    seal,
    () => createStoreSeal(Buffer.alloc(32, 9)),
    () => null,
  )
  return {
    people,
    profile: (...staff: Parameters<typeof people.takeOverProfile>[1]) =>
      transact((tx) => people.takeOverProfile(tx, staff)),
    change: (changed: Omit<Parameters<typeof people.change>[2], 'seen'>) =>
      transact((tx) => people.change(tx, 'jo', changed, 'sam')),
    language: (locale: Locale) =>
      transact((tx) => {
        rows.setLocale(tx, 'jo', locale)
        people.sendLocale(tx, 'jo', locale)
      }),
    sentFacts: (): ForeignFact[] =>
      facts.next({ epoch: 1, confirmed: 0 }, 100).map((row) => ({ ...read(row), stream: lane.repeat(16), lane })),
    take: (facts: readonly ForeignFact[]) =>
      transact((tx) => {
        for (const fact of facts) changes.take(tx, fact, null)
      }),
    jo: () => rows.record('jo'),
    entries: () =>
      Entries.parse(db.prepare("SELECT detail FROM audit_entry WHERE subject = 'jo' ORDER BY id").all()).map(
        ({ detail }): unknown => JSON.parse(detail),
      ),
  }
}

test('a lane that joins the store gets the people of its profile with later changes of other lanes', async () => {
  const [one, two] = [await openLane('01'), await openLane('02')]
  one.profile(SAM, JO)
  expect(one.sentFacts(), 'people of the profile are not changes by a person').toEqual([])
  one.change({ ...JO, active: false })
  two.profile(SAM, JO)
  two.take(one.sentFacts())
  expect(two.jo()).toMatchObject({ active: false })
  expect(two.entries().at(-1)).toMatchObject({ lane: '01', active: false, activeBefore: true })
  expect(two.sentFacts()).toEqual([])
})

test('a changed profile entry of a person replaces older changes, but not newer ones', async () => {
  const [one, two] = [await openLane('01'), await openLane('02')]
  one.profile(SAM, JO)
  two.profile(SAM, JO)
  one.change({ ...JO, role: 'manager', active: true })
  two.take(one.sentFacts())
  const next = { ...JO, name: 'Jo Roy', role: 'supervisor' } as const
  one.profile(SAM, next)
  expect(one.jo()).toMatchObject({ name: 'Jo Roy', role: 'supervisor' })
  one.change({ ...next, role: 'cashier', active: true })
  two.take(one.sentFacts())
  two.profile(SAM, next)
  expect(two.jo()).toMatchObject({ name: 'Jo Roy', role: 'cashier' })
  expect(two.sentFacts()).toEqual([])
  two.profile(SAM)
  one.take(two.sentFacts())
  expect(one.jo()).toMatchObject({ active: false })
})

test('a language chosen at a lane that does not know of a dismissal applies; the person stays dismissed', async () => {
  const lanes = [await openLane('01'), await openLane('02'), await openLane('03')] as const
  const [one, two, three] = lanes
  one.profile(SAM, JO)
  one.change({ ...JO, role: 'manager', active: true })
  two.take(one.sentFacts())
  one.change({ ...JO, active: false })
  two.language('fr-CA')
  one.take(two.sentFacts())
  two.take(one.sentFacts())
  three.take(two.sentFacts())
  three.take(one.sentFacts())
  for (const lane of lanes) expect(lane.jo()).toMatchObject({ active: false, role: 'cashier', locale: 'fr-CA' })
})

test('the later of a person’s choice of language and a manager’s change is in effect at every lane', async () => {
  const [one, two, three] = [await openLane('01'), await openLane('02'), await openLane('03')]
  for (const lane of [one, two, three]) lane.profile(SAM, JO)
  two.language('fr-CA')
  one.take(two.sentFacts())
  one.change({ ...JO, role: 'supervisor', locale: 'en-CA', active: true })
  three.take(one.sentFacts())
  three.take(two.sentFacts())
  two.take(one.sentFacts())
  for (const lane of [one, two, three]) expect(lane.jo()).toMatchObject({ role: 'supervisor', locale: 'en-CA' })
})
