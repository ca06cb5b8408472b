import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../core/clock.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const LANES = ['01', '02', '03', '04', '05', '06', '07', '08', '09'] as const
const store = useStore(...LANES)
const APPLES = '1001'
const LATER = { timeout: 60_000, interval: 50 }

type Skip = Parameters<typeof store.place>[0]
const openLane = (skip: Skip, laneId: string, more: Parameters<typeof openTerminalHarness>[1] = {}) =>
  openTerminalHarness(central, { staffId: 'sam', ...more, store: store.place(skip, laneId), laneId })
const connected = (...lanes: readonly TerminalHarness[]) =>
  Promise.all(
    lanes.map((lane) =>
      vi.waitFor(
        async () =>
          expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0, aside: 0 }),
        LATER,
      ),
    ),
  )

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it is not there')
  return value
}
const Settings = z.object({
  settings: z.array(z.looseObject({ name: z.string(), newest: z.int(), elsewhere: z.json().optional() })),
})
const People = z.object({
  people: z.array(z.looseObject({ id: z.string(), name: z.string(), role: z.string(), locale: z.string() })),
})
const Lists = z.object({
  departments: z.array(z.looseObject({ id: z.string(), items: z.array(z.looseObject({ sku: z.string() })) })),
})
const Waiting = z.object({
  changes: z.array(z.looseObject({ kind: z.string(), subject: z.string(), clock: z.int(), lane: z.string() })),
})
const Added = z.object({ id: z.string() })
const OneTime = z.object({ pin: z.string() })

const setting = async (lane: TerminalHarness, name: string) =>
  found(Settings.parse((await lane.call('GET', '/api/settings')).body).settings.find((one) => one.name === name))
async function set(lane: TerminalHarness, name: string, value: unknown): Promise<void> {
  const { newest } = await setting(lane, name)
  const answer = await lane.call('PUT', `/api/settings/${name}`, {
    seen: newest,
    to: { kind: 'value', value },
    from: null,
  })
  expect(answer.status).toBe(200)
}
const person = async (lane: TerminalHarness, id: string) =>
  found(People.parse((await lane.call('GET', '/api/people')).body).people.find((one) => one.id === id))
const signIn = async (lane: TerminalHarness, staffId: string, pin: string, newPin?: string) => {
  const window = await lane.openWindow()
  return await window.call('POST', '/api/sign-in', { staffId, pin, ...(newPin === undefined ? {} : { newPin }) })
}

async function confirm(lane: TerminalHarness, kind: string, subject: string, from: string) {
  const { clock } = await vi.waitFor(async () => {
    const { changes } = Waiting.parse((await lane.call('GET', '/api/waiting-changes')).body)
    return found(changes.find((one) => one.kind === kind && one.subject === subject && one.lane === from))
  }, LATER)
  const answer = await lane.call('POST', '/api/waiting-changes/confirm', { kind, subject, clock, lane: from })
  expect(answer.status).toBe(200)
}

test('lanes follow a manager’s changes at another lane: a setting, coupons, quick keys, people and PINs', async ({
  skip,
}) => {
  const [one, two, three] = [await openLane(skip, '01'), await openLane(skip, '02'), await openLane(skip, '03')]
  await connected(one, two, three)

  await set(one, 'limits.pinDigits', 6)
  for (const lane of [two, three])
    await vi.waitFor(
      async () =>
        expect(await setting(lane, 'limits.pinDigits')).toMatchObject({
          value: 6,
          elsewhere: { lane: '01', by: 'Sam Okafor', inPlaceOf: null },
        }),
      LATER,
    )
  expect((await setting(one, 'limits.pinDigits')).elsewhere).toBeUndefined()

  const coupon = { code: 'SPRING', name: { 'en-CA': 'Spring', 'fr-CA': 'Printemps' }, percent: 10 }
  expect((await two.call('POST', '/api/catalog/coupons', { how: 'add', coupon })).status).toBe(200)
  const { departments } = Lists.parse((await three.call('GET', '/api/catalog/quick-key-lists')).body)
  const arranged = found(departments.find(({ items }) => items.length > 1))
  const skus = arranged.items.map(({ sku }) => sku).toReversed()
  const keys = await three.call('POST', '/api/catalog/quick-key-lists', { departmentId: arranged.id, skus })
  expect(keys.status).toBe(200)
  await vi.waitFor(async () => {
    expect((await one.call('GET', '/api/catalog/coupons')).body).toMatchObject({ coupons: [{ coupon, from: 'lane' }] })
    const lists = Lists.parse((await one.call('GET', '/api/catalog/quick-key-lists')).body)
    const there = found(lists.departments.find(({ id }) => id === arranged.id))
    expect(there.items.map(({ sku }) => sku)).toEqual(skus)
  }, LATER)
  expect((await two.call('POST', '/api/catalog/coupons/remove', { code: 'spring' })).status).toBe(200)
  await vi.waitFor(
    async () => expect((await three.call('GET', '/api/catalog/coupons')).body).toEqual({ coupons: [] }),
    LATER,
  )

  const added = await two.call('POST', '/api/people', { name: 'Jo Roy', role: 'supervisor', locale: 'fr-CA' })
  const { id } = Added.parse(added.body)
  expect(id).toBe('jo-roy-02')
  for (const lane of [one, three]) {
    await confirm(lane, 'person', id, '02')
    expect(await person(lane, id)).toMatchObject({ name: 'Jo Roy', role: 'supervisor', pin: 'none', active: true })
  }
  const { pin } = OneTime.parse((await two.call('POST', `/api/people/${id}/reset-pin`)).body)
  await confirm(three, 'person-pin', id, '02')
  expect(await person(three, id)).toMatchObject({ pin: 'temporary' })

  // The person chooses a PIN at another lane than the one that set the first, temporary PIN.
  expect((await signIn(three, id, pin, '530917')).status).toBe(200)
  await confirm(one, 'person-pin', id, '03')
  expect(await person(one, id)).toMatchObject({ pin: 'own' })
  expect((await signIn(one, id, pin)).status).not.toBe(200)
  expect((await signIn(one, id, '530917')).status).toBe(200)
  // At the sign-in before, the lane computed its own verifier of the PIN, which this sign-in uses.
  expect((await signIn(one, id, '530917')).status).toBe(200)
  const trail = one.read<{ detail: string }>(
    "SELECT detail FROM audit_entry WHERE kind = 'staff-added' AND subject = 'jo-roy-02'",
  )
  expect(trail.map(({ detail }) => JSON.parse(detail))).toMatchObject([
    { lane: '02', name: 'Jo Roy', confirmedBy: 'sam' },
  ])
})

test('a dismissed person is signed out at every lane, and their open sale remains', async ({ skip }) => {
  const one = await openLane(skip, '04')
  const two = await openLane(skip, '05', { staffId: 'alex' })
  await connected(one, two)
  const sale = await two.ring(APPLES)
  const { name, role, locale } = await person(one, 'alex')
  const left = await one.call('PUT', '/api/people/alex', { name, role, locale, active: false })
  expect(left.status).toBe(200)
  await two.event((event): event is Extract<typeof event, { type: 'signed-out' }> => event.type === 'signed-out')
  expect(await two.refused('POST', '/api/sales/current/lines', { sku: APPLES, quantity: 1 })).toBe('sign-in-required')
  expect((await signIn(two, 'alex', '1234')).status).not.toBe(200)
  const sam = await two.openWindow()
  expect((await sam.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })).status).toBe(200)
  expect((await sam.call('GET', '/api/sales/current')).body).toMatchObject({ sale: { id: sale.id } })
})

test('disconnected lanes end with equal settings, report replaced changes, and apply planned ones', async ({
  skip,
}) => {
  let ahead = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead }
  const one = await openLane(skip, '06')
  const two = await openLane(skip, '07', { clock })
  await connected(one, two)
  const day = new Date(systemClock.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const planned = await one.call('PUT', '/api/settings/limits.backupKeepDays', {
    seen: 0,
    to: { kind: 'value', value: 9 },
    from: { day, time: '00:00' },
  })
  expect(planned.status).toBe(200)
  await vi.waitFor(
    async () => expect((await setting(two, 'limits.backupKeepDays')).planned).toMatchObject([{ value: 9 }]),
    LATER,
  )
  store.freeze()
  await set(one, 'approvals.discountAbovePercent', 9)
  await set(two, 'approvals.discountAbovePercent', 8)
  // The planned change takes effect by the clock of the disconnected lane.
  ahead = 4 * 86_400_000
  expect(await setting(two, 'limits.backupKeepDays')).toMatchObject({ value: 9, planned: [] })
  ahead = 0
  store.thaw()
  for (const lane of [one, two])
    await vi.waitFor(
      async () => expect(await setting(lane, 'approvals.discountAbovePercent')).toMatchObject({ value: 8 }),
      LATER,
    )
  expect((await setting(one, 'approvals.discountAbovePercent')).elsewhere).toEqual({
    lane: '07',
    by: 'Sam Okafor',
    inPlaceOf: 'Sam Okafor',
  })
  const entries = one.read<{ detail: string }>(
    "SELECT detail FROM audit_entry WHERE kind = 'setting-changed' ORDER BY id DESC LIMIT 1",
  )
  expect(entries.map(({ detail }) => JSON.parse(detail))).toMatchObject([
    { setting: 'approvals.discountAbovePercent', before: 9, after: 8, lane: '07', overruled: true },
  ])
})

test('a change that the store’s owner confirms at the server takes effect without a manager of the lane', async ({
  skip,
}) => {
  const [one, two] = [await openLane(skip, '08'), await openLane(skip, '09')]
  await connected(one, two)
  const added = await two.call('POST', '/api/people', { name: 'Max Roy', role: 'manager', locale: 'en-CA' })
  const { id } = Added.parse(added.body)
  await vi.waitFor(async () => {
    const { changes } = Waiting.parse((await one.call('GET', '/api/waiting-changes')).body)
    expect(changes.map(({ subject }) => subject)).toContain(id)
  }, LATER)
  await store.query(
    `INSERT INTO change_confirmed (stream, seq, confirmed_by, why)
      SELECT stream, seq, 'R. Okafor', 'asked Sam' FROM fact WHERE kind = 'person' AND body ->> 'subject' = '${id}'
      RETURNING seq`,
  )
  await vi.waitFor(async () => expect(await person(one, id)).toMatchObject({ role: 'manager', active: true }), LATER)
  const trail = one.read<{ detail: string }>("SELECT detail FROM audit_entry WHERE kind = 'change-confirmed'")
  expect(trail.map(({ detail }) => JSON.parse(detail))).toMatchObject([{ lane: '09', owner: 'R. Okafor' }])
})
