import { afterEach, expect, test, vi } from 'vitest'
import { HeldSales } from '../../../contracts/sales/held-sales.ts'
import { voucherCodeOf } from '../../core/scan-codes.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { booksAreRight, connected, heldOf, payWith, untilHeld } from '../../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { giftCard, payCash, present, saleOf } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06', '07', '08', '09', '10')
const APPLES = '1001'
afterEach(() => {
  store.thaw()
})

const open = (skip: Parameters<typeof store.place>[0], ...lanes: readonly string[]): Promise<TerminalHarness[]> =>
  Promise.all(
    lanes.map(async (laneId) => {
      const lane = await openTerminalHarness(central, { store: store.place(skip, laneId), laneId })
      await connected(lane)
      return lane
    }),
  )
const rack = (number: number): string => voucherCodeOf(`5f0c9f0e-3b1d-4c55-9a77-${String(number).padStart(12, '0')}`)
const ring = (lane: TerminalHarness, code: string, amountCents = 1000) =>
  lane.call('POST', '/api/sales/current/gift-cards', { amountCents, code })

const cancel = async (lane: TerminalHarness): Promise<void> => {
  const sale = await lane.current()
  if (sale) await lane.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })
}
async function voidCard(lane: TerminalHarness): Promise<void> {
  const sale = await lane.current()
  const path = `/api/sales/${sale?.id}/lines/${sale?.lines.at(-1)?.number}/void`
  expect((await lane.call('POST', path, { version: sale?.version })).status).toBe(200)
}
const slowTimes = (lane: TerminalHarness): number => lane.logLines().split('"to":"slow"').length
let racked = 0
async function inTime<Result>(
  lanes: readonly TerminalHarness[],
  work: (code: string) => Promise<Result>,
): Promise<Result & { readonly code: string }> {
  for (let tries = 1; tries <= 40; tries += 1) {
    await Promise.all(lanes.map(connected))
    const before = lanes.map(slowTimes)
    const code = rack((racked += 1))
    const result = await work(code)
    if (lanes.every((lane, index) => slowTimes(lane) === before[index])) return { ...result, code }
    await Promise.all(lanes.map(cancel))
  }
  throw new Error('the store never answered in time')
}
const pays = (lane: TerminalHarness, code: string, cents: number) =>
  vi.waitFor(
    async () => {
      const paid = await payWith(lane, code, cents)
      expect(paid.status).toBe(200)
      return saleOf(paid)
    },
    { timeout: 60_000, interval: 100 },
  )

test('a gift card rung at one lane is refused at another lane, before and after it is paid', async ({ skip }) => {
  const [one, two] = await open(skip, '01', '02')
  if (!one || !two) throw new Error('two lanes were opened')
  const { code, sale, refused } = await inTime([one, two], async (card) => ({
    sale: saleOf(await ring(one, card)),
    refused: await ring(two, card),
  }))
  expect(refused.body).toMatchObject({ code: 'gift-card-elsewhere' })
  await payCash(one, sale)
  await untilHeld(store, code, 1000)
  await vi.waitFor(async () => expect((await ring(two, code)).body).toMatchObject({ code: 'gift-card-used' }), 20_000)
  expect(await two.current(), 'nothing was rung').toBeNull()
  await booksAreRight(store)
})

test('two lanes ring one gift card at once: one is refused until the other lane’s sale ends without it', async ({
  skip,
}) => {
  const [one, two] = await open(skip, '03', '04')
  if (!one || !two) throw new Error('two lanes were opened')
  for (const givesUp of ['paid without it', 'cancelled', 'paid without it', 'cancelled'] as const) {
    const { code, rung } = await inTime([one, two], async (card) => ({
      rung: await Promise.all([ring(one, card), ring(two, card)]),
    }))
    expect(rung.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
    expect(rung.find(({ status }) => status === 409)?.body.code).toBe('gift-card-elsewhere')
    const [has, waits] = rung[0]?.status === 200 ? [one, two] : [two, one]
    if (givesUp === 'cancelled') await cancel(has)
    else {
      await voidCard(has)
      await payCash(has, await has.ring(APPLES))
    }
    await vi.waitFor(async () => expect((await ring(waits, code)).status).toBe(200), { timeout: 60_000 })
    await Promise.all([cancel(one), cancel(two)])
  }
})

test('a gift card on a void line is reserved until the sale ends, because the void can be undone', async ({ skip }) => {
  const [one, two] = await open(skip, '07', '08')
  if (!one || !two) throw new Error('two lanes were opened')
  const { code, refused } = await inTime([one, two], async (card) => {
    expect((await ring(one, card)).status).toBe(200)
    await voidCard(one)
    return { refused: await ring(two, card) }
  })
  expect(refused.body).toMatchObject({ code: 'gift-card-elsewhere' })
  const sale = await one.current()
  const undone = await one.call('POST', `/api/sales/${sale?.id}/undo`, { version: sale?.version })
  expect((await payCash(one, saleOf(undone))).state).toBe('completed')
  await untilHeld(store, code, 1000)
  await vi.waitFor(async () => expect((await ring(two, code)).body).toMatchObject({ code: 'gift-card-used' }), 20_000)
})

test('a gift card on two sales of a restarted lane can be sold elsewhere after both ended without it', async ({
  skip,
}) => {
  const [one, two] = await open(skip, '09', '10')
  if (!one || !two) throw new Error('two lanes were opened')
  const { code } = await inTime([one, two], async (card) => {
    const sale = saleOf(await ring(one, card))
    await one.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version, name: 'Present' })
    return { again: await ring(one, card) }
  })
  await one.close()
  const again = await openTerminalHarness(central, { store: store.place(skip, '09'), laneId: '09', folder: one.folder })
  await Promise.all([again, two].map(connected))
  await cancel(again)
  const { refused } = await inTime([two], async () => ({ refused: await ring(two, code) }))
  expect(refused.body, 'it is on the sale on hold').toMatchObject({ code: 'gift-card-elsewhere' })
  const held = HeldSales.parse((await again.call('GET', '/api/sales/held')).body).sales
  const [{ id, version } = { id: '', version: 0 }] = held
  expect((await again.call('POST', `/api/sales/${id}/resume`, { version })).status).toBe(200)
  await cancel(again)
  await vi.waitFor(async () => expect((await ring(two, code)).status).toBe(200), { timeout: 60_000 })
})

test('a gift card sold by two disconnected lanes has the sum of both amounts, and both sales are recorded', async ({
  skip,
}) => {
  const [one, two] = await open(skip, '05', '06')
  if (!one || !two) throw new Error('two lanes were opened')
  const code = rack(1_000)
  store.freeze()
  for (const [lane, cents] of [
    [one, 1000],
    [two, 2500],
  ] as const)
    expect((await payCash(lane, await giftCard(lane, cents, code))).state).toBe('completed')
  store.thaw()
  await untilHeld(store, code, 3500)
  await Promise.all([connected(one), connected(two)])
  await vi.waitFor(async () => expect(await present(two, code)).toMatchObject({ balanceCents: 3500 }), 20_000)
  for (const lane of [one, two, one, two, one])
    expect((await pays(lane, code, 699)).state, 'each cent was paid for').toBe('completed')
  await vi.waitFor(
    async () => expect((await payWith(two, code, 6)).body).toMatchObject({ code: 'voucher-balance' }),
    20_000,
  )
  expect((await pays(two, code, 5)).tenders).toMatchObject([{ amountCents: 5, leftCents: 0 }])
  await Promise.all([connected(one), connected(two)])
  expect(await heldOf(store, code)).toBe(0)
  await booksAreRight(store)
  expect(await store.query('SELECT * FROM fact_aside')).toEqual([])
  const issues = `SELECT lane, amount_cents FROM voucher_issue WHERE hash = (SELECT hash FROM voucher_account
    WHERE issues = 2) ORDER BY lane`
  expect(await store.query(issues)).toEqual([
    { lane: '05', amount_cents: 1000 },
    { lane: '06', amount_cents: 2500 },
  ])
})
