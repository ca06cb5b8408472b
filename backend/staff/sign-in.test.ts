import { createPlainTransact } from '../core/db/transact.ts'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../core/db/database.ts'
import type { Clock } from '../core/clock.ts'
import { ProblemError } from '../core/problem.ts'
import { openTestDatabase, temporaryFolder, testClock } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { createAuditTrail } from '../core/audit.ts'
import { MAX_APPROVER_MISSES, MAX_ATTEMPTS } from './pin-limits.ts'
import { createPins, PRODUCTION_COST, type PinCost } from './pins.ts'
import { createStaffService, type StaffService } from './sign-in.ts'
import { staffModuleOf } from './staff-module.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { trainingProfile } from '../../packages/lab/testing/loyalty-harness.ts'

const MINUTE = 60_000

const people = [
  { id: 'alex', name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA', trainingPin: '1234' },
  { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA', trainingPin: '9999' },
] as const

const KEY = Buffer.alloc(32, 7)
const CHEAP = { N: 16, r: 1, p: 1 }

function open(
  db: Database,
  clock: Clock,
  {
    mode = 'production',
    cost = CHEAP,
    uptimeMs,
  }: { mode?: Profile['mode']; cost?: PinCost; uptimeMs?: () => number } = {},
): { staff: StaffService; audit: ReturnType<typeof createAuditTrail> } {
  const audit = createAuditTrail({ db, clock, seal: createSeal(KEY) })
  const profile = { ...trainingProfile(), mode }
  return { audit, staff: createStaffService(staffModuleOf({ db, clock, audit, profile }, KEY, cost, uptimeMs)) }
}

async function seed(db: Database, staff: StaffService): Promise<void> {
  await staff.sync({ mode: 'production', staff: [...people] })
  for (const { id, trainingPin } of people)
    db.prepare('UPDATE staff SET pin_hash = ? WHERE id = ?').run(
      await createPins({ key: KEY, cost: CHEAP }).hash(trainingPin),
      id,
    )
}

async function tried(staff: StaffService, pin: string, id = 'alex'): Promise<string> {
  try {
    return (await staff.checkPin(id, pin)).name
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return [error.code, ...(error.details ?? []).map((detail) => detail.message)].join(' ')
  }
}

async function failFiveTimes(staff: StaffService): Promise<string[]> {
  const outcomes: string[] = []
  for (let count = 0; count < MAX_ATTEMPTS; count += 1) outcomes.push(await tried(staff, '0000'))
  return outcomes
}

describe('signing in with a PIN', () => {
  test('accepts the right PIN and no other, and does not reveal which people exist', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    expect(await tried(staff, '9999')).toBe('pin-wrong')
    expect(await tried(staff, '1234', 'nobody')).toBe('pin-wrong')
  })

  test('forgets four wrong PINs after a right one', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < MAX_ATTEMPTS - 1; count += 1) expect(await tried(staff, '0000')).toBe('pin-wrong')
      expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    }
  })

  test('locks the person for five minutes after the fifth wrong PIN, also for the right PIN', async () => {
    const clock = testClock('2026-11-20T15:00:00Z')
    const db = await openTestDatabase()
    const { staff, audit } = open(db, clock)
    await seed(db, staff)
    expect(await failFiveTimes(staff)).toEqual([
      'pin-wrong',
      'pin-wrong',
      'pin-wrong',
      'pin-wrong',
      'pin-locked 2026-11-20T15:05:00.000Z',
    ])
    expect(await tried(staff, '1234')).toBe('pin-locked 2026-11-20T15:05:00.000Z')
    expect(await tried(staff, '9999', 'sam')).toBe('Sam Okafor')
    expect(audit.latest(20)).toMatchObject([
      { kind: 'pin-refused', detail: { reason: 'pin-locked', door: 'sign-in' } },
      { kind: 'pin-refused' },
      { kind: 'pin-locked', subject: 'alex', detail: { until: '2026-11-20T15:05:00.000Z' } },
      ...Array.from({ length: MAX_ATTEMPTS }, () => ({
        kind: 'pin-wrong',
        actorId: null,
        subject: 'alex',
        detail: { door: 'sign-in' },
      })),
      { kind: 'staff-added' },
      { kind: 'staff-added' },
    ])
    clock.advance(5 * MINUTE)
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
  })

  test('doubles each further lock up to an hour, and starts with five minutes again after a right PIN', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff } = open(db, clock)
    await seed(db, staff)
    const minutes: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const until = Date.parse((await failFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '')
      minutes.push((until - clock.now()) / MINUTE)
      clock.advance(until - clock.now())
    }
    expect(minutes).toEqual([5, 10, 20, 40, 60, 60])
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    expect(Date.parse((await failFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '') - clock.now()).toBe(5 * MINUTE)
  })

  test('allows five new attempts after a manager lifts the lock', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff } = open(db, clock)
    await seed(db, staff)
    await failFiveTimes(staff)
    await staff.liftLock('alex', 'sam')
    const until = Date.parse((await failFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '')
    expect((until - clock.now()) / MINUTE).toBe(10)
    await staff.liftLock('alex', 'sam')
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
  })

  test('keeps the count of wrong PINs and the locks after a restart', async () => {
    const folder = temporaryFolder()
    const clock = testClock()
    const before = await openTestDatabase(folder)
    const first = open(before, clock).staff
    await seed(before, first)
    for (let count = 0; count < MAX_ATTEMPTS - 1; count += 1) await tried(first, '0000')
    before.close()

    const between = openDatabase(join(folder, 'terminal.db'))
    expect(await tried(open(between, clock).staff, '0000')).toMatch(/^pin-locked/)
    between.close()

    const after = openDatabase(join(folder, 'terminal.db'))
    const last = open(after, clock).staff
    await last.sync({ mode: 'production', staff: [...people] })
    expect(await tried(last, '1234')).toMatch(/^pin-locked/)
    after.close()
  })

  test('locks at the next attempt if the power was cut between the fifth wrong PIN and its lock', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    db.prepare("INSERT INTO pin_door (door, staff_id, failed) VALUES ('sign-in', 'alex', 5)").run()
    expect(await tried(staff, '1234')).toMatch(/^pin-locked/)
  })

  test('locks after five of twenty simultaneous attempts, even if a later attempt has the right PIN', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, guess) => tried(staff, guess === 12 ? '1234' : '0000')),
    )
    expect(outcomes.filter((outcome) => outcome === 'pin-wrong')).toHaveLength(4)
    expect(outcomes.filter((outcome) => outcome.startsWith('pin-locked'))).toHaveLength(16)
  })
})

test('simultaneous PIN attempts have the same results as the same attempts in sequence', async () => {
  const db = await openTestDatabase()
  const { staff } = open(db, testClock())
  await seed(db, staff)
  const outcomes = await Promise.all(['0000', '0000', '0000', '0000', '1234', '0000'].map((pin) => tried(staff, pin)))
  expect(outcomes).toEqual(['pin-wrong', 'pin-wrong', 'pin-wrong', 'pin-wrong', 'Alex Tremblay', 'pin-wrong'])
})

describe('an approver’s PIN for another person’s command', () => {
  const approval = async (staff: StaffService, pin: string, { id = 'sam', askedBy = 'alex' } = {}): Promise<string> =>
    staff.checkApproval(id, pin, askedBy).then(
      ({ name }) => name,
      (error: unknown) =>
        error instanceof ProblemError
          ? [error.code, ...(error.details ?? []).map(({ message }) => message)].join(' ')
          : String(error),
    )

  test('locks the asking person’s approvals, not the approver’s, for five minutes after five wrong PINs', async () => {
    const clock = testClock('2026-11-20T15:00:00Z')
    const db = await openTestDatabase()
    const { staff, audit } = open(db, clock)
    await seed(db, staff)
    for (let count = 0; count < MAX_ATTEMPTS - 1; count += 1) expect(await approval(staff, '0000')).toBe('pin-wrong')
    expect(await approval(staff, '0000')).toBe('approval-locked 2026-11-20T15:05:00.000Z')
    expect(await approval(staff, '9999'), 'the right one is refused too').toMatch(/^approval-locked/)
    expect(await tried(staff, '9999', 'sam'), 'its owner can sign in').toBe('Sam Okafor')
    expect(await approval(staff, '9999'), 'a success at sign-in does not unlock approvals').toMatch(/^approval-locked/)
    expect(staff.locks()).toMatchObject([
      { id: 'sam', lockedUntil: null, approvalsLockedUntil: null },
      { id: 'alex', approvalsLockedUntil: '2026-11-20T15:05:00.000Z' },
    ])
    expect(
      audit
        .latest(9)
        .map(({ kind, actorId, subject, detail }) => [
          kind,
          actorId,
          subject,
          detail['door'] ?? null,
          detail['reason'] ?? null,
        ])
        .reverse(),
    ).toEqual([
      ...Array.from({ length: 4 }, () => ['pin-wrong', 'alex', 'sam', 'approval', null]),
      ['pin-wrong', 'alex', 'sam', 'approval', null],
      ['approvals-locked', null, 'alex', null, null],
      ...Array.from({ length: 3 }, () => ['pin-refused', 'alex', 'sam', 'approval', 'approval-locked']),
    ])
    clock.advance(5 * MINUTE)
    expect(await approval(staff, '9999')).toBe('Sam Okafor')
  })

  test('has separate counts of wrong entries at sign-in and at approvals', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    for (let count = 0; count < MAX_ATTEMPTS - 1; count += 1) {
      await tried(staff, '0000', 'sam')
      expect(await approval(staff, '9999')).toBe('Sam Okafor')
    }
    expect(await tried(staff, '0000', 'sam')).toMatch(/^pin-locked/)
    expect(await approval(staff, '9999'), 'a lock at sign-in does not lock approvals').toBe('Sam Okafor')
  })

  test('is refused after twenty wrong entries in one approver’s name until a manager lifts the lock', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff, audit } = open(db, clock)
    await seed(db, staff)
    for (let count = 1; count < MAX_APPROVER_MISSES; count += 1) {
      expect(await approval(staff, '0000')).toBe('pin-wrong')
      expect(await approval(staff, '9999')).toBe('Sam Okafor')
    }
    expect(await approval(staff, '0000')).toBe('pin-wrong')
    expect(await approval(staff, '9999')).toBe('approver-locked')
    clock.advance(24 * 60 * MINUTE)
    expect(await approval(staff, '9999'), 'no time unlocks').toBe('approver-locked')
    expect(await tried(staff, '9999', 'sam')).toBe('Sam Okafor')
    expect(staff.locks()).toMatchObject([
      { id: 'sam', mayNotApprove: true },
      { id: 'alex', mayNotApprove: false },
    ])
    await staff.liftLock('sam', 'sam')
    expect(audit.latest(1)).toMatchObject([
      { kind: 'pin-lock-lifted', actorId: 'sam', subject: 'sam', detail: { door: 'approval-approver' } },
    ])
    expect(await approval(staff, '9999')).toBe('Sam Okafor')
  })

  test('is refused if the installer has set the PIN and its owner has not changed it yet', async () => {
    const { staff } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    await staff.setPin('sam', '39071')
    expect(await approval(staff, '39071')).toBe('pin-change-required')
  })
})

describe('the duration of a lock after wrong PINs', () => {
  test('is not shortened when the wall clock is set while the program runs', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff } = open(db, clock)
    await seed(db, staff)
    await failFiveTimes(staff)
    for (const turn of [60 * MINUTE, -600 * MINUTE, 90_000 * MINUTE]) {
      clock.set(turn)
      expect(await tried(staff, '1234')).toMatch(/^pin-locked/)
    }
    clock.advance(5 * MINUTE)
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
  })

  test('is not shortened by a restart of the program or the machine', async () => {
    const db = await openTestDatabase()
    const at = (uptimeMs: number): StaffService =>
      open(db, testClock('2031-01-01T00:00:00Z'), { uptimeMs: () => uptimeMs }).staff
    await seed(db, at(100_000))
    await failFiveTimes(at(100_000))
    expect(await tried(at(100_000 + 4 * MINUTE), '1234')).toMatch(/^pin-locked/)
    expect(
      await tried(at(2 * MINUTE - 90_000), '1234'),
      'the machine was restarted: its uptime is half a minute',
    ).toMatch(/^pin-locked/)
    expect(await tried(at(100_000 + 5 * MINUTE), '1234')).toBe('Alex Tremblay')
  })
})

describe('the people of the profile', () => {
  test('are recorded in the audit trail when they are added, promoted, removed or added again', async () => {
    const clock = testClock()
    const { staff, audit } = open(await openTestDatabase(), clock)
    await staff.sync({ mode: 'production', staff: [...people] })
    await staff.sync({ mode: 'production', staff: [{ ...people[0], role: 'supervisor' }] })
    expect(staff.list()).toEqual([{ id: 'alex', name: 'Alex Tremblay', role: 'supervisor', locale: 'en-CA' }])
    await staff.sync({ mode: 'production', staff: [{ ...people[0], role: 'manager' }] })
    expect(staff.list()).toEqual([{ id: 'alex', name: 'Alex Tremblay', role: 'manager', locale: 'en-CA' }])
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(staff.list().map((person) => person.id)).toEqual(['sam', 'alex'])
    expect(
      audit
        .latest(10)
        .map((entry) => `${entry.kind} ${entry.subject}`)
        .reverse(),
    ).toEqual([
      'staff-added alex',
      'staff-added sam',
      'staff-changed alex',
      'staff-removed sam',
      'staff-changed alex',
      'staff-changed alex',
      'staff-changed sam',
    ])
  })

  test('keep their name after they leave, for receipts that are printed again', async () => {
    const { staff } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    const { name } = staff.list().find((person) => person.id === 'sam') ?? {}
    await staff.sync({ mode: 'production', staff: people.filter(({ id }) => id !== 'sam') })
    expect(staff.list().map(({ id }) => id)).not.toContain('sam')
    expect([staff.nameOf('sam'), staff.nameOf('nobody')]).toEqual([name, 'nobody'])
  })

  test('get their language from the profile only when they are added', async () => {
    const { staff } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    staff.setLocale('alex', 'fr-CA')
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(staff.list().find((person) => person.id === 'alex')?.locale).toBe('fr-CA')
  })

  test('get the PINs of a training profile, and a new PIN when the profile changes it', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock(), { mode: 'training' })
    const hash = (): unknown => db.prepare("SELECT pin_hash FROM staff WHERE id = 'alex'").pluck().get()
    await staff.sync({ mode: 'training', staff: [...people] })
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    const first = hash()
    await staff.sync({ mode: 'training', staff: [...people] })
    expect(hash()).toBe(first)
    await staff.sync({ mode: 'training', staff: [{ ...people[0], trainingPin: '4321' }] })
    expect(await tried(staff, '4321')).toBe('Alex Tremblay')
  })

  test('have no PIN on a production lane at first, and must change the first one at their first sign-in', async () => {
    const { staff, audit } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(await tried(staff, '1234')).toBe('pin-not-set')
    // Without a PIN there is nothing to guess, so attempts before it is set lock no one out.
    expect(await failFiveTimes(staff)).toEqual(Array(MAX_ATTEMPTS).fill('pin-not-set'))
    await staff.setPin('alex', '39071')
    expect(await tried(staff, '39071')).toBe('pin-change-required')
    await expect(staff.checkPin('alex', '39071', '39071')).rejects.toThrow('pin-not-new')
    for (const common of ['1234', '0000', '2512', '1998'])
      await expect(staff.checkPin('alex', '39071', common)).rejects.toThrow('pin-common')
    expect((await staff.checkPin('alex', '39071', '5861')).id).toBe('alex')
    expect(await tried(staff, '5861')).toBe('Alex Tremblay')
    expect(await tried(staff, '39071')).toBe('pin-wrong')
    expect((await failFiveTimes(staff)).at(-1)).toMatch(/^pin-locked/)
    await staff.setPin('alex', '48362', 'sam')
    expect(staff.locks()).toMatchObject([
      { id: 'sam', pin: 'none' },
      { id: 'alex', pin: 'temporary', lockedUntil: null },
    ])
    expect(audit.latest(1)).toMatchObject([{ kind: 'pin-set', actorId: 'sam', subject: 'alex' }])
    expect(await tried(staff, '48362')).toBe('pin-change-required')
    expect(JSON.stringify(audit.latest(100))).not.toMatch(/39071|48362|5861/)
    await expect(staff.setPin('alex', '1234')).rejects.toThrow('pin-common')
    await expect(staff.setPin('alex', '12')).rejects.toThrow(RangeError)
    await expect(staff.setPin('nobody', '4794')).rejects.toThrow('not-found')
  })
})

describe('the database of the staff', () => {
  test('contains a PIN only as a salted scrypt hash under a key that it does not contain', async () => {
    const pins = createPins({ key: KEY })
    const [one, two] = [await pins.hash('1234'), await pins.hash('1234')]
    expect(one).toMatch(/^keyed\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect(await pins.verify('1234', one)).toBe(true)
    expect(await pins.verify('1235', one)).toBe(false)
    expect(
      await createPins({ key: Buffer.alloc(32, 8) }).verify('1234', one),
      'the database is useless without the key',
    ).toBe(false)
    const cheap = createPins({ key: KEY, cost: CHEAP })
    expect(await cheap.verify('1234', null)).toBe(false)
    expect(await cheap.verify('1234', 'keyed$oops')).toBe(false)
  })

  test('replaces a PIN hash of lower cost at the next right PIN, and not at a wrong one', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    const storedPin = (): string =>
      db.prepare<[], string>("SELECT pin_hash FROM staff WHERE id = 'alex'").pluck().get() ?? ''
    const cheap = storedPin()
    expect(cheap).toMatch(/^keyed\$16\$1\$1\$/)
    const dearer = open(db, testClock(), { cost: PRODUCTION_COST }).staff
    expect(await tried(dearer, '1235')).toBe('pin-wrong')
    expect(storedPin()).toBe(cheap)
    expect(await tried(dearer, '1234')).toBe('Alex Tremblay')
    expect(storedPin()).toMatch(/^keyed\$65536\$/)
    expect(await tried(dearer, '1234')).toBe('Alex Tremblay')
  })

  test('accepts only new rows in the audit trail, no changed or deleted ones', async () => {
    const db = await openTestDatabase()
    const { audit } = open(db, testClock())
    createPlainTransact(db)((tx) => {
      audit.record(tx, { kind: 'sign-in', actorId: null, subject: 'alex' })
    })
    for (const sql of [
      "UPDATE audit_entry SET kind = 'nothing'",
      'DELETE FROM audit_entry',
      "REPLACE INTO audit_entry (id, at, kind) VALUES (1, 0, 'nothing')",
    ]) {
      expect(() => db.exec(sql), sql).toThrow(/append-only/)
    }
    expect(audit.latest(10)).toMatchObject([{ kind: 'sign-in', subject: 'alex' }])
  })
})
