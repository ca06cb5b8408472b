import { expect, test } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { buy, COFFEE, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import type { TerminalHarness, TerminalHarnessOptions } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04')
const { open, whenSynced, answered } = lanesOf(central, store)
const FINE = '80000000011'
const PARTNER: TerminalHarnessOptions['issuance'] = {
  mode: 'partner',
  rules: [
    { kind: 'base', offerCode: 'NRBASE', miles: 3, perDollars: 7, rounding: 'whole-steps' },
    { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE },
  ],
}
const total = async (): Promise<number> => {
  const { cash, dream } = await central.balances(FINE)
  return cash + dream
}
const earnedBy = (detergents: number, coffees: number): number =>
  3 * Math.floor((detergents * 1999 + coffees * 1499) / 700) + 5 * coffees
const sold = async (lane: TerminalHarness): Promise<Sale> => {
  const goods = [
    [DETERGENT, 3],
    [COFFEE, 3],
  ] as const
  const sale = await buy(lane, goods, { card: 'fine' })
  await lane.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
  await whenSynced(lane)
  return sale
}

test('alternating returns at two lanes take back the miles of their goods, in total exactly the issued miles', async ({
  skip,
}) => {
  const [one, two] = await Promise.all([
    open(skip, '01', { issuance: PARTNER }),
    open(skip, '02', { issuance: PARTNER }),
  ])
  const before = await total()
  const sale = await sold(one)
  expect(await total()).toBe(before + earnedBy(3, 3))
  let [detergents, coffees, reverses] = [3, 3, 0]
  for (const [lane, ...pieces] of [
    [two, [2, 1]],
    [one, [1, 1]],
    [two, [1, 1]],
    [one, [2, 1]],
    [one, [1, 1], [2, 1]],
  ] as const) {
    await answered(() => returnPieces(lane, sale, ...pieces))
    for (const [number, quantity] of pieces)
      if (number === 1) detergents -= quantity
      else coffees -= quantity
    await central.reached(ISSUANCE_PATHS.reverse, (reverses += 1), 'processed')
    expect((await total()) - before).toBe(earnedBy(detergents, coffees))
  }
  expect([detergents, coffees]).toEqual([0, 0])
})

test('a return takes back no miles that a manager or another lane’s return took back before', async ({ skip }) => {
  const [one, two] = await Promise.all([
    open(skip, '03', { issuance: PARTNER, staffId: 'sam' }),
    open(skip, '04', { issuance: PARTNER }),
  ])
  const before = await total()
  const sale = await sold(one)
  const [post] = one.read<{ id: string }>("SELECT id FROM operation WHERE type = 'post'")
  const byHand = { issuanceOfferCode: 'NRCOFFEE', miles: 4, left: 15, reason: 'one coffee was no part of it' }
  expect((await one.call('POST', `/api/queue/${post?.id}/take-back`, byHand)).status).toBe(200)
  await one.untilOperation('reverse-event', 'confirmed')
  await answered(() => returnPieces(two, sale, [2, 1]))
  await central.reached(ISSUANCE_PATHS.reverse, 1, 'processed')
  await answered(() => returnPieces(one, sale, [1, 3], [2, 2]))
  await central.reached(ISSUANCE_PATHS.reverse, 2, 'processed')
  expect(await total()).toBe(before)
})
