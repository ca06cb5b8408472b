import { afterEach, expect, test, vi, type TestContext } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { startOneWayProxy } from '../../../packages/lab/testing/one-way-proxy.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import {
  APPLES,
  booksAreRight,
  connected,
  payWith,
  sell,
  untilHeld,
} from '../../../packages/lab/testing/store-vouchers.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { present, saleOf } from '../../../packages/lab/testing/vouchers.ts'
import { testClock } from '../../core/http/testing.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06')
const RESERVE = { voucherReserveDollars: 20 } as const
const HOUR_MS = 3_600_000

afterEach(() => {
  store.thaw()
})

const open = (skip: TestContext['skip'], laneId: string, more: TerminalHarnessOptions = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { store: store.place(skip, laneId), laneId, ...RESERVE, ...more })
const replaced = async (laneId: string): Promise<TerminalHarness> =>
  openTerminalHarness(central, { store: await store.replace(laneId), laneId, ...RESERVE })
const refusal = async (harness: TerminalHarness, code: string): Promise<string> =>
  harness.refused('POST', '/api/vouchers/present', { code })
const tenders = (harness: TerminalHarness): number =>
  harness.read<{ cents: number }>(
    "SELECT coalesce(sum(amount_cents), 0) AS cents FROM tender WHERE kind = 'gift-card'",
  )[0]?.cents ?? 0
async function payAll(harness: TerminalHarness, code: string): Promise<void> {
  if ((await harness.current()) === null) await harness.ring(APPLES, 10)
  const shown = await harness.call('POST', '/api/vouchers/present', { code })
  if (shown.status !== 200) return
  const { payableCents, balanceCents } = await present(harness, code)
  await payWith(harness, code, payableCents ?? balanceCents)
}
const untilPaid = (harness: TerminalHarness, code: string, cents: number) =>
  vi.waitFor(
    async () => {
      await payAll(harness, code)
      expect(tenders(harness)).toBe(cents)
    },
    { timeout: 60_000 },
  )
const stranded = (laneId: string) =>
  store.query(`SELECT amount_cents, state FROM voucher_ledger WHERE lane = '${laneId}' AND stranded_at IS NOT NULL`)
const untilMoved = (laneId: string, state: string) =>
  vi.waitFor(async () => expect(await stranded(laneId)).toMatchObject([{ amount_cents: 2000, state }]), {
    timeout: 60_000,
  })

test('a replaced lane that still runs cannot pay with a gift card that its successor uses', async ({ skip }) => {
  const [old, other] = await Promise.all([open(skip, '01'), open(skip, '02')])
  await connected(old)
  const code = await sell(old, 5000)
  await untilHeld(store, code, 3000)
  await connected(old)
  const successor = await replaced('01')
  await connected(successor)
  await untilMoved('01', 'stranded')
  await vi.waitFor(async () => expect(await refusal(old, code)).toBe('voucher-lease-over'), { timeout: 60_000 })
  await untilPaid(successor, code, 3000)
  await payAll(old, code)
  await payAll(other, code)
  expect([tenders(old), tenders(successor), tenders(other)]).toEqual([0, 3000, 0])
  await booksAreRight(store)
})

test('voucher value at a lane that stopped cleanly can be spent at its successor at once', async ({ skip }) => {
  const old = await open(skip, '03')
  await connected(old)
  const code = await sell(old, 5000)
  await untilHeld(store, code, 3000)
  await connected(old)
  await old.close()
  const successor = await replaced('03')
  await connected(successor)
  await untilMoved('03', 'released')
  await untilHeld(store, code, 5000)
  await untilPaid(successor, code, 5000)
  expect(tenders(successor)).toBe(5000)
  await connected(successor)
  await booksAreRight(store)
})

test('a disconnected lane pays with its voucher value until its lease ends, and again after a reconnect', async ({
  skip,
}) => {
  const clock = testClock()
  const place = store.place(skip, '04')
  const line = await startOneWayProxy(place.url)
  const lane = await open(skip, '04', { clock, store: { ...place, url: line.url }, voucherLeaseHours: 1 })
  await connected(lane)
  const code = await sell(lane, 5000)
  await untilHeld(store, code, 3000)
  await connected(lane)
  line.dropResponses()
  await vi.waitFor(async () => expect((await lane.call('GET', '/api/store')).body['kind']).not.toBe('connected'), {
    timeout: 60_000,
  })
  expect(saleOf(await payWith(lane, code, 699)).state).toBe('completed')
  clock.advance(HOUR_MS)
  await lane.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  await lane.ring(APPLES)
  expect(await refusal(lane, code)).toBe('voucher-lease-over')
  line.restore()
  await vi.waitFor(async () => expect((await payWith(lane, code, 699)).status).toBe(200), { timeout: 60_000 })
  await connected(lane)
  await booksAreRight(store)
})

test('a clock that was set back ends the voucher lease of a disconnected lane', async ({ skip }) => {
  const clock = testClock()
  const lane = await open(skip, '05', { clock })
  await connected(lane)
  const code = await sell(lane, 5000)
  await untilHeld(store, code, 3000)
  store.freeze()
  await lane.ring(APPLES)
  expect(await present(lane, code)).toMatchObject({ balanceCents: 2000 })
  clock.set(-HOUR_MS)
  expect(await refusal(lane, code)).toBe('voucher-lease-over')
})

test('a restarted lane pays with no voucher value before it has connected to its store server', async ({ skip }) => {
  const place = store.place(skip, '06')
  const line = await startOneWayProxy(place.url)
  const before = await open(skip, '06', { store: { ...place, url: line.url } })
  await connected(before)
  const code = await sell(before, 5000)
  await untilHeld(store, code, 3000)
  await connected(before)
  await before.close()
  line.dropResponses()
  const after = await open(skip, '06', { store: { ...place, url: line.url }, folder: before.folder })
  await after.ring(APPLES)
  expect(await refusal(after, code)).toBe('voucher-lease-over')
  line.restore()
  await connected(after)
  await vi.waitFor(() => present(after, code), { timeout: 20_000 })
  expect(saleOf(await payWith(after, code, 699)).state).toBe('completed')
  await connected(after)
  await booksAreRight(store)
})
