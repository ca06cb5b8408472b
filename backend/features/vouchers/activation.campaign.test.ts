import { afterEach, expect, test, vi } from 'vitest'
import { voucherCodeOf } from '../../domain/voucher-code.ts'
import { useCentral } from '../../testing/central.ts'
import { booksAreRight, connected, heldOf, payWith, untilHeld } from '../../testing/store-vouchers.ts'
import { useStore } from '../../testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../testing/terminal-harness.ts'
import { giftCard, payCash, present, saleOf } from '../../testing/vouchers.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06')
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
/** A card of the rack, with a number of its own. */
const rack = (number: number): string => voucherCodeOf(`5f0c9f0e-3b1d-4c55-9a77-${String(number).padStart(12, '0')}`)
const ring = (lane: TerminalHarness, code: string, amountCents = 1000) =>
  lane.call('POST', '/api/sales/current/gift-cards', { amountCents, code })

const cancel = async (lane: TerminalHarness): Promise<void> => {
  const sale = await lane.current()
  if (sale) await lane.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })
}
/** How often the store did not answer a lane in time: on a busy machine that happens. */
const slowTimes = (lane: TerminalHarness): number => lane.logLines().split('"to":"slow"').length
let racked = 0
/** Does it with one card after the other, until both lanes were answered in time. */
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
/** What is paid with a card is paid, sooner or later. */
const pays = (lane: TerminalHarness, code: string, cents: number) =>
  vi.waitFor(
    async () => {
      const paid = await payWith(lane, code, cents)
      expect(paid.status).toBe(200)
      return saleOf(paid)
    },
    { timeout: 20_000, interval: 100 },
  )

test('a card that one lane has sold is refused at another, from the moment on at which it was rung', async ({
  skip,
}) => {
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

test('of two lanes that ring one card at once one sells it; what it gives up the other may sell', async ({ skip }) => {
  const [one, two] = await open(skip, '03', '04')
  if (!one || !two) throw new Error('two lanes were opened')
  for (const givesUp of ['void', 'cancel', 'void', 'cancel'] as const) {
    const { code, rung } = await inTime([one, two], async (card) => ({
      rung: await Promise.all([ring(one, card), ring(two, card)]),
    }))
    expect(rung.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
    expect(rung.find(({ status }) => status === 409)?.body.code).toBe('gift-card-elsewhere')
    const [has, waits] = rung[0]?.status === 200 ? [one, two] : [two, one]
    const sale = await has.current()
    if (!sale) throw new Error('it was rung')
    const path = givesUp === 'void' ? `lines/${sale.lines.at(-1)?.number}/void` : 'cancel'
    expect((await has.call('POST', `/api/sales/${sale.id}/${path}`, { version: sale.version })).status).toBe(200)
    await vi.waitFor(async () => expect((await ring(waits, code)).status).toBe(200), { timeout: 20_000 })
    await Promise.all([cancel(one), cancel(two)])
  }
})

test('lanes that are cut off both sell it: both amounts are on it, and managers are told', async ({ skip }) => {
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
