import { describe, expect, test } from 'vitest'
import { useCentre } from '../../testing/centre.ts'
import { openCounter } from '../../testing/counter.ts'

const centre = useCentre()
const DETERGENT = '1021'

describe('a card on the sale', () => {
  test.each([
    { card: 'fine', shown: { noRedemption: null, availableCashMiles: expect.any(Number) as number }, choice: true },
    { card: 'suppressed', shown: { noRedemption: null, availableCashMiles: null, availableCents: null }, choice: true },
    { card: 'suppressed-no-redeem', shown: { noRedemption: 'suppressed', availableCashMiles: null, availableCents: null }, choice: false },
    { card: 'no-redeem', shown: { noRedemption: 'not-allowed' }, choice: false },
    { card: 'poor', shown: { noRedemption: 'insufficient-miles' }, choice: false },
    { card: 'closed', shown: { state: 'known' }, choice: false },
    { card: 'unknown', shown: { state: 'known' }, choice: false },
  ])('$card: what the screen may know', async ({ card, shown, choice }) => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    const sale = await counter.swipe(card)
    expect(sale.member).toMatchObject(shown)
    expect(sale.redemptionChoice !== null).toBe(choice)
  })

  test('near the daily limit only what is left of it is offered', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 4)
    expect((await counter.swipe('near-limit')).redemptionChoice).toMatchObject({ maxUnits: 2, limitedBy: 'daily-limit' })
  })

  test('no balance has a way to a screen: no schema of the local API has a field for one', async () => {
    const counter = await openCounter(centre)
    const description = JSON.stringify((await counter.call('GET', '/api/openapi.json')).body)
    expect(description).toContain('"availableCashMiles"')
    expect(description).not.toMatch(/"(cashBalance|dreamBalance|cashMiles|dreamMiles)"/i)
  })

  test('a read is used once; a second use is refused', async () => {
    const counter = await openCounter(centre)
    await counter.swipe('fine')
    expect(await counter.refused('POST', '/api/sales/current/member', { readId: '6a5f1c9e-3f0e-4a53-9d35-2b1f9a6b6c11' })).toBe('card-read-expired')
  })

  test('another card takes the place of the first as long as nothing was redeemed', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    await counter.swipe('poor')
    expect((await counter.swipe('fine')).member).toMatchObject({ last4: '0011', noRedemption: null })
  })

  test('the miles are previewed once the basket rests, and again when it changed', async () => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT, 2)
    await counter.swipe('fine')
    const first = await counter.until((sale) => sale.milesPreview !== null)
    await counter.ring(DETERGENT, 6)
    const second = await counter.until((sale) => (sale.milesPreview ?? 0) > (first.milesPreview ?? 0))
    expect(second.lines[0]?.quantity).toBe(8)
  })

  test('with the centre unreachable the sale goes on, and says why there is no redemption', async () => {
    const counter = await openCounter(centre, { cashUrl: 'http://127.0.0.1:9' })
    await counter.ring(DETERGENT)
    const sale = await counter.swipe('fine')
    expect(sale).toMatchObject({ member: { state: 'unknown', noRedemption: 'centre-unreachable' }, redemptionChoice: null })
    const paid = (await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'cash', version: sale.version, tenderedCents: 2260 })).body.sale
    expect(paid.state).toBe('completed')
  })
})
