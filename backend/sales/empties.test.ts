import { describe, expect, test } from 'vitest'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { XReport, ZReport } from '../../contracts/day/day-end.ts'
import { CurrentShift } from '../../contracts/day/shifts.ts'
import { ReportRun } from '../../contracts/day/reports.ts'
import type { HeldSales } from '../../contracts/sales/held-sales.ts'
import { cents } from '../../contracts/core/money.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { buy, quoteOf, returnPieces } from '../../packages/lab/testing/return-steps.ts'
import { approved, dollars, percent, saleActions } from '../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const catalog = `sku,barcode,name_en,name_fr,price,tax_category,department,category,packs,deposits
DRINK,0628915000016,Drink,Boisson,1.00,standard,drinks,,,test-small
POP12,,Pop 12,Boisson 12,6.99,standard,drinks,,10628915000013 x 2 @ 13.00,test-small x 12|can-fee x 12|other x 12
SHAMPOO,,Shampoo,Shampoing,10.00,standard,care,,,`
const deposit = (id: string, each: number, back?: number) => ({
  id,
  kind: 'deposit' as const,
  names: { 'en-CA': `Deposit ${id}`, 'fr-CA': `Consigne ${id}` },
  cents: cents(each),
  ...(back === undefined ? {} : { refundCents: cents(back) }),
})
const fee = { id: 'can-fee', kind: 'fee' as const, names: { 'en-CA': 'Fee', 'fr-CA': 'Frais' }, cents: cents(1) }
const charges = [deposit('test-small', 15), deposit('half', 20, 10), fee]
const open = (more: Parameters<typeof openTerminalHarness>[1] = {}) =>
  openTerminalHarness(central, { catalog, region: 'AB', deposits: { charges }, ...more })
const take = (lane: TerminalHarness, ...empties: (readonly [string, number])[]) =>
  approved(lane, 'POST', '/api/sales/current/empties', { empties: empties.map(([id, count]) => ({ id, count })) })
const payOut = async (lane: TerminalHarness) => {
  const sale = await lane.current()
  return lane.call('POST', `/api/sales/${sale?.id}/payout`, { version: sale?.version })
}
const receiptOf = async (lane: TerminalHarness, id: string): Promise<string> =>
  JSON.stringify((await lane.call('GET', `/api/sales/${id}/receipt`)).body.document.blocks)

describe('a deposit', () => {
  test('is added to its item: $1.00 and 15 cents are $1.20 with GST in Alberta', async () => {
    const lane = await open()
    expect(await lane.ring('DRINK')).toMatchObject({
      lines: [
        { number: 1, sku: 'DRINK', amountCents: 100, taxCodes: ['GST'] },
        { sku: 'milepost:deposit', chargeOf: 1, amountCents: 15, taxCodes: [], quantity: 1 },
      ],
      totals: { subtotalCents: 115, totalCents: 120 },
    })
  })

  test('counts the containers of a pack like a fee, and follows a new quantity, a void and its undo', async () => {
    const lane = await open()
    const { send, undo } = saleActions(lane)
    expect(await lane.ring('POP12', 2)).toMatchObject({
      lines: [
        { amountCents: 1_398 },
        { chargeOf: 1, unitPriceCents: 180, amountCents: 360, taxCodes: [] },
        { chargeOf: 1, sku: 'milepost:fee', unitPriceCents: 12, amountCents: 24, taxCodes: ['GST'] },
      ],
      totals: { totalCents: 1_398 + 360 + 24 + 71 },
    })
    const { sale: one } = await send('PUT', '/lines/1', { quantity: 1 })
    expect(one.totals.subtotalCents).toBe(699 + 180 + 12)
    const { sale: none } = await send('POST', '/lines/1/void', {})
    expect(none).toMatchObject({
      lines: [{ voided: true }, { voided: true }, { voided: true }],
      totals: { totalCents: 0 },
    })
    await undo()
    expect((await lane.current())?.totals.subtotalCents).toBe(699 + 180 + 12)
    expect(await lane.refused('POST', `/api/sales/${one.id}/lines/10001/void`, { version: 5 })).not.toBe(undefined)
  })

  test('counts all containers of a pack with its own price', async () => {
    const lane = await open()
    await lane.call('POST', '/api/sales/current/lines', { sku: 'POP12', quantity: 1, pack: '10628915000013' })
    expect(await lane.current()).toMatchObject({
      lines: [{ amountCents: 1_300 }, { amountCents: 360 }, { amountCents: 24 }],
    })
  })

  test('is not lowered by a discount on the line or on the sale', async () => {
    const lane = await open({ staffId: 'sam' })
    const { discount, now } = saleActions(lane)
    await lane.ring('DRINK')
    await discount(percent(50), 1)
    await discount(dollars(0.5))
    expect(await now()).toMatchObject({ lines: [{ amountCents: 0 }, { amountCents: 15 }], totals: { totalCents: 15 } })
  })

  test('is stored as its own line, printed below its item, and refunded with it piece by piece', async () => {
    const lane = await open()
    const sale = await buy(lane, [['POP12', 3]], { cash: true })
    expect(sale.state).toBe('completed')
    expect(
      lane.read(
        `SELECT number, sku, quantity, unit_price_cents AS unit, tax_category AS tax, charge_of AS ofLine
          FROM sale_line`,
      ),
    ).toEqual([
      { number: 1, sku: 'POP12', quantity: 3, unit: 699, tax: 'standard', ofLine: null },
      { number: 10_001, sku: 'milepost:deposit', quantity: 3, unit: 180, tax: 'zero-rated', ofLine: 1 },
      { number: 20_001, sku: 'milepost:fee', quantity: 3, unit: 12, tax: 'standard', ofLine: 1 },
    ])
    expect((await lane.call('GET', `/api/sales/${sale.id}`)).body.sale.totals).toEqual(sale.totals)
    expect(await receiptOf(lane, sale.id)).toMatch(/Pop 12.*Deposit test-small: 12×0\.15.*Fee: 12×0\.01/)
    const first = await returnPieces(lane, sale, [1, 1])
    expect(first.lines).toMatchObject([
      { sku: 'POP12' },
      { sku: 'milepost:deposit', quantity: 1 },
      { sku: 'milepost:fee' },
    ])
    const second = await returnPieces(lane, sale, [1, 2])
    expect(first.totals.totalCents + second.totals.totalCents).toBe(sale.totals.totalCents)
    expect(
      await lane.refused('POST', '/api/returns/quote', { saleId: sale.id, lines: [{ number: 10_001, quantity: 1 }] }),
    ).toBe('return-nothing')
  })

  test('is refunded without a record at today’s amount', async () => {
    const lane = await open({ staffId: 'sam' })
    const { body } = await lane.call('POST', '/api/returns/without-record/quote', {
      items: [{ sku: 'DRINK', quantity: 2 }],
      reason: 'gift',
    })
    expect(body).toMatchObject({
      lines: [{ sku: 'DRINK' }, { sku: 'milepost:deposit', amountCents: 30 }],
      totals: { totalCents: 240 },
    })
  })

  test('has the amount of the moment when its item was rung, and is in the price check', async () => {
    const lane = await open({ staffId: 'sam' })
    await lane.ring('DRINK')
    const charge = { ...deposit('test-small', 25), changes: [] }
    expect((await lane.call('POST', '/api/catalog/charges', { how: 'change', charge })).status).toBe(200)
    expect(await lane.ring('DRINK')).toMatchObject({
      lines: [{ quantity: 1 }, { amountCents: 15 }, { quantity: 1 }, { amountCents: 25 }],
    })
    expect((await lane.call('POST', '/api/catalog/price-check', { code: 'POP12' })).body).toMatchObject({
      check: {
        charges: [
          { kind: 'deposit', cents: 300 },
          { kind: 'fee', cents: 12 },
        ],
      },
    })
  })
})

describe('CALCULATE, ISSUE and RETURN', () => {
  const sentBy = async (deposits: object, paths: readonly string[]) => {
    const lane = await open({ deposits: { charges, ...deposits } })
    await lane.ring('SHAMPOO')
    await take(lane, ['test-small', 4])
    await lane.ring('POP12', 2)
    await lane.swipe('fine')
    const { totals } = await lane.until(({ milesPreview }) => milesPreview !== null)
    const { sale } = await saleActions(lane).send('POST', '/tenders', {
      kind: 'card',
      amountCents: totals.dueCents,
      reference: 'T1',
    })
    await lane.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
    await returnPieces(lane, sale, [3, 1])
    await lane.untilOperation('return', 'confirmed')
    return Promise.all(
      paths.map(
        async (at) =>
          (await central.requests(at)).findLast(
            ({ body }) => !('originalTransactionId' in body) || at === ISSUANCE_PATHS.return,
          )?.body,
      ),
    )
  }
  const WIRE = [ISSUANCE_PATHS.calculate, ISSUANCE_PATHS.issue, ISSUANCE_PATHS.return]
  const isExact = ({ items }: { items: { quantity: number; baseAmount: number; finalAmount: number }[] }) =>
    items.every((item) => Math.round(item.baseAmount * item.quantity * 100) === Math.round(item.finalAmount * 100))

  test('contain neither deposits, fees nor empties by default', async () => {
    const [calculate, issue, back] = await sentBy({}, WIRE)
    const purchase = {
      basketPreTaxAmount: 23.98,
      basketPostTaxAmount: 25.18,
      items: [{ id: 'SHAMPOO' }, { id: 'POP12' }],
    }
    expect(calculate).toMatchObject(purchase)
    expect(issue).toMatchObject(purchase)
    expect(back).toMatchObject({
      basketPreTaxAmount: 6.99,
      basketPostTaxAmount: 7.34,
      items: [{ id: 'POP12', quantity: 1 }],
    })
    expect([calculate, issue, back].every((body) => isExact(body as never))).toBe(true)
  })

  test('contain deposits and fees if the profile includes them, and never empties', async () => {
    const [calculate, issue, back] = await sentBy({ earnMiles: true }, WIRE)
    const items = [
      { id: 'SHAMPOO' },
      { id: 'POP12' },
      { id: 'milepost:deposit', quantity: 2, baseAmount: 1.8, finalAmount: 3.6 },
      { id: 'milepost:fee' },
    ]
    expect(calculate).toMatchObject({ basketPreTaxAmount: 27.82, items })
    expect(issue).toMatchObject({ basketPreTaxAmount: 27.82, basketPostTaxAmount: 29.03, items })
    expect(back).toMatchObject({
      basketPreTaxAmount: 8.91,
      items: [{ id: 'POP12' }, { id: 'milepost:deposit' }, { id: 'milepost:fee' }],
    })
    expect([calculate, issue, back].every((body) => isExact(body as never))).toBe(true)
  })
})

describe('empty containers', () => {
  test('lower the amount due but no tax; a return of the goods also refunds what the containers paid', async () => {
    const lane = await open()
    await lane.ring('SHAMPOO')
    expect((await take(lane, ['test-small', 10])).body.sale).toMatchObject({
      lines: [{ amountCents: 1_000 }, { sku: 'milepost:empties', quantity: 10, amountCents: -150 }],
      totals: { taxes: [{ code: 'GST', amountCents: 50 }], totalCents: 900 },
    })
    const { send } = saleActions(lane)
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: 900 })
    expect(sale.state).toBe('completed')
    const quote = await quoteOf(lane, sale, [{ number: 1, quantity: 1 }])
    expect(quote).toMatchObject({ totals: { totalCents: 1_050 }, refunds: [{ kind: 'cash', amountCents: 1_050 }] })
    expect(
      await lane.refused('POST', '/api/returns/quote', { saleId: sale.id, lines: [{ number: 2, quantity: 1 }] }),
    ).toBe('return-nothing')
    expect(await returnPieces(lane, sale, [1, 1])).toMatchObject({
      totals: { totalCents: 1_050 },
      refunds: [{ kind: 'cash', amountCents: 1_050, roundingCents: 0 }],
    })
  })

  test('are refunded with the goods, rounded once, if coins cannot make their value', async () => {
    const lane = await open({ deposits: { charges: [deposit('half', 20, 8)] } })
    await lane.ring('SHAMPOO')
    await take(lane, ['half', 1])
    const { sale } = await saleActions(lane).send('POST', '/tenders', { kind: 'cash', tenderedCents: 1_040 })
    expect(sale).toMatchObject({ state: 'completed', tenders: [{ amountCents: 1_042, roundingCents: -2 }] })
    expect((await returnPieces(lane, sale, [1, 1])).refunds).toMatchObject([{ amountCents: 1_050, roundingCents: 0 }])
  })

  test('are refunded with the goods, up to the price of the goods, if they are worth more', async () => {
    const lane = await open()
    await lane.ring('SHAMPOO')
    await take(lane, ['test-small', 100])
    const { sale } = (await payOut(lane)).body
    expect(sale.totals.totalCents).toBe(-450)
    expect((await returnPieces(lane, sale, [1, 1])).refunds).toMatchObject([{ kind: 'cash', amountCents: 1_050 }])
  })

  test('are paid out in cash, with a receipt, if they are alone in a sale', async () => {
    const lane = await open()
    const before = (await lane.call('GET', '/api/shift')).body
    await take(lane, ['test-small', 3], ['half', 2])
    await take(lane, ['test-small', 1])
    expect(await lane.current()).toMatchObject({
      lines: [{ quantity: 4 }, { quantity: 2, unitPriceCents: -10 }],
      totals: { totalCents: -80 },
    })
    const { sale } = (await payOut(lane)).body
    expect(sale).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'cash', amountCents: -80, tenderedCents: -80, changeCents: 0 }],
      issuance: null,
    })
    expect(await receiptOf(lane, sale.id)).toMatch(/PAID OUT FOR EMPTIES.*Cash paid out/)
    const drawn = lane.read<{ cents: number }>('SELECT sum(amount_cents + rounding_cents) AS cents FROM tender')
    expect(drawn).toEqual([{ cents: -80 }])
    expect(before).toBeDefined()
    expect(await central.requests(ISSUANCE_PATHS.record)).toEqual([])
  })

  test('never convert miles into cash: miles pay the goods and not the deposit of a sale', async () => {
    const lane = await open({ deposits: { charges: [deposit('test-small', 5_000)] } })
    await lane.ring('DRINK')
    const deposited = await lane.swipe('fine')
    expect(deposited).toMatchObject({ totals: { totalCents: 5_105 }, member: { noRedemption: 'gift-card' } })
    await lane.ring('SHAMPOO')
    const sale = await lane.until(({ member }) => member?.state === 'known')
    expect(sale.redemptionChoice).toMatchObject({ maxUnits: 1, limitedBy: 'gift-card' })
    const path = `/api/sales/${sale.id}/redemption`
    expect(await lane.refused('POST', path, { version: sale.version, units: 2 })).toBe('redemption-units-invalid')
    const redeemed = await lane.call('POST', path, { version: sale.version, units: 1 })
    expect(redeemed.body.sale.tenders).toMatchObject([{ kind: 'miles', amountCents: 1_000 }])
    const less = `/api/sales/${sale.id}/lines/2/void`
    expect(await lane.refused('POST', less, { version: redeemed.body.sale.version })).toBe('miles-pay-goods')
  })

  test('do not reduce the amount that miles can pay if they offset a deposit', async () => {
    const lane = await open()
    await lane.ring('SHAMPOO')
    await lane.ring('DRINK')
    await lane.swipe('fine')
    await take(lane, ['test-small', 1])
    const sale = await lane.until(({ member }) => member?.state === 'known')
    expect(sale).toMatchObject({
      totals: { totalCents: 1_155 },
      redemptionChoice: { maxUnits: 1, limitedBy: 'basket' },
    })
  })

  test('are paid out rounded in cash if worth more than the goods, and no redemption is possible', async () => {
    const lane = await open()
    await lane.ring('DRINK')
    await lane.swipe('fine')
    await take(lane, ['half', 21])
    const sale = await lane.until(({ member }) => member?.state === 'known')
    expect(sale).toMatchObject({ totals: { totalCents: -90 }, redemptionChoice: null })
    expect(
      await lane.refused('POST', `/api/sales/${sale.id}/tenders`, {
        version: sale.version,
        kind: 'cash',
        tenderedCents: 0,
      }),
    ).toBe('nothing-due')
    expect((await payOut(lane)).body.sale).toMatchObject({ state: 'completed', tenders: [{ tenderedCents: -90 }] })
  })

  test('count on the Z and in the reports as a payment when paid out, not as a payment given back', async () => {
    const lane = await open({ staffId: 'sam' })
    await buy(lane, [['SHAMPOO', 1]], { cash: true })
    await take(lane, ['test-small', 3])
    await payOut(lane)
    const cash = { kind: 'cash', taken: { count: 2, amountCents: 1_005 }, netCents: 1_005 }
    const { shift } = CurrentShift.parse((await lane.call('GET', '/api/shifts/current')).body)
    const counted = { cash: { by: 'sum', cents: 1_005 }, cardSlipsCents: null, chequesCents: null }
    await lane.call('POST', `/api/shifts/${shift?.id}/counts`, { number: 1, count: counted })
    await lane.call('POST', `/api/shifts/${shift?.id}/close`, { reason: null, leftCents: 0 })
    const { totals } = ZReport.parse((await lane.call('POST', '/api/z-reports')).body['report'])
    expect(totals.tenders).toMatchObject([{ ...cash, givenBack: { count: 0, amountCents: 0 } }])
    const { rows } = (await reportOf(lane)).breakdowns.tenders
    expect(rows.find(({ id }) => id === 'cash')).toMatchObject({ now: { count: 2, cents: 1_005 } })
  })

  test('complete the sale without a payment if they are worth exactly the goods', async () => {
    const lane = await open()
    await lane.ring('SHAMPOO')
    await take(lane, ['test-small', 70])
    const sale = await lane.current()
    expect(sale?.totals).toMatchObject({ totalCents: 0, dueCents: 0 })
    const done = await lane.call('POST', `/api/sales/${sale?.id}/complete`, { version: sale?.version })
    expect(done.body.sale.state).toBe('completed')
    expect(await lane.refused('POST', `/api/sales/${sale?.id}/payout`, { version: 99 })).toBe('sale-not-open')
  })

  test('need an approval from the amount in the profile on, and are limited in number', async () => {
    const lane = await open({ deposits: { charges, empties: { most: 50, approvalFromDollars: 3 } } })
    const alone = (...empties: (readonly [string, number])[]) =>
      lane.refused('POST', '/api/sales/current/empties', { empties: empties.map(([id, count]) => ({ id, count })) })
    expect(await alone(['test-small', 51])).toBe('empties-limit')
    expect(await alone(['can-fee', 1])).toBe('empties-unknown')
    expect(
      (await lane.call('POST', '/api/sales/current/empties', { empties: [{ id: 'test-small', count: 19 }] })).status,
    ).toBe(200)
    expect(await alone(['test-small', 1])).toBe('approval-required')
    expect((await take(lane, ['test-small', 1])).status).toBe(200)
    const { send, trail } = saleActions(lane)
    expect(await send('PUT', '/lines/1', { quantity: 21 })).toMatchObject({ code: 'approval-required' })
    expect(trail()).toContainEqual(expect.objectContaining({ kind: 'approval-given', action: 'empties', actor: 'sam' }))
  })

  test('are not listed in a store whose profile does not accept them', async () => {
    const lane = await open({ deposits: { charges, empties: { accepted: false } } })
    expect((await lane.call('GET', '/api/empties')).body.classes).toEqual([])
  })

  test('remain with the deposits while their sale is on hold', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring('DRINK')
    await take(lane, ['test-small', 2])
    await send('POST', '/hold', { name: 'Ana' })
    const { sales } = (await lane.call('GET', '/api/sales/held')).body as unknown as HeldSales
    expect(sales).toMatchObject([{ totalCents: 90, itemCount: 1 }])
    const resumed = await lane.call('POST', `/api/sales/${sales[0]?.id}/resume`, { version: sales[0]?.version })
    expect(resumed.body.sale).toMatchObject({
      totals: { totalCents: 90 },
      lines: [{}, { chargeOf: 1 }, { quantity: 2 }],
    })
  })
})

test('the X report and the reports list deposits and empties apart from sales and returns', async () => {
  const lane = await open({ staffId: 'sam' })
  const sale = await buy(lane, [['POP12', 2]], { cash: true })
  await returnPieces(lane, sale, [1, 1])
  await take(lane, ['test-small', 3])
  await payOut(lane)
  const { totals } = XReport.parse((await lane.call('GET', '/api/x-report')).body)
  expect(totals).toMatchObject({
    sales: { count: 2, netCents: 1_422, totalCents: 1_493 },
    deposits: { count: 24, amountCents: 360, returnedCents: 180 },
    empties: { count: 3, amountCents: 45 },
    returns: { netCents: 711 },
  })
  const { rows } = (await reportOf(lane)).breakdowns.deposits
  expect(rows.map(({ id, now }) => [id, now.count, now.cents])).toEqual([
    ['test-small', 12, 180],
    ['can-fee', 12, 12],
  ])
})

test('the report counts sales with empties and their refunds by the person who served', async () => {
  const lane = await open({ staffId: 'sam' })
  for (const count of [3, 2]) {
    await take(lane, ['test-small', count])
    await payOut(lane)
  }
  await lane.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  await take(lane, ['test-small', 1])
  await payOut(lane)
  await lane.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  const { rows } = (await reportOf(lane)).breakdowns['empties-paid']
  expect(Object.fromEntries(rows.map(({ id, now }) => [id, [now.count, now.cents]]))).toEqual({
    alex: [1, 15],
    sam: [2, 75],
  })
})

test('returned deposits are in no report of returns, so that reasons, persons and the X report agree', async () => {
  const lane = await open({ staffId: 'sam' })
  const sale = await buy(lane, [['POP12', 2]], { cash: true })
  await returnPieces(lane, sale, [1, 1])
  const { totals } = XReport.parse((await lane.call('GET', '/api/x-report')).body)
  const { summary, breakdowns } = await reportOf(lane)
  const amounts = [breakdowns['return-reasons'], breakdowns.returns].map(({ rows }) => rows.map(({ now }) => now.cents))
  expect(totals.returns.totalCents).toBe(711 + 35)
  expect([summary.now.returnCents, ...amounts.flat()]).toEqual([746, 746, 746])
})

async function reportOf(lane: TerminalHarness) {
  const to = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const { id } = (await lane.call('POST', '/api/reports/runs', { from, to })).body as unknown as ReportRun
  for (;;) {
    const { body } = await lane.call('GET', `/api/reports/runs/${id}`)
    const { report } = ReportRun.parse(body)
    if (report) return report
  }
}
