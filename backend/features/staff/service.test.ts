import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../db/open.ts'
import type { Clock } from '../../clock.ts'
import { ProblemError } from '../../http/problem.ts'
import { openTestDatabase, temporaryFolder, testClock } from '../../http/testing.ts'
import { createAuditTrail } from './audit.ts'
import { hashPin, verifyPin } from './pins.ts'
import { createStaffService, MAX_ATTEMPTS, type StaffService } from './service.ts'

const MINUTE = 60_000

const people = [
  { id: 'alex', name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA', trainingPin: '1234' },
  { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA', trainingPin: '9999' },
] as const

function open(db: Database, clock: Clock): { staff: StaffService; audit: ReturnType<typeof createAuditTrail> } {
  const audit = createAuditTrail({ db, clock })
  return { audit, staff: createStaffService({ db, clock, audit }) }
}

/** The two people with PINs that cost next to nothing to check: their hashes say so themselves. */
async function seed(db: Database, staff: StaffService): Promise<void> {
  await staff.sync({ mode: 'production', staff: [...people] })
  for (const { id, trainingPin } of people) db.prepare('UPDATE staff SET pin_hash = ? WHERE id = ?').run(await hashPin(trainingPin, { N: 16, r: 1, p: 1 }), id)
}

/** What became of a try: the name, or the code of the refusal and until when. */
async function tried(staff: StaffService, pin: string, id = 'alex'): Promise<string> {
  try {
    return (await staff.checkPin(id, pin)).name
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return [error.code, ...(error.details ?? []).map((detail) => detail.message)].join(' ')
  }
}

async function missFiveTimes(staff: StaffService): Promise<string[]> {
  const outcomes: string[] = []
  for (let count = 0; count < MAX_ATTEMPTS; count += 1) outcomes.push(await tried(staff, '0000'))
  return outcomes
}

describe('signing in', () => {
  test('the right PIN is the person; any other is not, and an unknown name tells nothing', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    expect(await tried(staff, '9999')).toBe('pin-wrong')
    expect(await tried(staff, '1234', 'nobody')).toBe('pin-wrong')
  })

  test('four misses are forgotten by a hit', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < MAX_ATTEMPTS - 1; count += 1) expect(await tried(staff, '0000')).toBe('pin-wrong')
      expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    }
  })

  test('the fifth miss locks for five minutes, and then even the right PIN waits', async () => {
    const clock = testClock('2026-11-20T15:00:00Z')
    const db = await openTestDatabase()
    const { staff, audit } = open(db, clock)
    await seed(db, staff)
    expect(await missFiveTimes(staff)).toEqual(['pin-wrong', 'pin-wrong', 'pin-wrong', 'pin-wrong', 'pin-locked 2026-11-20T15:05:00.000Z'])
    expect(await tried(staff, '1234')).toBe('pin-locked 2026-11-20T15:05:00.000Z')
    expect(await tried(staff, '9999', 'sam')).toBe('Sam Okafor')
    expect(audit.latest(1)).toMatchObject([{ kind: 'pin-locked', subject: 'alex', detail: { until: '2026-11-20T15:05:00.000Z' } }])
    clock.advance(5 * MINUTE)
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
  })

  test('each lockout is longer than the one before, up to an hour; a hit starts over', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff } = open(db, clock)
    await seed(db, staff)
    const minutes: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const until = Date.parse((await missFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '')
      minutes.push((until - clock.now()) / MINUTE)
      clock.advance(until - clock.now())
    }
    expect(minutes).toEqual([5, 10, 20, 40, 60, 60])
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    expect(Date.parse((await missFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '') - clock.now()).toBe(5 * MINUTE)
  })

  test('a lock that a manager lifts gives five new guesses, and the next lockout is as long as it would have been', async () => {
    const clock = testClock()
    const db = await openTestDatabase()
    const { staff } = open(db, clock)
    await seed(db, staff)
    await missFiveTimes(staff)
    await staff.liftLock('alex', 'sam')
    const until = Date.parse((await missFiveTimes(staff)).at(-1)?.split(' ')[1] ?? '')
    expect((until - clock.now()) / MINUTE).toBe(10)
    await staff.liftLock('alex', 'sam')
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
  })

  test('pulling the plug wins no guess: misses and lockouts are still there after a restart', async () => {
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

  test('a plug pulled between the fifth miss and its lockout locks at the next try', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    db.prepare("UPDATE staff SET failed_attempts = 5 WHERE id = 'alex'").run()
    expect(await tried(staff, '1234')).toMatch(/^pin-locked/)
  })

  test('twenty guesses at once are five guesses', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    await seed(db, staff)
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, guess) => tried(staff, guess === 12 ? '1234' : '0000')))
    expect(outcomes.filter((outcome) => outcome === 'pin-wrong')).toHaveLength(4)
    expect(outcomes.filter((outcome) => outcome.startsWith('pin-locked'))).toHaveLength(16)
  })
})

test('tries at the same time count as if they had been made one after another', async () => {
  const db = await openTestDatabase()
  const { staff } = open(db, testClock())
  await seed(db, staff)
  const outcomes = await Promise.all(['0000', '0000', '0000', '0000', '1234', '0000'].map((pin) => tried(staff, pin)))
  expect(outcomes).toEqual(['pin-wrong', 'pin-wrong', 'pin-wrong', 'pin-wrong', 'Alex Tremblay', 'pin-wrong'])
})

describe('the people of the profile', () => {
  test('a newcomer, a promotion, a departure and a return, each in the audit trail', async () => {
    const clock = testClock()
    const { staff, audit } = open(await openTestDatabase(), clock)
    await staff.sync({ mode: 'production', staff: [...people] })
    await staff.sync({ mode: 'production', staff: [{ ...people[0], role: 'supervisor' }] })
    expect(staff.list()).toEqual([{ id: 'alex', name: 'Alex Tremblay', role: 'supervisor', locale: 'en-CA' }])
    await staff.sync({ mode: 'production', staff: [{ ...people[0], role: 'manager' }] })
    expect(staff.list()).toEqual([{ id: 'alex', name: 'Alex Tremblay', role: 'manager', locale: 'en-CA' }])
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(staff.list().map((person) => person.id)).toEqual(['sam', 'alex'])
    expect(audit.latest(10).map((entry) => `${entry.kind} ${entry.subject}`).reverse()).toEqual([
      'staff-added alex', 'staff-added sam', 'staff-changed alex', 'staff-removed sam', 'staff-changed alex', 'staff-changed alex', 'staff-changed sam',
    ])
  })

  test('who has left is still named, as on a paper that is printed again', async () => {
    const { staff } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    const { name } = staff.list().find((person) => person.id === 'sam') ?? {}
    await staff.sync({ mode: 'production', staff: people.filter(({ id }) => id !== 'sam') })
    expect(staff.list().map(({ id }) => id)).not.toContain('sam')
    expect([staff.nameOf('sam'), staff.nameOf('nobody')]).toEqual([name, 'nobody'])
  })

  test('a person’s language is theirs: the profile gives only the first one', async () => {
    const { staff } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    staff.setLocale('alex', 'fr-CA')
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(staff.list().find((person) => person.id === 'alex')?.locale).toBe('fr-CA')
  })

  test('in training the PINs of the profile are set, and stay set', async () => {
    const db = await openTestDatabase()
    const { staff } = open(db, testClock())
    const hash = (): unknown => db.prepare("SELECT pin_hash FROM staff WHERE id = 'alex'").pluck().get()
    await staff.sync({ mode: 'training', staff: [...people] })
    expect(await tried(staff, '1234')).toBe('Alex Tremblay')
    const first = hash()
    await staff.sync({ mode: 'training', staff: [...people] })
    expect(hash()).toBe(first)
    await staff.sync({ mode: 'training', staff: [{ ...people[0], trainingPin: '4321' }] })
    expect(await tried(staff, '4321')).toBe('Alex Tremblay')
  })

  test('on a real lane nobody has a PIN until one is set; setting it lifts a lockout', async () => {
    const { staff, audit } = open(await openTestDatabase(), testClock())
    await staff.sync({ mode: 'production', staff: [...people] })
    expect(await tried(staff, '1234')).toBe('pin-not-set')
    // There is nothing to guess, so nobody is locked out of a PIN that is about to be set.
    expect(await missFiveTimes(staff)).toEqual(Array(MAX_ATTEMPTS).fill('pin-not-set'))
    await staff.setPin('alex', '13579')
    expect(await tried(staff, '13579')).toBe('Alex Tremblay')
    expect((await missFiveTimes(staff)).at(-1)).toMatch(/^pin-locked/)
    await staff.setPin('alex', '24680', 'sam')
    expect(await tried(staff, '24680')).toBe('Alex Tremblay')
    expect(audit.latest(1)).toMatchObject([{ kind: 'pin-set', actorId: 'sam', subject: 'alex' }])
    expect(JSON.stringify(audit.latest(100))).not.toContain('24680')
    await expect(staff.setPin('alex', '12')).rejects.toThrow(RangeError)
    await expect(staff.setPin('nobody', '1234')).rejects.toThrow('not-found')
  })
})

describe('what is kept', () => {
  test('a PIN is kept as a salted scrypt hash that carries its cost', async () => {
    const [one, two] = [await hashPin('1234'), await hashPin('1234')]
    expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect(await verifyPin('1234', one)).toBe(true)
    expect(await verifyPin('1235', one)).toBe(false)
    expect(await verifyPin('1234', null)).toBe(false)
    expect(await verifyPin('1234', 'scrypt$oops')).toBe(false)
  })

  test('the audit trail can be added to, and nothing else', async () => {
    const db = await openTestDatabase()
    const { audit } = open(db, testClock())
    audit.record({ kind: 'sign-in', actorId: null, subject: 'alex' })
    for (const sql of ["UPDATE audit_entry SET kind = 'nothing'", 'DELETE FROM audit_entry', "REPLACE INTO audit_entry (id, at, kind) VALUES (1, 0, 'nothing')"]) {
      expect(() => db.exec(sql), sql).toThrow(/append-only/)
    }
    expect(audit.latest(10)).toMatchObject([{ kind: 'sign-in', subject: 'alex' }])
  })
})
