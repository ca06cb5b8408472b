import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { cents } from '../../../contracts/core/money.ts'
import { type ReturnSettings, ScannedGoods } from '../../../contracts/payments/return-rules.ts'
import { ReturnQuote, SaleReturn, UnrecordedQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, COFFEE, DETERGENT, quoteOf, refundsOf } from '../../../packages/lab/testing/return-steps.ts'
import { approved, NINA, SAM, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { systemClock } from '../../core/clock.ts'
import { goodsRules, type RuledGoods } from './store-rules.ts'
import { MADE_RETURNS } from '../rows/returns.sql.ts'
import { LOWEST_PRICE } from '../rows/sold-prices.sql.ts'

const central = useCentral()
const DAY_MS = 86_400_000
const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,open_price,sold_by,return_days\n'

/** Opens a lane. `wait` advances its clock by whole days. */
async function openLane(returns: z.input<typeof ReturnSettings>, more: TerminalHarnessOptions = {}) {
  let days = 0
  const clock = { ...systemClock, now: () => systemClock.now() + days * DAY_MS }
  const lane = await openTerminalHarness(central, { returns, clock, ...more })
  return {
    lane,
    wait(count: number): void {
      days += count
    },
  }
}

type Command = Record<string, unknown>

async function commandFor(lane: TerminalHarness, sale: Sale, number = 1, more: Command = {}): Promise<Command> {
  const lines = [{ number, quantity: 1 }]
  const { body } = await lane.call('POST', '/api/returns/quote', { saleId: sale.id, lines, ...more })
  const quote = ReturnQuote.parse(body)
  return { saleId: sale.id, version: quote.version, lines, refunds: refundsOf(quote), cardReference: 'R1', ...more }
}

const rulesOf = async (lane: TerminalHarness, sale: Sale, number = 1): Promise<string[]> =>
  (await quoteOf(lane, sale, [{ number, quantity: 1 }])).brokenRules.map(({ rule }) => rule)

describe('the days for a return', () => {
  test('are the item’s, else the department’s, else the store’s, and count from the day of the sale', async () => {
    const { lane, wait } = await openLane(
      { days: 10, departments: [{ id: 'household', days: 20 }] },
      {
        catalog: `${HEAD}A,,A,A,1.00,standard,dairy,,,,
B,,B,B,1.00,standard,household,,,,
C,,C,C,1.00,standard,household,,,,40
`,
      },
    )
    const sale = await buy(lane, [
      ['A', 1],
      ['B', 1],
      ['C', 1],
    ])
    const broken = async () => [
      await rulesOf(lane, sale, 1),
      await rulesOf(lane, sale, 2),
      await rulesOf(lane, sale, 3),
    ]
    wait(10)
    expect(await broken()).toEqual([[], [], []])
    wait(1)
    expect(await broken()).toEqual([['window'], [], []])
    wait(10)
    expect(await broken()).toEqual([['window'], ['window'], []])
    wait(20)
    expect(await broken()).toEqual([['window'], ['window'], ['window']])
  })

  test('remain those at the time of the sale if the store shortens them later', async () => {
    const { lane, wait } = await openLane({ days: 10 }, { staffId: 'sam' })
    const sale = await buy(lane, [[DETERGENT, 1]])
    const set = (value: number) =>
      lane.call('PUT', '/api/settings/returns.days', { seen: 0, to: { kind: 'value', value }, from: null })
    expect(lane.read('SELECT return_days AS days FROM sale_line')).toEqual([{ days: 10 }])
    wait(8)
    expect((await set(5)).status).toBe(200)
    expect(await rulesOf(lane, sale)).toEqual([])
    wait(8)
    expect(await rulesOf(lane, sale)).toEqual(['window'])
  })

  test('break the rule “final sale” once if zero, for an item with a deposit, with and without a receipt', async () => {
    const head = HEAD.replace('return_days', 'return_days,deposits')
    const catalog = `${head}POP12,,Pop 12,Boisson 12,6.99,standard,drinks,,,,0,ab-small x 12\n`
    const { lane } = await openLane({}, { catalog, region: 'AB' })
    const sale = await buy(lane, [['POP12', 1]])
    expect(await rulesOf(lane, sale)).toEqual(['final-sale'])
    const items = [{ sku: 'POP12', quantity: 2 }]
    expect((await lane.call('POST', '/api/returns/without-record/quote', { items })).body).toMatchObject({
      lines: [{ sku: 'POP12' }, { sku: 'milepost:deposit', amountCents: 240 }],
      brokenRules: [{ rule: 'final-sale' }],
    })
  })

  test('require a manager’s approval once they have passed, which the audit trail records with the rule', async () => {
    const { lane, wait } = await openLane({ days: 10 }, { moreStaff: [NINA] })
    const sale = await buy(lane, [[DETERGENT, 1]])
    wait(11)
    const command = await commandFor(lane, sale)
    const { body } = await lane.call('POST', '/api/returns', command)
    expect(body).toMatchObject({
      code: 'approval-required',
      approval: { action: 'return-override', approvers: ['manager'], brokenRules: [{ rule: 'window', days: 10 }] },
    })
    expect((await approved(lane, 'POST', '/api/returns', command, { staffId: 'nina', pin: '5678' })).body.code).toBe(
      'approver-not-allowed',
    )
    const made = SaleReturn.parse((await approved(lane, 'POST', '/api/returns', command, SAM)).body['return'])
    expect(made.totals.totalCents).toBe(2259)
    expect(
      saleActions(lane)
        .trail()
        .filter(({ kind }) => kind === 'return-rule-overridden'),
    ).toMatchObject([{ actor: 'sam', rule: 'window', cashier: 'alex', totalCents: 2259 }])
    expect(
      saleActions(lane)
        .trail()
        .filter(({ kind }) => kind === 'approval-given'),
    ).toMatchObject([{ actor: 'sam', action: 'return-override' }])
  })
})

test('a final sale is marked on the sale and its receipt, and cannot be returned without an approval', async () => {
  const { lane } = await openLane({}, { catalog: `${HEAD}A,,Socks,Bas,9.00,standard,dairy,,,,0\n` })
  const sale = await buy(lane, [['A', 1]])
  expect(sale.lines).toMatchObject([{ finalSale: true }])
  expect(JSON.stringify((await lane.call('GET', `/api/sales/${sale.id}/receipt`)).body)).toContain('Final sale')
  expect(await rulesOf(lane, sale)).toEqual(['final-sale'])
  expect(await lane.refused('POST', '/api/returns', await commandFor(lane, sale))).toBe('approval-required')
  expect(lane.read('SELECT id FROM sale_return')).toEqual([])
})

describe('daily limits of returns', () => {
  test('require an approval for a return above the number allowed to one person or to the lane', async () => {
    const { lane, wait } = await openLane({ cashierCount: 1, laneCount: 2 })
    const sale = await buy(lane, [[APPLES, 4]])
    const commit = async () => approved(lane, 'POST', '/api/returns', await commandFor(lane, sale))
    expect(await rulesOf(lane, sale)).toEqual([])
    await commit()
    expect(await rulesOf(lane, sale)).toEqual(['cashier-count'])
    await commit()
    expect(await rulesOf(lane, sale)).toEqual(['cashier-count', 'lane-count'])
    wait(1)
    expect(await rulesOf(lane, sale)).toEqual([])
  })

  test('compare the allowed amount with the sum of all returns of the day, also those without a receipt', async () => {
    const { lane } = await openLane({ cashierDollars: 20, laneDollars: 13 })
    const items = [{ sku: APPLES, quantity: 1 }]
    await approved(lane, 'POST', '/api/returns/without-record', { items, reason: 'gift' })
    const sale = await buy(lane, [[APPLES, 2]])
    expect((await quoteOf(lane, sale, [{ number: 1, quantity: 1 }])).brokenRules).toEqual([
      { rule: 'lane-amount', mostCents: 1300 },
    ])
    expect((await quoteOf(lane, sale, [{ number: 1, quantity: 2 }])).brokenRules).toMatchObject([
      { rule: 'cashier-amount', mostCents: 2000 },
      { rule: 'lane-amount' },
    ])
  })

  test('are counted by an index of returns, and the lowest price of an item is read by its key', async () => {
    const { lane } = await openLane({})
    const made = MADE_RETURNS.replaceAll('@lane', "'01'").replaceAll('@from', '0').replaceAll('@cashierId', "'a'")
    const plan = lane.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${made}`)
    expect(plan.map(({ detail }) => detail).join()).toContain('sale_return_newest')
    const price = lane.read<{ detail: string }>(
      `EXPLAIN QUERY PLAN ${LOWEST_PRICE.replace('?', "'A'").replace('?', "''")}`,
    )
    expect(price.map(({ detail }) => detail).join()).toContain('PRIMARY KEY')
  })
})

describe('goods with a GS1 code', () => {
  const CATALOG = `${HEAD}MILK,9506000134352,Milk,Lait,5.00,zero-rated,dairy,,,,3\n`
  const code = '9506000134352'
  const goods = (scanned: object, more: Partial<RuledGoods> = {}): RuledGoods => ({
    name: { 'en-CA': 'Milk', 'fr-CA': 'Lait' },
    sku: 'MILK',
    departmentId: 'dairy',
    soldOn: '2026-11-20',
    soldDays: null,
    pieces: 1,
    scanned: [{ ...ScannedGoods.parse({ code, ...scanned }), pieces: 1 }],
    ...more,
  })
  const checks = { expired: 'ask', recalled: 'refuse', recalledLots: [{ barcode: code, lot: 'L7' }] } as const
  const judge = (one: RuledGoods, days: number | null = 3) =>
    goodsRules([one], () => days, { ...checks, recalledLots: [...checks.recalledLots] }, '2026-11-22')

  test('break a rule if expired without a receipt, or expired after the sale, but not before it', () => {
    expect(judge(goods({ expiry: '2026-11-21' })).brokenRules).toMatchObject([{ rule: 'expired', day: '2026-11-21' }])
    expect(judge(goods({ expiry: '2026-11-22' })).brokenRules).toEqual([])
    expect(judge(goods({ expiry: '2026-11-19' }), 0).brokenRules).toEqual([])
    expect(judge(goods({ expiry: '2026-11-19' }, { soldOn: null })).brokenRules).toMatchObject([{ rule: 'expired' }])
  })

  test('break no rule if their lot is recalled, also in a final sale, and are reported', () => {
    expect(judge(goods({ lot: 'L7', expiry: '2026-11-21' }), 0)).toMatchObject({
      brokenRules: [],
      recalled: [{ lot: 'L7' }],
    })
    expect(judge(goods({ lot: 'L8' }), 0).brokenRules).toMatchObject([{ rule: 'final-sale' }])
  })

  test('are exempt from the rules for a recalled lot only in the pieces scanned with a code of the item', async () => {
    const head = HEAD.replace('return_days', 'return_days,packs')
    const [pack, priced] = ['19506000134359', '29506000134356']
    const catalog = `${head}MILK,${code},Milk,Lait,5.00,zero-rated,dairy,,,,0,${pack} x 4|${priced} x 3 @ 12.00
TV,,TV,Télé,499.00,standard,care,,,,0,
`
    const recalledLots = [code, pack, priced].map((barcode) => ({ barcode, lot: 'L7' }))
    const { lane } = await openLane({}, { catalog, goodsChecks: { recalledLots } })
    await lane.ring('MILK', 6)
    await lane.call('POST', '/api/training/scan', { code: priced })
    await lane.until(({ lines }) => lines.length === 2)
    const sale = await buy(lane, [['TV', 1]])
    const rules = async (lines: object[], ...scanned: [number, string][]) => {
      const sent = scanned.map(([number, scannedCode]) => ({ number, code: scannedCode, lot: 'L7' }))
      const { body } = await lane.call('POST', '/api/returns/quote', { saleId: sale.id, lines, scanned: sent })
      return ReturnQuote.parse(body).brokenRules.map(({ rule }) => rule)
    }
    const milk = (quantity: number) => ({ number: 1, quantity })
    expect(await rules([milk(2)], [1, code])).toEqual(['final-sale'])
    expect(await rules([milk(2)], [1, code], [1, `0${code}`])).toEqual([])
    expect(await rules([milk(1), milk(1)], [1, code]), 'a line that is named twice').toEqual(['final-sale'])
    expect(await rules([milk(5)], [1, pack], [1, code])).toEqual([])
    expect(await rules([milk(6)], [1, pack], [1, code])).toEqual(['final-sale'])
    expect(await rules([{ number: 3, quantity: 1 }], [3, code])).toEqual(['final-sale'])
    const packs = [{ number: 2, quantity: 1 }]
    expect([await rules(packs, [2, code]), await rules(packs, [2, priced])]).toEqual([['final-sale'], []])
    const without = async (sku: string, quantity: number) => {
      const items = [{ sku, quantity, scanned: { code, lot: 'L7' } }]
      const { body } = await lane.call('POST', '/api/returns/without-record/quote', { items })
      return UnrecordedQuote.parse(body).brokenRules.map(({ rule }) => rule)
    }
    expect([await without('MILK', 1), await without('MILK', 2), await without('TV', 1)]).toEqual([
      [],
      ['final-sale'],
      ['final-sale'],
    ])
  })

  test('are checked at a return, and the audit trail records a recalled lot', async () => {
    const { lane, wait } = await openLane(
      {},
      { catalog: CATALOG, goodsChecks: { recalledLots: [{ barcode: code, lot: 'L7' }] } },
    )
    const sale = await buy(lane, [['MILK', 2]])
    wait(5)
    const scanned = [{ number: 1, code, lot: 'L7' }]
    const made = await lane.call('POST', '/api/returns', await commandFor(lane, sale, 1, { scanned }))
    expect(made.status).toBe(200)
    expect(
      saleActions(lane)
        .trail()
        .filter(({ kind }) => kind === 'recalled-returned'),
    ).toMatchObject([{ lot: 'L7' }])
    const expired = [{ number: 1, code, expiry: '2026-01-01' }]
    expect(await lane.refused('POST', '/api/returns', await commandFor(lane, sale, 1))).toBe('approval-required')
    const { body } = await lane.call('POST', '/api/returns/quote', {
      saleId: sale.id,
      lines: [{ number: 1, quantity: 1 }],
      scanned: expired,
    })
    expect(ReturnQuote.parse(body).brokenRules, 'expired when it was sold').toEqual([])
  })
})

describe('a return without a receipt', () => {
  const unrecorded = async (lane: TerminalHarness, ...items: object[]) =>
    UnrecordedQuote.parse((await lane.call('POST', '/api/returns/without-record/quote', { items })).body)

  test('refunds the lowest price of the last 30 days, also of a promotion, but not of a manual price', async () => {
    const { lane, wait } = await openLane(
      {},
      {
        staffId: 'sam',
        promotions: [
          {
            id: 'apples',
            names: { 'en-CA': 'Apples 3 for $10', 'fr-CA': 'Pommes 3 pour 10 $' },
            items: { kind: 'items', skus: [APPLES] },
            reward: { kind: 'set-price', units: 3, cents: cents(1_000) },
          },
        ],
      },
    )
    const { price } = saleActions(lane)
    await buy(lane, [[APPLES, 3]])
    await lane.ring(COFFEE)
    await price(1, 500)
    await buy(lane, [[DETERGENT, 1]])
    expect((await unrecorded(lane, { sku: APPLES, quantity: 2 }, { sku: COFFEE, quantity: 1 })).lines).toMatchObject([
      { unitPriceCents: 333, regularPriceCents: 699, amountCents: 666 },
      { unitPriceCents: 1499, regularPriceCents: null },
    ])
    wait(31)
    expect((await unrecorded(lane, { sku: APPLES, quantity: 2 })).lines).toMatchObject([{ unitPriceCents: 699 }])
  })

  test('refunds today’s promotional price, or the price in the catalog if the profile sets 0 days', async () => {
    const promotions = [
      {
        id: 'coffee',
        names: { 'en-CA': 'Coffee', 'fr-CA': 'Café' },
        items: { kind: 'items' as const, skus: [COFFEE] },
        reward: { kind: 'price' as const, cents: cents(1_199) },
      },
    ]
    const { lane } = await openLane({}, { promotions })
    expect((await unrecorded(lane, { sku: COFFEE, quantity: 1 })).lines).toMatchObject([{ unitPriceCents: 1199 }])
    const { lane: other } = await openLane({ lowestPriceDays: 0 }, { promotions })
    expect((await unrecorded(other, { sku: COFFEE, quantity: 1 })).lines).toMatchObject([{ unitPriceCents: 1499 }])
  })

  test('refunds goods sold by weight at the lowest price of their unit, weighed or labelled with a price', async () => {
    const { lane, wait } = await openLane(
      {},
      {
        staffId: 'sam',
        catalog: `${HEAD}HAM,,Ham,Jambon,20.00,zero-rated,dairy,,,kg,\n`,
        promotions: [
          {
            id: 'ham',
            names: { 'en-CA': 'Ham', 'fr-CA': 'Jambon' },
            items: { kind: 'items', skus: ['HAM'] },
            reward: { kind: 'percent', ppm: 500_000 },
          },
        ],
      },
    )
    const weighing = { from: 'typed', grossThousandths: 1_000 }
    await lane.call('POST', '/api/sales/current/lines', { sku: 'HAM', quantity: 1, weighing })
    const { id, version, totals } = await saleActions(lane).now()
    const cash = { version, kind: 'cash', tenderedCents: totals.cashDueCents }
    expect((await lane.call('POST', `/api/sales/${id}/tenders`, cash)).body.sale.totals.totalCents).toBe(1_000)
    await lane.call('POST', '/api/catalog/promotions/remove', { id: 'ham' })
    const measured = { netThousandths: 500, source: 'scale' }
    const amounts = async () =>
      (
        await unrecorded(lane, { sku: 'HAM', quantity: 1, measured }, { sku: 'HAM', quantity: 1, priceCents: 1_001 })
      ).lines.map(({ amountCents }) => amountCents)
    expect(await amounts()).toEqual([500, 500])
    wait(31)
    expect(await amounts()).toEqual([1_000, 1_001])
  })

  test('refunds the lowest tax that a sale of the goods could have charged', async () => {
    const head = HEAD.replace('return_days', 'return_days,tax_rule')
    const catalog = `${head}MUFFIN,,Muffin,Muffin,1.00,standard,bakery,,,,,baked-serving
SOUP,,Soup,Soupe,3.00,standard,hot,,,,,prepared-food
MEAL,,Meal,Repas,9.00,standard,hot,,,,,prepared-food
SOAP,,Soap,Savon,2.00,standard,care,,,,,
`
    const { lane } = await openLane({}, { catalog, region: 'ON' })
    const six = await buy(lane, [['MUFFIN', 6]], { cash: true })
    expect(six.totals.totalCents).toBe(600)
    const totalOf = async (sku: string, quantity: number) =>
      (await unrecorded(lane, { sku, quantity })).totals.totalCents
    expect(await totalOf('MUFFIN', 5)).toBe(500)
    expect(await totalOf('SOUP', 2), 'the federal part alone, as for one soup').toBe(630)
    expect([await totalOf('MEAL', 1), await totalOf('SOAP', 1)]).toEqual([1_017, 226])
  })

  test('requires the price of an open-price item and the weight of a weighed item', async () => {
    const catalog = `${HEAD}CLOCK,,Repair,Réparation,50.00,standard,care,,1.00-200.00,,
NUTS,4012,Nuts,Noix,12.00,zero-rated,bulk,,,kg,
`
    const { lane } = await openLane({}, { catalog })
    const weighed = (netThousandths: number) => ({ netThousandths, source: 'scale' })
    const refused = async (item: object) => {
      const { body } = await lane.call('POST', '/api/returns/without-record/quote', { items: [item] })
      return [body.code, body.details]
    }
    expect(await refused({ sku: 'CLOCK', quantity: 1 })).toEqual([
      'price-required',
      [{ path: 'sku', message: 'CLOCK' }],
    ])
    expect(await refused({ sku: 'CLOCK', quantity: 1, priceCents: 99 })).toMatchObject(['price-out-of-bounds', {}])
    expect(await refused({ sku: 'NUTS', quantity: 1 })).toEqual(['weight-required', [{ path: 'sku', message: 'NUTS' }]])
    expect((await refused({ sku: 'NUTS', quantity: 2, measured: weighed(100) }))[0]).toBe('weighed-single')
    const quote = await unrecorded(
      lane,
      { sku: 'CLOCK', quantity: 1, priceCents: 2000 },
      { sku: 'NUTS', quantity: 1, measured: weighed(455) },
    )
    expect(quote.lines).toMatchObject([
      { amountCents: 2000 },
      { amountCents: 546, measure: { netThousandths: 455, unitPriceCents: 1200 } },
    ])
  })

  test('needs one approval if the item is a final sale: for the missing receipt and the rule together', async () => {
    const { lane } = await openLane({}, { catalog: `${HEAD}A,,Socks,Bas,9.00,standard,dairy,,,,0\n` })
    const command = { items: [{ sku: 'A', quantity: 1 }], reason: 'gift' }
    const { body } = await lane.call('POST', '/api/returns/without-record', command)
    expect(body.approval).toMatchObject({ action: 'return-override', approvers: ['manager'] })
    expect((await approved(lane, 'POST', '/api/returns/without-record', command)).status).toBe(200)
    expect(
      saleActions(lane)
        .trail()
        .filter(({ kind }) => kind === 'return-rule-overridden'),
    ).toMatchObject([{ actor: 'sam', rule: 'final-sale' }])
  })
})
