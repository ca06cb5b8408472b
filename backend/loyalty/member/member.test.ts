import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const DETERGENT = '1021'

describe('a collector card on the sale', () => {
  test.each([
    { card: 'fine', shown: { noRedemption: null, availableCashMiles: expect.any(Number) as number }, choice: true },
    { card: 'suppressed', shown: { noRedemption: null, availableCashMiles: null, availableCents: null }, choice: true },
    {
      card: 'suppressed-no-redeem',
      shown: { noRedemption: 'suppressed', availableCashMiles: null, availableCents: null },
      choice: false,
    },
    { card: 'no-redeem', shown: { noRedemption: 'not-allowed' }, choice: false },
    { card: 'poor', shown: { noRedemption: 'insufficient-miles' }, choice: false },
    { card: 'closed', shown: { state: 'known' }, choice: false },
    { card: 'unknown', shown: { state: 'known' }, choice: false },
  ])('shows only the data of its account that the program permits: card $card', async ({ card, shown, choice }) => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    const sale = await harness.swipe(card)
    expect(sale.member).toMatchObject(shown)
    expect(sale.redemptionChoice !== null).toBe(choice)
  })

  test('allows a redemption only up to the rest of the collector’s daily limit', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 4)
    expect((await harness.swipe('near-limit')).redemptionChoice).toMatchObject({
      maxUnits: 2,
      limitedBy: 'daily-limit',
    })
  })

  test('has no field for a balance in any schema of the local API', async () => {
    const harness = await openTerminalHarness(central)
    const description = JSON.stringify((await harness.call('GET', '/api/openapi.json')).body)
    expect(description).toContain('"availableCashMiles"')
    expect(description).not.toMatch(/"(cashBalance|dreamBalance|cashMiles|dreamMiles)"/i)
  })

  test('is replaced by another card that is swiped before a redemption', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    await harness.swipe('poor')
    expect((await harness.swipe('fine')).member).toMatchObject({ last4: '0011', noRedemption: null })
  })

  test('shows a preview of miles when ringing pauses, and again after a change of the basket', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT, 2)
    await harness.swipe('fine')
    const first = await harness.until((sale) => sale.milesPreview !== null)
    await harness.ring(DETERGENT, 6)
    const second = await harness.until((sale) => (sale.milesPreview ?? 0) > (first.milesPreview ?? 0))
    expect(second.lines[0]?.quantity).toBe(8)
  })

  test('shows which offers the basket earns, with their miles and items, until the basket changes', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring('1010')
    await harness.ring(DETERGENT, 2)
    await harness.swipe('fine')
    const sale = await harness.until(({ earningOffers }) => earningOffers.length > 0)
    const coffee = sale.earningOffers.find(({ code }) => code === 'NRCOFFEE')
    expect(coffee).toMatchObject({
      miles: 5,
      items: [{ 'en-CA': 'Coffee beans 340 g', 'fr-CA': 'Café en grains 340 g' }],
    })
    expect(sale.earningOffers.reduce((sum, { miles }) => sum + miles, 0)).toBe(sale.milesPreview)
    expect((await harness.ring(DETERGENT)).earningOffers).toEqual([])
  })

  test('gets offer descriptions in another language once it is selected, and keeps both languages', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring('1010')
    await harness.swipe('fine')
    const first = await harness.until(({ earningOffers }) => earningOffers.length > 0)
    const coffee = ({ earningOffers }: Sale) => earningOffers.find(({ code }) => code === 'NRCOFFEE')?.description
    expect(coffee(first)).toEqual({ 'en-CA': '5 bonus miles on coffee beans' })
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    const both = await harness.until((sale) => coffee(sale)?.['fr-CA'] !== undefined)
    expect(coffee(both)).toEqual({
      'en-CA': '5 bonus miles on coffee beans',
      'fr-CA': '5 milles en prime sur le café en grains',
    })
    expect([both.version, both.milesPreview], 'the sale itself has not changed').toEqual([
      first.version,
      first.milesPreview,
    ])
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'en-CA' })
    await harness.ring('1010')
    expect(coffee(await harness.until((sale) => sale.version > both.version && sale.earningOffers.length > 0))).toEqual(
      coffee(both),
    )
  })

  test('keeps the old offer descriptions until the program answers in the new language', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring('1010')
    await harness.swipe('fine')
    const first = await harness.until(({ earningOffers }) => earningOffers.length > 0)
    await central.faults({
      path: '/checkout/issuance/calculate',
      times: 2,
      action: { kind: 'answer', status: 500, body: {} },
    })
    await harness.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    // A collector's calls are sent one at a time, so when the third arrives, the second was answered.
    await central.reached('/checkout/issuance/calculate', 3)
    expect(await harness.current()).toMatchObject({
      milesPreview: first.milesPreview,
      earningOffers: first.earningOffers,
    })
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    const french = await harness.until(({ earningOffers }) =>
      earningOffers.some(({ description }) => description['fr-CA'] !== undefined),
    )
    expect(french.milesPreview).toBe(first.milesPreview)
  })

  test('shows a preview of miles by the store’s own rules if the store calculates', async () => {
    const harness = await openTerminalHarness(central, {
      issuance: {
        mode: 'partner',
        rules: [
          { kind: 'base', offerCode: 'NRBASE', miles: 1, perDollars: 5, rounding: 'whole-steps' },
          { kind: 'item', offerCode: 'NRCOFFEE', miles: 5, sku: '1010' },
        ],
      },
    })
    await harness.ring('1010')
    await harness.swipe('fine')
    const sale = await harness.until(({ earningOffers }) => earningOffers.length > 0)
    expect(sale.earningOffers.map(({ code, miles }) => [code, miles])).toEqual([
      ['NRCOFFEE', 5],
      ['NRBASE', 2],
    ])
  })

  describe('an account that cannot earn', () => {
    const CARDS = [
      { card: 'closed', reason: 'account-closed', en: 'No miles: account closed.' },
      {
        card: 'unknown',
        reason: 'collector-invalid',
        en: 'No miles: member number not found.',
      },
    ]
    async function buy(harness: TerminalHarness, card: string, noEarning: string | null): Promise<Sale> {
      await harness.ring(DETERGENT)
      await harness.swipe(card)
      const sale = await harness.until(
        (seen) => seen.member !== null && seen.member.state !== 'pending' && seen.member.noEarning === noEarning,
      )
      return (
        await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
          kind: 'cash',
          version: sale.version,
          tenderedCents: 2260,
        })
      ).body.sale
    }
    const paperOf = async (harness: TerminalHarness, saleId: string): Promise<string> =>
      (await harness.call('GET', `/api/sales/${saleId}/receipt`)).body.document.blocks
        .flatMap((block) =>
          block.kind === 'text' ? block.text : block.kind === 'row' ? `${block.left} ${block.right}`.trim() : [],
        )
        .join(' ')

    test.each(CARDS)(
      'is promised no miles on screen or paper, causes ISSUE, and does not enter the exceptions queue: $card',
      async ({ card, reason, en }) => {
        const harness = await openTerminalHarness(central)
        const paid = await buy(harness, card, reason)
        expect(paid).toMatchObject({ state: 'completed', issuance: { refusal: reason } })
        expect(await paperOf(harness, paid.id)).toContain(en)
        expect(await paperOf(harness, paid.id)).not.toContain('issued later')
        const refused = await harness.until((sale) => sale.id === paid.id && sale.issuance?.state === 'dead')
        expect(refused.issuance).toMatchObject({ refusal: reason })
        expect((await harness.call('GET', '/api/queue/summary')).body).toMatchObject({
          waiting: 0,
          sending: 0,
          attention: 0,
        })
      },
    )

    test('gets its miles if it was reactivated later, because only the issuance service decides', async () => {
      const harness = await openTerminalHarness(central)
      await central.faults({
        path: '/checkout/loyaltycash/inquire',
        times: 1,
        action: { kind: 'answer', status: 401, body: { responseCode: '0002', message: 'Collector account inactive' } },
      })
      const paid = await buy(harness, 'fine', 'account-inactive')
      expect(await paperOf(harness, paid.id)).toContain('No miles: account inactive.')
      const issued = await harness.until((sale) => sale.id === paid.id && sale.issuance?.state === 'confirmed')
      expect(issued.issuance).toMatchObject({ refusal: null, miles: expect.any(Number) as number })
    })

    test('is promised no miles when only CALCULATE reports that it cannot earn', async () => {
      const harness = await openTerminalHarness(central, { cashUrl: 'http://127.0.0.1:9' })
      await harness.ring(DETERGENT)
      await harness.swipe('unknown')
      const rejected = await harness.until((sale) => sale.member?.noEarning === 'collector-invalid')
      const paid = (
        await harness.call('POST', `/api/sales/${rejected.id}/tenders`, {
          kind: 'cash',
          version: rejected.version,
          tenderedCents: 2260,
        })
      ).body.sale
      expect(await paperOf(harness, paid.id)).toContain('No miles: member number not found.')
    })

    test('enters the exceptions queue if miles were promised before a service reported the account', async () => {
      const harness = await openTerminalHarness(central, { cashUrl: 'http://127.0.0.1:9' })
      await central.faults({
        path: '/checkout/issuance/calculate',
        times: 9,
        action: { kind: 'answer', status: 503, body: { responseCode: '0092' } },
      })
      const paid = await buy(harness, 'closed', null)
      expect(await paperOf(harness, paid.id)).toContain('Miles will be issued later.')
      const refused = await harness.until((sale) => sale.id === paid.id && sale.issuance?.state === 'dead')
      expect(refused.issuance).toMatchObject({ refusal: 'account-closed' })
      expect((await harness.call('GET', '/api/queue/summary')).body).toMatchObject({ attention: 1 })
      await harness.printed(paid.id)
      await harness.call('POST', `/api/sales/${paid.id}/reprint`)
      await harness.printed(paid.id, 'confirmed', 1)
      const [copy] = harness.read<{ document: string }>('SELECT document FROM print_job WHERE copy = 1')
      expect(copy?.document).toContain('No miles: account closed.')
    })
  })

  test('causes no INQUIRE if its number was keyed, and leaves the service shown as offline', async () => {
    const harness = await openTerminalHarness(central, {
      cashUrl: 'http://127.0.0.1:9',
      issuanceUrl: 'http://127.0.0.1:9',
    })
    const state = async (): Promise<unknown> => (await harness.call('GET', '/api/queue/summary')).body.central
    await expect.poll(state).toBe('offline')
    await harness.ring(DETERGENT)
    await harness.call('POST', '/api/devices/keyed-collector', { number: '80000000011' })
    expect((await harness.until((sale) => sale.member?.state === 'known')).member).toMatchObject({
      entryMode: 'KEYED',
      noRedemption: 'keyed',
    })
    expect(await state()).toBe('offline')
  })

  test.each([
    ['a text of its own', 'Points en cours de transfert', 'Points en cours de transfert'],
    ['a text with control characters', 'Compte\u0007 gelé\u202e', 'Compte gelé'],
    ['the standard text of the code', 'Insufficient reward miles', null],
    ['no text', undefined, null],
  ])(
    'shows the program’s text of a refusal, without control characters, if it is not standard: %s',
    async (_how, message, shown) => {
      const harness = await openTerminalHarness(central)
      await central.faults({
        path: '/checkout/loyaltycash/inquire',
        times: 1,
        action: {
          kind: 'answer',
          status: 202,
          body: { responseCode: '0051', ...(message === undefined ? {} : { message }) },
        },
      })
      await harness.ring(DETERGENT)
      expect((await harness.swipe('fine')).member).toMatchObject({ noRedemption: 'insufficient-miles', message: shown })
    },
  )

  test('shows an outage that the program reports (0092), also in the status bar', async () => {
    const harness = await openTerminalHarness(central)
    await central.faults({
      path: '/checkout/loyaltycash/inquire',
      times: 1,
      action: { kind: 'answer', status: 503, body: { responseCode: '0092' } },
    })
    await harness.ring(DETERGENT)
    const outage = harness.event(
      (event): event is Extract<TerminalEvent, { type: 'queue-changed' }> =>
        event.type === 'queue-changed' && event.summary.central === 'outage',
    )
    expect((await harness.swipe('fine')).member).toMatchObject({ noRedemption: 'central-outage' })
    await outage
  })

  test('cannot redeem while the service is unreachable, and the sale shows the reason', async () => {
    const harness = await openTerminalHarness(central, { cashUrl: 'http://127.0.0.1:9' })
    await harness.ring(DETERGENT)
    const sale = await harness.swipe('fine')
    expect(sale).toMatchObject({
      member: { state: 'unknown', noRedemption: 'central-unreachable' },
      redemptionChoice: null,
    })
    const paid = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'cash',
        version: sale.version,
        tenderedCents: 2260,
      })
    ).body.sale
    expect(paid.state).toBe('completed')
  })
})
