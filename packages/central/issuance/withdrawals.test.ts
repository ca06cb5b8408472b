import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { createRandom, type Random } from '../seed/offers.ts'
import { openRehearsal, type Rehearsal } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const COLLECTORS = ['80000000011', '80000000145', '80000000123'] as const
const SEEDS = [1, 2, 3, 4]
let ids = 0
const basketOf = (collectorNumber: string, fields: object) => ({
  basketPostTaxAmount: 1_000,
  basketPreTaxAmount: 1_000,
  checkoutDateTime: '2026-07-01T12:00:00-04:00',
  checkoutTransactionId: `W${ids++}`,
  collectorNumber,
  locationCode: 'N101',
  sponsorCode: 'NRTH',
  ...fields,
})
const send = async (path: string, body: object): Promise<string> => {
  const received = await client.post(path, body, { key: `w${ids++}` })
  expect([received.text, received.status === 200 || received.status === 202]).toEqual([received.text, true])
  return String(received.body.transactionId)
}
const balancesOf = async (collectorNumber: string) => (await client.ledger(collectorNumber)).balances
const given = (milesAmount: number) => ({
  issuances: [{ issuanceOfferCode: 'NRBASE', milesAmount, offerId: 'NRBASE' }],
})

/**
 * Credits miles and withdraws them in several steps. Resolves with the balances before and after all steps. `outside`:
 * balances after a step that were lower than before the credit or higher than after it; not recorded for the collector
 * whose issuances are delayed.
 */
async function takeBack(
  random: Random,
  collectorNumber: string,
  give: () => Promise<string>,
  amounts: readonly number[],
  take: (original: string, amount: number) => Promise<string>,
) {
  const outside: string[] = []
  const before = await balancesOf(collectorNumber)
  const original = await give()
  const settle = async (): Promise<void> => {
    if (random.below(2) === 0) await client.control('POST', '/issuances/settle')
  }
  await settle()
  const put = await balancesOf(collectorNumber)
  for (const amount of amounts) {
    await take(original, amount)
    await settle()
    const now = await balancesOf(collectorNumber)
    if (collectorNumber === '80000000123') continue
    for (const name of ['cash', 'dream'] as const)
      if (now[name] < before[name] || now[name] > put[name]) outside.push(`${name} ${now[name]}`)
  }
  await client.control('POST', '/issuances/settle')
  return { before, after: await balancesOf(collectorNumber), outside }
}

function portionsOf(random: Random, total: number): number[] {
  const parts: number[] = []
  for (let left = total; left > 0; left -= parts.at(-1) ?? left) parts.push(Math.min(left, 1 + random.below(5)))
  return parts
}

describe('all withdrawals of an issuance together take from each balance what the issuance credited', () => {
  it('in 100 REVERSE calls of one mile each', async () => {
    const ones = Array.from({ length: 100 }, () => 1)
    const { before, after, outside } = await takeBack(
      createRandom(1),
      '80000000011',
      () => send(ISSUANCE_PATHS.post, basketOf('80000000011', given(100))),
      ones,
      (originalTransactionId, amount) =>
        send(ISSUANCE_PATHS.reverse, basketOf('80000000011', { ...given(amount), originalTransactionId })),
    )
    expect([after, outside]).toEqual([before, []])
  })
  it.each(COLLECTORS.flatMap((collector) => SEEDS.map((seed) => [collector, seed] as const)))(
    'in REVERSE calls of random miles, for collector %s with seed %i',
    async (collector, seed) => {
      const random = createRandom(seed)
      const total = 1 + random.below(40)
      const { before, after, outside } = await takeBack(
        random,
        collector,
        () => send(ISSUANCE_PATHS.post, basketOf(collector, given(total))),
        portionsOf(random, total),
        (originalTransactionId, amount) =>
          send(ISSUANCE_PATHS.reverse, basketOf(collector, { ...given(amount), originalTransactionId })),
      )
      expect([after, outside]).toEqual([before, []])
    },
  )
  it.each(COLLECTORS.flatMap((collector) => SEEDS.map((seed) => [collector, seed] as const)))(
    'in RETURN calls of random quantities, for collector %s with seed %i',
    async (collector, seed) => {
      const random = createRandom(seed)
      const pieces = 1 + random.below(20)
      const bought = (quantity: number) => ({
        basketPreTaxAmount: 5 * quantity,
        basketPostTaxAmount: 5 * quantity,
        items: [{ id: '1011', name: 'Maple syrup', number: 1, quantity, baseAmount: 5, finalAmount: 5 * quantity }],
      })
      const { before, after, outside } = await takeBack(
        random,
        collector,
        () => send(ISSUANCE_PATHS.issue, basketOf(collector, bought(pieces))),
        portionsOf(random, pieces),
        (originalTransactionId, amount) =>
          send(ISSUANCE_PATHS.return, basketOf(collector, { ...bought(amount), originalTransactionId })),
      )
      expect([after, outside]).toEqual([before, []])
    },
  )
})
