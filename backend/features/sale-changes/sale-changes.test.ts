import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/api/sales.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'

const centre = useCentre()
const DETERGENT = '1021' // 19.99, HST
const COFFEE = '1010' // 14.99, zero-rated
const SAM = { staffId: 'sam', pin: '9999' }

/** Commands on the sale as it stands, as a screen sends them. */
function hands(counter: Counter) {
  const now = async (): Promise<Sale> => {
    const sale = await counter.current()
    if (!sale) throw new Error('no sale is open')
    return sale
  }
  const send = async (method: string, path: string, body: object): Promise<{ sale: Sale; code?: string; details?: unknown }> => {
    const { id, version } = await now()
    return (await counter.call(method, `/api/sales/${id}${path}`, { version, ...body })).body as never
  }
  return {
    now,
    send,
    discount: (off: object, line: number | null = null, more: object = {}) => send('POST', '/discounts', { line, off, reason: 'damaged', ...more }),
    price: (line: number, unitPriceCents: number | null, more: object = {}) => send('PUT', `/lines/${line}/price`, { unitPriceCents, reason: 'price-match', ...more }),
    undo: () => send('POST', '/undo', {}),
    trail: () => counter.read<{ kind: string; actor: string; detail: string }>('SELECT kind, actor_id AS actor, detail FROM audit_entry ORDER BY id').map(({ kind, actor, detail }) => ({ kind, actor, ...(JSON.parse(detail) as object) })),
  }
}
const percent = (share: number) => ({ kind: 'percent', ppm: share * 10_000 })
const dollars = (amount: number) => ({ kind: 'amount', cents: amount * 100 })

describe('a discount', () => {
  test('a cashier gives ten percent of a line alone; it stands on the line, in the tax, on the paper and on the trail', async () => {
    const counter = await openCounter(centre)
    const { discount, trail } = hands(counter)
    await counter.ring(DETERGENT, 2)
    const { sale } = await discount(percent(10), 1)
    expect(sale).toMatchObject({
      lines: [{ unitPriceCents: 1999, discountCents: 400, amountCents: 3598 }], discounts: [{ number: 1, reason: 'damaged', amountCents: 400 }],
      totals: { subtotalCents: 3598, taxes: [{ code: 'HST', amountCents: 468 }], totalCents: 4066 }, undo: 'discount',
    })
    expect(trail().at(-1)).toEqual({ kind: 'discount-given', actor: 'alex', discount: 1, line: 1, reason: 'damaged', off: '10%', before: 3998, after: 3598, approvedBy: null })
    const paid = (await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 4066, reference: 'T1' })).body.sale
    expect(paid.state).toBe('completed')
    const { blocks } = (await counter.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(expect.arrayContaining([
      expect.objectContaining({ left: '2 × 19.99', right: 'H 39.98' }), expect.objectContaining({ left: 'Discount 10% (damaged)', right: '-4.00' }), expect.objectContaining({ left: 'Subtotal', right: '35.98' }),
    ]))
  })

  test('more than that waits for a supervisor’s PIN, which is good for that one command', async () => {
    const counter = await openCounter(centre)
    const { discount, trail, now } = hands(counter)
    await counter.ring(DETERGENT)
    const refused = await discount(percent(25), 1)
    expect(refused).toMatchObject({ code: 'approval-required', details: [{ path: 'action', message: 'discount' }] })
    expect((await now()).discounts).toEqual([])
    expect(await discount(percent(25), 1, { approval: { ...SAM, pin: '0000' } })).toMatchObject({ code: 'pin-wrong' })
    expect(await discount(percent(25), 1, { approval: { staffId: 'marie', pin: '1234' } })).toMatchObject({ code: 'approver-not-allowed' })
    expect((await now()).discounts).toEqual([])
    const { sale } = await discount(percent(25), 1, { approval: SAM })
    expect(sale.lines[0]?.amountCents).toBe(1499)
    expect(trail().at(-1)).toMatchObject({ kind: 'discount-given', actor: 'alex', approvedBy: 'sam' })
    expect(await discount(percent(25), 1), 'the next one needs its own').toMatchObject({ code: 'approval-required' })
    expect(JSON.stringify(trail())).not.toContain('9999')
    expect((await counter.call('GET', '/api/terminal')).body).toMatchObject({ signedIn: { id: 'alex' } })
  })

  test('five wrong PINs lock the supervisor’s, here as at sign-in', async () => {
    const counter = await openCounter(centre)
    const { discount } = hands(counter)
    await counter.ring(DETERGENT)
    const guess = async (pin: string) => (await discount(percent(25), 1, { approval: { ...SAM, pin } })).code
    for (let count = 0; count < 4; count += 1) expect(await guess('0000')).toBe('pin-wrong')
    expect(await guess('0000')).toBe('pin-locked')
    expect(await guess('9999')).toBe('pin-locked')
  })

  test('a manager who sells asks nobody', async () => {
    const counter = await openCounter(centre, { staffId: 'sam' })
    const { discount } = hands(counter)
    await counter.ring(DETERGENT)
    expect((await discount(percent(50), 1)).sale.totals.subtotalCents).toBe(999)
  })

  test('in dollars on the sale: spread to the cent, and what it takes from fewer pieces asks a supervisor too', async () => {
    const counter = await openCounter(centre)
    const { discount, send } = hands(counter)
    await counter.ring(DETERGENT, 3)
    await counter.ring(COFFEE, 2)
    const { sale } = await discount(dollars(8))
    expect(sale.lines.map(({ discountCents }) => discountCents)).toEqual([533, 267])
    expect(sale.totals.subtotalCents).toBe(3 * 1999 + 2 * 1499 - 800)
    expect(await send('PUT', '/lines/1', { quantity: 1 })).toMatchObject({ code: 'approval-required' })
    expect((await send('PUT', '/lines/1', { quantity: 1, approval: SAM })).sale.totals.subtotalCents).toBe(1999 + 2998 - 800)
  })

  test('never brings the sale below what was paid already, and one that reaches it closes the sale', async () => {
    const counter = await openCounter(centre, { approvals: { discountAbovePercent: 100 } })
    const { discount, now } = hands(counter)
    const rung = await counter.ring(COFFEE)
    await counter.call('POST', `/api/sales/${rung.id}/tenders`, { kind: 'card', version: rung.version, amountCents: 1000, reference: 'T1' })
    expect(await discount(dollars(5))).toMatchObject({ code: 'sale-below-tendered' })
    expect((await now()).discounts).toEqual([])
    expect((await discount({ kind: 'amount', cents: 499 })).sale).toMatchObject({ state: 'completed', totals: { totalCents: 1000, dueCents: 0 } })
  })

  test('is refused where there is nothing to take off, on a line that is gone, and on an old version', async () => {
    const counter = await openCounter(centre, { approvals: { discountAbovePercent: 100 } })
    const { discount, send, now } = hands(counter)
    const { id } = await counter.ring(COFFEE)
    expect(await discount(percent(100), 1)).toMatchObject({ sale: { totals: { totalCents: 0 } } })
    expect(await discount(dollars(1), 1)).toMatchObject({ code: 'discount-takes-nothing' })
    expect(await discount(dollars(1), 2)).toMatchObject({ code: 'line-unknown' })
    expect(await counter.refused('POST', `/api/sales/${id}/discounts`, { version: 1, line: null, off: dollars(1), reason: 'damaged' })).toBe('sale-stale')
    expect(await discount(dollars(0))).toMatchObject({ code: 'body-invalid' })
    expect((await send('POST', '/discounts/1/remove', {})).sale.totals.totalCents).toBe(1499)
    expect(await send('POST', '/discounts/1/remove', {})).toMatchObject({ code: 'discount-unknown' })
    expect((await now()).discounts).toEqual([])
  })

  test('an item that is rung after it stands on a line of its own', async () => {
    const counter = await openCounter(centre)
    const { discount } = hands(counter)
    await counter.ring(COFFEE)
    await discount(percent(10), 1)
    expect((await counter.ring(COFFEE)).lines.map(({ amountCents }) => amountCents)).toEqual([1349, 1499])
  })
})

describe('another price', () => {
  test('always asks a supervisor; line, paper and trail say what the price was', async () => {
    const counter = await openCounter(centre)
    const { price, trail } = hands(counter)
    await counter.ring(DETERGENT)
    expect(await price(1, 1799)).toMatchObject({ code: 'approval-required', details: [{ message: 'price' }] })
    const { sale } = await price(1, 1799, { approval: SAM })
    expect(sale.lines[0]).toMatchObject({ unitPriceCents: 1799, regularPriceCents: 1999, amountCents: 1799 })
    expect(trail().at(-1)).toMatchObject({ kind: 'price-changed', line: 1, before: 1999, after: 1799, reason: 'price-match', approvedBy: 'sam' })
    expect(await price(1, 1799, { approval: SAM })).toMatchObject({ code: 'price-same' })
    expect((await price(1, null)).sale.lines[0]).toMatchObject({ unitPriceCents: 1999, regularPriceCents: null })
  })
})

describe('what the program is told', () => {
  test('ISSUE carries what was paid: items at prices that multiply to the cent, and the sums of the discounted basket', async () => {
    const counter = await openCounter(centre, { approvals: { discountAbovePercent: 100 } })
    const { discount } = hands(counter)
    await counter.ring(COFFEE, 3)
    await counter.swipe('fine')
    const { sale } = await discount(dollars(10))
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 3497, reference: 'T1' })
    await counter.untilOperation('issue', 'confirmed')
    const [request] = await centre.requests(ISSUANCE_PATHS.issue)
    expect(request?.body).toMatchObject({ basketPreTaxAmount: 34.97, basketPostTaxAmount: 34.97, items: [{ id: COFFEE, number: 1, quantity: 1, baseAmount: 11.65, finalAmount: 11.65 }, { id: COFFEE, number: 2, quantity: 2, baseAmount: 11.66, finalAmount: 23.32 }] })
  })

  test('CALCULATE is asked anew about the basket as a discount leaves it, and again when it is undone', async () => {
    const counter = await openCounter(centre)
    const { discount, undo } = hands(counter)
    await counter.ring(COFFEE)
    await counter.swipe('fine')
    await centre.reached(ISSUANCE_PATHS.calculate, 1, 'processed')
    await discount(dollars(1))
    await centre.reached(ISSUANCE_PATHS.calculate, 2, 'processed')
    await undo()
    await centre.reached(ISSUANCE_PATHS.calculate, 3, 'processed')
    expect((await centre.requests(ISSUANCE_PATHS.calculate)).map(({ body }) => body['basketPreTaxAmount'])).toEqual([14.99, 13.99, 14.99])
  })

  test('where the store calculates, a coupon of its rules earns until the last of the goods comes back', async () => {
    const counter = await openCounter(centre, {
      coupons: [{ code: 'BONUS10', name: { 'en-CA': 'Ten miles', 'fr-CA': 'Dix milles' } }],
      issuance: { mode: 'partner', rules: [{ kind: 'coupon', offerCode: 'NRBONUS10', miles: 10, coupon: 'BONUS10' }] },
    })
    await counter.ring(COFFEE, 2)
    await counter.swipe('fine')
    const { sale } = (await counter.call('POST', '/api/sales/current/coupons', { code: 'BONUS10' })).body
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 2998, reference: 'T1' })
    expect((await counter.untilOperation('post', 'confirmed')).miles).toBe(10)
    const giveBack = async () => {
      const lines = [{ number: 1, quantity: 1 }]
      const quote = (await counter.call('POST', '/api/returns/quote', { saleId: sale.id, lines })).body as unknown as { version: number; refunds: { kind: string; paidBy: string; amountCents: number }[] }
      await counter.call('POST', '/api/returns', { saleId: sale.id, version: quote.version, lines, refunds: quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents })), cardReference: 'R1' })
    }
    await giveBack()
    expect(counter.operations().map(({ intention }) => intention)).toEqual(['post'])
    await giveBack()
    expect((await counter.untilOperation('post-reverse', 'confirmed')).miles).toBe(-10)
  })

  test('a return gives back what was paid for the pieces that come back', async () => {
    const counter = await openCounter(centre, { approvals: { discountAbovePercent: 100 } })
    const { discount } = hands(counter)
    await counter.ring(COFFEE, 3)
    const { sale } = await discount(dollars(10))
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 3497, reference: 'T1' })
    const back: number[] = []
    for (const quantity of [1, 2]) {
      const lines = [{ number: 1, quantity }]
      const quote = (await counter.call('POST', '/api/returns/quote', { saleId: sale.id, lines })).body as unknown as { version: number; refunds: { kind: string; paidBy: string; amountCents: number }[]; totals: { totalCents: number } }
      const { body } = await counter.call('POST', '/api/returns', { saleId: sale.id, version: quote.version, lines, refunds: quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents })), cardReference: 'R1' })
      const returned = body['return'] as { lines: { discountCents: number; amountCents: number }[]; totals: { totalCents: number } }
      expect(returned.lines[0]?.amountCents).toBe(returned.totals.totalCents)
      back.push(returned.totals.totalCents)
    }
    expect(back).toEqual([1165, 2332])
  })
})

describe('coupons', () => {
  const name = { 'en-CA': 'Coffee month', 'fr-CA': 'Mois du café' }
  const coupons = [
    { code: 'COFFEE2', name, dollars: 2, sku: COFFEE }, { code: 'HOUSE-20', name, percent: 20, department: 'household', minimumDollars: 30 },
    { code: 'OLD', name, percent: 5, until: '2020-01-01' }, { code: 'SOON', name, percent: 5, from: '2999-01-01' }, { code: 'ALL5', name, percent: 5 }, { code: 'BONUS10', name },
  ]
  const use = async (counter: Counter, code: string) => (await counter.call('POST', '/api/sales/current/coupons', { code })).body

  test('keyed or scanned, on what they reach, once a sale; the program is told their codes', async () => {
    const counter = await openCounter(centre, { coupons })
    const { now } = hands(counter)
    expect(await use(counter, 'COFFEE2')).toMatchObject({ code: 'sale-empty' })
    await counter.ring(DETERGENT)
    expect(await use(counter, 'COFFEE2')).toMatchObject({ code: 'coupon-not-applicable' })
    await counter.ring(COFFEE)
    expect((await use(counter, ' coffee2 ')).sale).toMatchObject({ discounts: [{ reach: { kind: 'item', sku: COFFEE }, coupon: { code: 'COFFEE2' }, reason: null, amountCents: 200 }], undo: 'discount' })
    expect(await use(counter, 'COFFEE2')).toMatchObject({ code: 'coupon-used' })
    for (const [code, problem] of [['OLD', 'coupon-expired'], ['SOON', 'coupon-not-yet'], ['NONE', 'coupon-unknown'], ['HOUSE-20', 'coupon-not-applicable']] as const) expect(await use(counter, code), code).toMatchObject({ code: problem })
    await counter.call('POST', '/api/training/scan', { code: 'all5' })
    const sale = await counter.until((candidate) => candidate.discounts.length === 2)
    expect(sale.discounts[1]).toMatchObject({ reach: { kind: 'sale' }, amountCents: 165 })
    expect((await use(counter, 'BONUS10')).sale).toMatchObject({ totals: { totalCents: sale.totals.totalCents }, discounts: [{}, {}, { off: null, applies: true, amountCents: 0 }] })
    await counter.ring(DETERGENT)
    expect((await use(counter, 'HOUSE-20')).sale.discounts[3]).toMatchObject({ amountCents: 800 })
    await counter.swipe('fine')
    const { id, version, totals } = await now()
    await counter.call('POST', `/api/sales/${id}/tenders`, { kind: 'card', version, amountCents: totals.dueCents, reference: 'T1' })
    const { miles } = await counter.untilOperation('issue', 'confirmed')
    expect(miles, 'the ten of the coupon are among them').toBeGreaterThanOrEqual(10)
    expect((await centre.requests(ISSUANCE_PATHS.issue))[0]?.body['coupon']).toEqual(['COFFEE2', 'ALL5', 'BONUS10', 'HOUSE-20'])
    expect((await counter.call('GET', `/api/sales/${id}/receipt`)).body.document.blocks).toContainEqual(expect.objectContaining({ left: 'Coupon: Coffee month', right: '-2.00' }))
  })
})

describe('an item whose price is entered', () => {
  const catalog = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,open_price\nO1,0628451101000,Cut flowers,Fleurs coupées,0.00,standard,garden,,1.00-200.00\nF1,,Pencil,Crayon,1.00,standard,paper,,'
  test('is asked for when it is rung, and bounded', async () => {
    const counter = await openCounter(centre, { catalog })
    const ring = async (sku: string, priceCents?: number) => (await counter.call('POST', '/api/sales/current/lines', { sku, ...(priceCents === undefined ? {} : { priceCents }) })).body
    expect(await ring('O1')).toMatchObject({ code: 'price-required' })
    for (const cents of [99, 20_001]) expect(await ring('O1', cents)).toMatchObject({ code: 'price-out-of-bounds' })
    expect(await counter.current()).toBeNull()
    expect((await ring('O1', 2550)).sale.lines).toMatchObject([{ sku: 'O1', unitPriceCents: 2550, regularPriceCents: null }])
    expect((await ring('O1', 3000)).sale.lines.map(({ amountCents }) => amountCents)).toEqual([2550, 3000])
    expect((await ring('F1', 5)).sale.lines.at(-1)?.unitPriceCents, 'a price of the catalog is the catalog’s').toBe(100)
  })
})

describe('an exempt sale', () => {
  const exemption = { relief: 'provincial', reason: 'first-nations', certificate: 'FN-1234' }
  test('asks a supervisor, takes no provincial tax, names the certificate on paper, and a return goes by it', async () => {
    const counter = await openCounter(centre)
    const { send, trail } = hands(counter)
    await counter.ring(DETERGENT)
    expect(await send('PUT', '/exemption', { exemption })).toMatchObject({ code: 'approval-required', details: [{ message: 'exemption' }] })
    const { sale } = await send('PUT', '/exemption', { exemption, approval: SAM })
    expect(sale).toMatchObject({ exemption, totals: { taxes: [{ code: 'HST', amountCents: 0 }, { code: 'HST-FEDERAL', amountCents: 100 }], totalCents: 2099 }, undo: 'exemption' })
    expect(trail().at(-1)).toMatchObject({ kind: 'tax-exemption', before: null, after: JSON.stringify(exemption), approvedBy: 'sam' })
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 2099, reference: 'T1' })
    const { blocks } = (await counter.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(expect.arrayContaining([expect.objectContaining({ text: 'No provincial tax taken: First Nations' }), expect.objectContaining({ left: 'Certificate', right: 'FN-1234' })]))
    const quote = (await counter.call('POST', '/api/returns/quote', { saleId: sale.id, lines: [{ number: 1, quantity: 1 }] })).body as unknown as { totals: { totalCents: number } }
    expect(quote.totals.totalCents).toBe(2099)
  })
  test('refuses a certificate that is a card number, and none at all', async () => {
    const counter = await openCounter(centre, { staffId: 'sam' })
    const { send, now } = hands(counter)
    await counter.ring(DETERGENT)
    expect(await send('PUT', '/exemption', { exemption: { ...exemption, certificate: '4111 1111 1111 1111' } })).toMatchObject({ code: 'note-holds-number' })
    expect(await send('PUT', '/exemption', { exemption: { ...exemption, certificate: ' ' } })).toMatchObject({ code: 'body-invalid' })
    expect((await now()).exemption).toBeNull()
  })
})

describe('a note', () => {
  test('stands on its line or on the sale, and prints as text whatever it holds', async () => {
    const counter = await openCounter(centre)
    const { send } = hands(counter)
    await counter.ring(DETERGENT)
    await send('PUT', '/note', { line: 1, note: 'gift \u001bp0 wrap <b>' })
    const { sale } = await send('PUT', '/note', { line: null, note: 'Call before delivery' })
    expect(sale).toMatchObject({ note: 'Call before delivery', lines: [{ note: 'gift p0 wrap <b>' }] })
    for (const [note, problem] of [['80000000011', 'note-holds-number'], ['card 4111-1111-1111-1111', 'note-holds-number'], ['x'.repeat(121), 'body-invalid']] as const) expect(await send('PUT', '/note', { line: null, note }), note).toMatchObject({ code: problem })
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: sale.totals.totalCents, reference: 'T1' })
    const { blocks } = (await counter.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(expect.arrayContaining([expect.objectContaining({ text: 'Note: gift p0 wrap <b>' }), expect.objectContaining({ text: 'Note: Call before delivery' })]))
  })
})

describe('undo', () => {
  test('takes each kind of change back, once', async () => {
    const counter = await openCounter(centre, { approvals: { discountAbovePercent: 100, priceChange: false } })
    const { send, discount, price, undo, now } = hands(counter)
    await counter.ring(COFFEE)
    await counter.ring(COFFEE)
    expect((await now()).undo).toBe('ring')
    expect((await undo()).sale.lines.map(({ quantity }) => quantity)).toEqual([1])
    expect(await undo()).toMatchObject({ code: 'nothing-to-undo' })
    await counter.ring(DETERGENT)
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([false, true])
    const was = { lines: (await now()).lines, totals: (await now()).totals, discounts: [] }
    const stories: [string, () => Promise<unknown>][] = [
      ['quantity', () => send('PUT', '/lines/1', { quantity: 5 })], ['void', () => send('POST', '/lines/1/void', {})], ['price', () => price(1, 100)],
      ['discount', () => discount(percent(50))], ['note', () => send('PUT', '/note', { line: 1, note: 'x' })], ['note', () => send('PUT', '/note', { line: null, note: 'x' })],
    ]
    for (const [kind, change] of stories) {
      await change()
      expect((await now()).undo).toBe(kind)
      const { sale } = await undo()
      expect({ lines: sale.lines, totals: sale.totals, discounts: sale.discounts, note: sale.note, undo: sale.undo }, kind).toEqual({ ...was, note: null, undo: null })
    }
  })

  test('puts a collector back who was taken off, asks about them anew, and takes one off who was put on', async () => {
    const counter = await openCounter(centre)
    const { send, undo } = hands(counter)
    await counter.ring(DETERGENT)
    const on = await counter.swipe('fine')
    expect((await send('POST', '/member/remove', {})).sale.member).toBeNull()
    await undo()
    const back = await counter.until((sale) => sale.member?.state === 'known')
    expect(back.member).toEqual(on.member)
    await counter.ring(DETERGENT)
    await counter.swipe('special')
    await undo()
    expect((await counter.until((sale) => sale.member?.state === 'known' && sale.undo === null)).member?.last4).toBe(on.member?.last4)
  })

  const CLOSED = {
    completed: async (counter: Counter) => { await hands(counter).send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T1' }) },
    cancelled: async (counter: Counter) => { await hands(counter).send('POST', '/cancel', {}) },
    held: async (counter: Counter) => { await hands(counter).send('POST', '/hold', {}) },
    'paid in part': async (counter: Counter) => { await hands(counter).send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' }) },
  } as const
  test.each(Object.entries(CLOSED))('forgets the collector who was taken off, when the sale is %s', async (_how, close) => {
    const counter = await openCounter(centre)
    await counter.ring(DETERGENT)
    await counter.swipe('fine')
    expect((await hands(counter).send('POST', '/member/remove', {})).sale.member).toBeNull()
    const kept = (): { change: string }[] => counter.read<{ change: string }>('SELECT change FROM sale_undo')
    expect(kept(), 'sealed, while it can be taken back').toMatchObject([{ change: expect.stringContaining('"sealed"') as string }])
    await close(counter)
    expect(kept()).toEqual([])
  })

  test('never a tender, and never what happened before one', async () => {
    const counter = await openCounter(centre)
    const { undo, now } = hands(counter)
    const sale = await counter.ring(DETERGENT, 2)
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 1000, reference: 'T1' })
    expect((await now()).undo).toBeNull()
    expect(await undo()).toMatchObject({ code: 'nothing-to-undo' })
    expect((await now()).tenders).toHaveLength(1)
  })

  test('never brings the sale below what was paid', async () => {
    const counter = await openCounter(centre)
    const { undo, now } = hands(counter)
    const sale = await counter.ring(COFFEE)
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'card', version: sale.version, amountCents: 1000, reference: 'T1' })
    await counter.ring(DETERGENT)
    expect((await undo()).sale.totals).toMatchObject({ totalCents: 1499, dueCents: 499 })
    expect((await now()).state).toBe('open')
  })

  test('survives a restart of the terminal', async () => {
    const first = await openCounter(centre)
    await first.ring(DETERGENT)
    await first.close()
    const counter = await openCounter(centre, { folder: first.folder })
    expect((await counter.current())?.undo).toBe('ring')
    expect((await hands(counter).undo()).sale.lines.map(({ voided }) => voided)).toEqual([true])
  })
})
