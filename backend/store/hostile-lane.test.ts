import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Role } from '../../contracts/staff/session.ts'
import type { WaitingChange } from '../../contracts/staff/settings.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import { cents } from '../../contracts/core/money.ts'
import type { ChangeKind, PersonChange, SettingChange } from '../../contracts/store/changes.ts'
import { systemClock } from '../core/clock.ts'
import { createTransact } from '../core/db/transact.ts'
import { deliverFacts, openTwo } from '../catalog/shared/lanes.fixture.ts'
import { createEffectiveProfile, effectiveProfileOf } from '../staff/settings/effective-profile.ts'
import { settingsOf } from '../staff/settings/settings.ts'
import { createAuditTrail } from '../core/audit.ts'
import { followStaff } from '../staff/store-changes.ts'
import { createPins, TRAINING_COST } from '../staff/pins.ts'
import { createStaffService, staffOf } from '../staff/sign-in.ts'
import { waitingChangesOf } from '../staff/waiting-changes.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { itemOf } from '../../packages/lab/testing/catalog-lane.ts'
import { openTestDatabase, trainingProfile } from '../../packages/lab/testing/loyalty-harness.ts'
import { createStoreSeal } from './store-seal.ts'
import { changesOf } from './changes.ts'
import { type Sessions, sessionsOf } from '../core/http/sessions.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { staffModuleOf } from '../staff/staff-module.ts'

const STORE_SEAL = createStoreSeal(Buffer.alloc(32, 9))
const STOLEN_LANE = '02'
const SAM = { id: 'sam', name: 'Sam', role: 'manager', locale: 'en-CA' } as const
const ANN = { id: 'ann', name: 'Ann', role: 'manager', locale: 'en-CA' } as const
const JO = { id: 'jo', name: 'Jo', role: 'cashier', locale: 'en-CA' } as const
const SAMS_PIN = '730164'
const JOS_PIN = '481920'
const Detail = z.record(z.string(), z.json())
type Profiled = typeof SAM | typeof ANN | typeof JO | (Omit<typeof JO, 'role'> & { readonly role: Role })

const person = (change: Partial<PersonChange> = {}): PersonChange => ({
  name: 'Jo',
  role: 'cashier',
  locale: 'en-CA',
  active: true,
  profileEntry: null,
  ...change,
})
const setting = (value: unknown): SettingChange => ({
  rows: [{ value: JSON.stringify(value), fromAt: 1, at: 1, by: { id: StaffId.parse('sam'), name: 'Sam' } }],
})
async function pinSecret(pin: string): Promise<object> {
  const key = Buffer.alloc(32, 5)
  return { verifier: await createPins({ key, cost: TRAINING_COST }).hash(pin), key: key.toString('base64') }
}

async function openLane(staff: readonly Profiled[] = [SAM, ANN, JO]) {
  const db = await openTestDatabase(temporaryFolder(), { followed: false })
  const seal = createSeal(Buffer.alloc(32, 1))
  const audit = createAuditTrail({ db, clock: systemClock, seal })
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
  const profiled = trainingProfile()
  const ctx = testContext({
    db,
    seal,
    audit,
    transact,
    profile: profiled,
    staffName: (id) => staffOf(ctx).nameOf(id),
  })
  const changes = changesOf(ctx)
  const selling = { ...ctx, profile: { ...profiled, mode: 'production' as const } }
  const service = createStaffService({
    ...staffModuleOf(selling, Buffer.alloc(32, 1), TRAINING_COST),
    store: { changes, seal },
  })
  const dismissed: string[] = []
  staffOf.provide(ctx, service)
  sessionsOf.provide(ctx, { dismiss: (id: string) => void dismissed.push(id) } as unknown as Sessions)
  followStaff(ctx)
  effectiveProfileOf.provide(ctx, createEffectiveProfile(ctx, profiled))
  const settings = settingsOf(ctx)
  const waiting = waitingChangesOf(ctx)
  const profile = (people: readonly Profiled[]): void => {
    transact((tx) => {
      service.roster.takeOverProfile(tx, people)
    })
  }
  profile(staff)
  for (const { id } of staff) await service.setPin(id, id === 'jo' ? JOS_PIN : SAMS_PIN)
  db.prepare('UPDATE staff SET pin_temporary = 0').run()
  let seq = 0
  const only = (): WaitingChange => {
    const [change, ...others] = waiting.list().changes
    if (!change || others.length > 0) throw new Error(`${others.length} other changes wait`)
    return change
  }
  return {
    profile,
    roster: service.roster,
    dismissed,
    setting: (name: 'approvals.discountAbovePercent' | 'limits.pinDigits') =>
      settings.list().find((one) => one.name === name)?.value,
    forge(kind: ChangeKind, subject: string, value: object, { secret, clock, by = 'sam' }: Forged = {}): void {
      seq += 1
      const about = `${kind} ${seq}`
      const sealed = secret === undefined ? null : STORE_SEAL.seal(JSON.stringify(secret), about)
      const at = systemClock.now()
      const body = { subject, clock: clock ?? at + seq, at, by: { id: by, name: by }, seen: {}, value: asJson(value) }
      const fact = { seq, kind, subject: String(seq), at, body, sealed, stream: '2'.repeat(32), lane: STOLEN_LANE }
      transact((tx) => {
        changes.take(tx, fact, STORE_SEAL)
      })
    },
    waiting: () => waiting.list().changes,
    only,
    confirm: (key = only()) => waiting.confirm(key, 'sam'),
    refuse: (key = only()) => waiting.refuse(key, 'sam'),
    owner: (key = only()) => waiting.confirmForOwner(key, 'R. Okafor', 'asked Sam by phone'),
    role: (id: string): Role | null => service.list().find((one) => one.id === id)?.role ?? null,
    signIn: (id: string, pin: string): Promise<string> =>
      service.checkPin(id, pin).then(
        () => 'in',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    change: (id: string, change: Omit<Parameters<typeof service.roster.change>[2], 'seen'>) => {
      transact((tx) => {
        service.roster.change(tx, id, change, 'sam')
      })
    },
    reinstate: service.reinstate,
    setPin: (id: string, pin: string) => service.setPin(id, pin, 'sam'),
    lastPushed: (kind: ChangeKind, id: string): unknown => {
      const text = db
        .prepare<[string, string], string>(
          'SELECT value FROM store_change WHERE kind = ? AND subject = ? ORDER BY id DESC',
        )
        .pluck()
        .get(kind, id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    trail: (kind: string) =>
      db
        .prepare<[string], { actor: string | null; subject: string | null; detail: string }>(
          'SELECT actor_id AS actor, subject, detail FROM audit_entry WHERE kind = ? ORDER BY id',
        )
        .all(kind)
        .map(({ detail, ...entry }) => ({ ...entry, ...Detail.parse(JSON.parse(detail)) })),
  }
}
interface Forged {
  readonly secret?: object
  readonly clock?: number
  readonly by?: string
}
const asJson = (value: object) => z.json().parse(JSON.parse(JSON.stringify(value)))

describe('an attacker with the stolen private key of a lane', () => {
  test('cannot replace the PIN of a manager at another lane until a manager there confirms it', async () => {
    const lane = await openLane()
    lane.forge('person-pin', 'sam', { temporary: false }, { secret: await pinSecret('999111') })
    expect(await lane.signIn('sam', '999111')).toBe('pin-wrong')
    expect(await lane.signIn('sam', SAMS_PIN)).toBe('in')
    expect(lane.only()).toMatchObject({ kind: 'person-pin', lane: STOLEN_LANE, what: { of: 'pin', name: 'Sam' } })
    expect(lane.trail('change-waiting')).toEqual([
      { actor: 'sam', subject: 'sam', change: 'person-pin', lane: STOLEN_LANE },
    ])
    lane.confirm()
    expect(lane.waiting()).toEqual([])
    expect(await lane.signIn('sam', '999111')).toBe('in')
    expect(lane.trail('change-confirmed')).toMatchObject([{ actor: 'sam', subject: 'sam', lane: STOLEN_LANE }])
    expect(lane.trail('pin-changed').at(-1)).toMatchObject({ lane: STOLEN_LANE, confirmedBy: 'sam' })
  })

  test('cannot make a cashier a manager at another lane, in one step or in several', async () => {
    const lane = await openLane()
    lane.forge('person', 'jo', person({ role: 'manager' }))
    expect(lane.role('jo')).toBe('cashier')
    lane.forge('person', 'jo', person({ role: 'supervisor' }))
    lane.forge('person', 'jo', person({ role: 'manager', active: false }))
    expect(lane.role('jo'), 'a dismissal applies at once').toBeNull()
    expect(lane.dismissed).toEqual(['jo'])
    expect(lane.waiting(), 'it takes the place of the raise').toEqual([])
    lane.forge('person', 'jo', person({ role: 'manager' }))
    expect(lane.role('jo')).toBeNull()
    expect(lane.only()).toMatchObject({ what: { of: 'person', name: 'Jo', role: 'manager', before: null } })
    expect(
      lane.roster.all().find(({ id }) => id === 'jo'),
      'a return would make a cashier',
    ).toMatchObject({
      role: 'cashier',
    })
  })

  test('cannot add a manager: a new person, a dismissed one, or one promoted after being added', async () => {
    const lane = await openLane()
    lane.forge('person', 'eve', person({ name: 'Eve', role: 'manager' }))
    expect(lane.role('eve')).toBeNull()
    lane.forge('person', 'max', person({ name: 'Max' }))
    expect(lane.role('max'), 'a cashier may be added').toBe('cashier')
    lane.forge('person', 'max', person({ name: 'Max', role: 'manager' }))
    expect(lane.role('max')).toBe('cashier')
    lane.change('ann', { name: 'Ann', role: 'manager', locale: 'en-CA', active: false })
    lane.forge('person', 'ann', person({ name: 'Ann', role: 'manager' }))
    expect(lane.role('ann')).toBeNull()
    expect(lane.waiting().map(({ subject }) => subject)).toEqual(['eve', 'max', 'ann'])
  })

  test('cannot set the PIN of a person whose promotion still waits', async () => {
    const lane = await openLane()
    lane.forge('person', 'jo', person({ role: 'manager' }))
    lane.forge('person-pin', 'jo', { temporary: false }, { secret: await pinSecret('999111') })
    const [raise] = lane.waiting()
    lane.confirm(raise)
    expect(lane.role('jo')).toBe('manager')
    expect(await lane.signIn('jo', '999111')).toBe('pin-wrong')
    expect(await lane.signIn('jo', JOS_PIN)).toBe('in')
  })

  test('can replace a cashier’s PIN, but the audit trail and a later promotion name the attacking lane', async () => {
    const lane = await openLane()
    lane.forge('person-pin', 'jo', { temporary: false }, { secret: await pinSecret('999111'), by: 'jo' })
    expect(await lane.signIn('jo', '999111')).toBe('in')
    expect(lane.trail('pin-changed')).toMatchObject([{ actor: 'jo', subject: 'jo', lane: STOLEN_LANE }])
    lane.forge('person', 'jo', person({ role: 'supervisor' }))
    expect(lane.only()).toMatchObject({ what: { pinFrom: STOLEN_LANE } })
  })

  test('cannot change what a manager is about to confirm: a later change needs its own confirmation', async () => {
    const lane = await openLane()
    lane.forge('person', 'jo', person({ role: 'supervisor' }))
    const shown = lane.only()
    lane.forge('person', 'jo', person({ role: 'manager' }))
    expect(() => lane.confirm(shown)).toThrow('changed-meanwhile')
    expect(() => lane.refuse(shown)).toThrow('changed-meanwhile')
    expect(lane.role('jo')).toBe('cashier')
    // A change with the same stamp counts as the same change, even with other contents.
    const again = lane.only()
    lane.forge('person', 'jo', person({ name: 'Eve', role: 'manager' }), { clock: again.clock })
    expect(lane.only()).toEqual(again)
  })

  test('gains no permissions by setting a language or by forged facts about a profile', async () => {
    const lane = await openLane()
    lane.forge('person-locale', 'jo', { locale: 'fr-CA', role: 'manager', active: true })
    expect(lane.role('jo')).toBe('cashier')
    // The forged facts state that the lane knew the next profile, which dismisses Ann and demotes Sam, and that it
    // changed both people afterwards.
    lane.forge('person', 'ann', person({ name: 'Ann', role: 'manager', profileEntry: null }))
    const lowered = { ...SAM, role: 'supervisor' } as const
    const entry = JSON.stringify({ name: lowered.name, role: lowered.role, locale: lowered.locale })
    lane.forge('person', 'sam', person({ name: 'Sam', role: 'manager', profileEntry: entry }))
    expect(lane.waiting(), 'neither gives more than they have').toEqual([])
    lane.profile([{ ...JO }, { ...SAM, ...lowered } as unknown as Profiled])
    expect([lane.role('ann'), lane.role('sam')]).toEqual([null, 'supervisor'])
    expect(lane.waiting().map(({ subject }) => subject)).toEqual(['ann', 'sam'])
  })

  test('can dismiss every manager, and still gains no permissions by that', async () => {
    const lane = await openLane()
    for (const { id, name } of [SAM, ANN]) lane.forge('person', id, person({ name, role: 'manager', active: false }))
    expect([lane.role('sam'), lane.role('ann')]).toEqual([null, null])
    lane.forge('person', 'eve', person({ name: 'Eve', role: 'manager' }))
    expect(lane.role('eve')).toBeNull()
    lane.owner()
    expect(lane.role('eve'), 'the owner at the server confirms where no manager is left').toBe('manager')
    lane.reinstate(SAM)
    expect(lane.role('sam'), '`provision set-pin` brings back who the profile names').toBe('manager')
    expect(lane.trail('change-confirmed')).toMatchObject([
      { actor: null, subject: 'eve', owner: 'R. Okafor', why: 'asked Sam by phone' },
    ])
  })

  test('can lower a limit for approvals at another lane, but raise one only when a manager confirms it', async () => {
    const lane = await openLane()
    const before = lane.setting('approvals.discountAbovePercent')
    lane.forge('setting', 'approvals.discountAbovePercent', setting(100))
    lane.forge('setting', 'limits.pinDigits', setting(4))
    expect(lane.setting('approvals.discountAbovePercent')).toBe(before)
    expect(lane.waiting()).toMatchObject([{ what: { of: 'setting', before, after: [100] } }])
    lane.forge('setting', 'approvals.discountAbovePercent', setting(1))
    expect(lane.setting('approvals.discountAbovePercent')).toBe(1)
    expect(lane.waiting()).toEqual([])
  })
})

test('a lane with a stolen key can set a price of one cent, but other lanes’ audit trails name that lane', async () => {
  const [thief, other] = await openTwo()
  thief.items.save({ how: 'change', item: itemOf('A', { priceCents: cents(1) }) }, 'sam')
  await deliverFacts(thief, other)
  expect(other.catalog.findBySku('A')?.priceCents).toBe(1)
  expect(other.trail('catalog-item-changed')).toMatchObject([{ subject: 'A', detail: { lane: thief.lane } }])
})

describe('a manager who is asked to confirm a change', () => {
  test('can refuse the change, and this lane then sends its own value to the other lanes', async () => {
    const lane = await openLane()
    lane.forge('person', 'jo', person({ role: 'manager' }))
    lane.refuse()
    expect(lane.waiting()).toEqual([])
    expect(lane.lastPushed('person', 'jo')).toMatchObject({ role: 'cashier', active: true })
    lane.forge('person', 'eve', person({ name: 'Eve', role: 'manager' }))
    lane.refuse()
    expect(lane.lastPushed('person', 'eve')).toMatchObject({ name: 'Eve', role: 'cashier', active: false })
    expect(lane.trail('change-refused')).toMatchObject([
      { actor: 'sam', subject: 'jo', lane: STOLEN_LANE },
      { actor: 'sam', subject: 'eve', lane: STOLEN_LANE },
    ])
  })

  test('can replace the waiting change by a change of the same subject', async () => {
    const lane = await openLane()
    lane.forge('person', 'jo', person({ role: 'manager' }))
    lane.change('jo', { name: 'Jo Roy', role: 'cashier', locale: 'en-CA', active: true })
    lane.forge('person-pin', 'ann', { temporary: false }, { secret: await pinSecret('999111') })
    await lane.setPin('ann', '650284')
    expect(lane.waiting()).toEqual([])
  })
})

test('a promotion in the lane’s own profile needs no manager, even if another lane sent it before', async () => {
  const lane = await openLane()
  const raised = { ...JO, role: 'supervisor' } as const
  const entry = JSON.stringify({ name: raised.name, role: raised.role, locale: raised.locale })
  lane.forge('person', 'jo', person({ role: 'supervisor', profileEntry: entry }))
  expect(lane.role('jo')).toBe('cashier')
  lane.profile([SAM, ANN, raised])
  expect(lane.role('jo')).toBe('supervisor')
  expect(lane.waiting()).toEqual([])
})
