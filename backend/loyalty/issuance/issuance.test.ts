import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const FINE = '80000000011'
const DETERGENT = '1021'
const COFFEE = '1010'
const POST = ISSUANCE_PATHS.post
const RECORD = ISSUANCE_PATHS.record

type IssuanceInput = NonNullable<Parameters<typeof openTerminalHarness>[1]>['issuance'] & object
const RULES: NonNullable<IssuanceInput['rules']> = [
  { kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' },
  { kind: 'item', offerCode: 'NRCOFFEE', offerId: 'COFFEE-5', miles: 5, sku: COFFEE },
  { kind: 'coupon', offerCode: 'NRBONUS10', miles: 10, coupon: 'BONUS10' },
]
const partner: IssuanceInput = { mode: 'partner', rules: RULES }

const total = async (collector: string): Promise<number> => {
  const { cash, dream } = await central.balances(collector)
  return cash + dream
}
async function pay(harness: TerminalHarness, sale: Sale): Promise<Sale> {
  return (
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: sale.totals.dueCents,
      reference: 'T1',
    })
  ).body.sale
}

test('the receipt of a sale of $0.00 states that there are no miles, even without a preview of miles', async () => {
  const harness = await openTerminalHarness(central, {
    catalog: 'F1,,Free calendar,Calendrier gratuit,0.00,zero-rated,paper,',
  })
  const action = { kind: 'drop-before' }
  await central.faults({ path: ISSUANCE_PATHS.calculate, action }, { path: ISSUANCE_PATHS.issue, action })
  await harness.ring('F1')
  const known = await harness.swipe('fine')
  const done = (await harness.call('POST', `/api/sales/${known.id}/complete`, { version: known.version })).body.sale
  expect(done).toMatchObject({ state: 'completed', milesPreview: null })
  const { blocks } = (await harness.call('GET', `/api/sales/${known.id}/receipt`)).body.document
  expect(JSON.stringify(blocks)).toContain('No miles for this purchase.')
})

describe('a store that calculates miles itself', () => {
  test('previews miles by its rules without CALCULATE, and POSTs the same miles', async () => {
    const harness = await openTerminalHarness(central, { issuance: partner })
    await harness.ring(DETERGENT)
    await harness.ring(COFFEE)
    await harness.swipe('fine')
    const previewed = await harness.until((sale) => sale.milesPreview !== null)
    expect(previewed.milesPreview).toBe(6 + 5)
    const before = await total(FINE)
    await pay(harness, previewed)
    const confirmed = await harness.until((sale) => sale.issuance?.state === 'confirmed')
    expect(confirmed.issuance).toEqual({ state: 'confirmed', miles: 11, pending: 0, rejected: 0, refusal: null })
    expect(await total(FINE)).toBe(before + 11)
    const [post, ...more] = await central.requests(POST)
    expect(more).toEqual([])
    expect(post?.body).toMatchObject({
      checkoutTransactionId: confirmed.id,
      basketPreTaxAmount: 34.98,
      provider: 'NORTHSTAR',
      program: 'CORE',
      tender: ['CREDIT'],
      issuances: [
        {
          issuanceOfferCode: 'NRBASE',
          offerId: 'NRBASE',
          milesAmount: 6,
          locationCode: 'N101',
          contributingItemIds: [DETERGENT, COFFEE],
        },
        {
          issuanceOfferCode: 'NRCOFFEE',
          offerId: 'COFFEE-5',
          milesAmount: 5,
          locationCode: 'N101',
          contributingItemIds: [COFFEE],
        },
      ],
    })
    expect(await central.requests(ISSUANCE_PATHS.calculate)).toEqual([])
    expect(await central.requests(ISSUANCE_PATHS.issue)).toEqual([])
  })

  test.each([
    ['the answer is lost after the miles were posted', 'drop-after'],
    ['the answer cannot be parsed', 'garble'],
  ])(
    'sends a POST without a usable answer again with the same bytes and key, and adds the miles once: %s',
    async (_scenario, kind) => {
      const harness = await openTerminalHarness(central, { issuance: partner })
      await central.faults({ path: POST, occurrence: 1, action: { kind } })
      await harness.ring(DETERGENT)
      const before = await total(FINE)
      await pay(harness, await harness.swipe('fine'))
      await harness.until((sale) => sale.issuance?.state === 'confirmed')
      expect(await total(FINE)).toBe(before + 3)
      const sent = await central.requests(POST)
      expect(sent).toHaveLength(2)
      expect(new Set(sent.map(({ sha256, headers }) => `${sha256} ${headers['idempotency-key']}`)).size).toBe(1)
    },
  )

  test('sends POST to the path that the profile sets', async () => {
    const harness = await openTerminalHarness(central, { issuance: { ...partner, paths: { post: '/elsewhere/post' } } })
    await harness.ring(DETERGENT)
    await pay(harness, await harness.swipe('fine'))
    expect(harness.operations()).toMatchObject([{ type: 'post', path: '/elsewhere/post' }])
  })

  test("sends no POST for a sale that earns nothing, but RECORD if the profile's policy requires it", async () => {
    const rules: IssuanceInput['rules'] = [{ kind: 'item', offerCode: 'NRCOFFEE', miles: 5, sku: COFFEE }]
    const harness = await openTerminalHarness(central, { issuance: { mode: 'partner', rules, record: 'non-members' } })
    await harness.ring(DETERGENT)
    const sale = await pay(harness, await harness.swipe('fine'))
    await central.reached(RECORD, 1, 'processed')
    expect(sale.issuance).toBeNull()
    expect(await central.requests(POST)).toEqual([])
    expect((await central.requests(RECORD))[0]?.body).toMatchObject({
      collectorNumber: FINE,
      checkoutTransactionId: sale.id,
    })
  })
})

describe('the RECORD call', () => {
  test.each([
    ['none', 0, 0],
    ['non-members', 1, 0],
    ['all', 1, 1],
  ] as const)(
    'is sent, under the policy %s, %i times for a sale without a collector and %i times with a collector',
    async (record, alone, member) => {
      const harness = await openTerminalHarness(central, { issuance: { record } })
      const anonymous = await pay(harness, await harness.ring(DETERGENT))
      await harness.ring(DETERGENT)
      const before = await total(FINE)
      const memberSale = await pay(harness, await harness.swipe('fine'))
      const issued = await harness.until((sale) => sale.id === memberSale.id && sale.issuance?.state === 'confirmed')
      expect(harness.operations().map(({ type }) => type)).toEqual([
        ...(alone ? ['record'] : []),
        'issue',
        ...(member ? ['record'] : []),
      ])
      if (alone + member > 0) await central.reached(RECORD, alone + member, 'processed')
      const recorded = await central.requests(RECORD)
      expect(recorded).toHaveLength(alone + member)
      expect(new Set(recorded.map(({ body }) => body['checkoutTransactionId']))).toEqual(
        new Set([...(alone ? [anonymous.id] : []), ...(member ? [memberSale.id] : [])]),
      )
      for (const { body, headers } of recorded) {
        expect(body).toMatchObject({ transactionType: 'PURCHASE', provider: 'NORTHSTAR', program: 'CORE' })
        expect('collectorNumber' in body).toBe(body['checkoutTransactionId'] === memberSale.id)
        expect(headers['idempotency-key'], 'RECORD knows no key').toBeUndefined()
      }
      expect(await total(FINE), 'RECORD changes no balance').toBe(before + (issued.issuance?.miles ?? 0))
    },
  )

  test('is sent again only with identical bytes after an unknown outcome', async () => {
    const harness = await openTerminalHarness(central, { issuance: { record: 'all' } })
    await central.faults({ path: RECORD, occurrence: 1, action: { kind: 'drop-after' } })
    await pay(harness, await harness.ring(DETERGENT))
    await central.reached(RECORD, 2, 'processed')
    const sent = await central.requests(RECORD)
    expect(new Set(sent.map(({ sha256 }) => sha256)).size).toBe(1)
  })

  test('has its own queue for each sale without a collector, and the collector’s queue for other sales', async () => {
    const harness = await openTerminalHarness(central, { issuance: { record: 'all' } })
    await pay(harness, await harness.ring(DETERGENT))
    await pay(harness, await harness.ring(DETERGENT))
    await harness.ring(DETERGENT)
    await pay(harness, await harness.swipe('fine'))
    await central.reached(RECORD, 3, 'processed')
    const operations = harness.operations()
    expect(operations.map(({ type }) => type)).toEqual(['record', 'record', 'issue', 'record'])
    const [first, second, issue, last] = operations.map(({ queueHash }) => queueHash)
    expect(new Set([first, second, issue]).size).toBe(3)
    expect(last, 'the collector’s own queue: a parallel call of one collector is an error').toBe(issue)
  })
})
