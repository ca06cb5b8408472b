import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { TrainingPanel } from '../../contracts/operations/training.ts'
import { ReturnQuote } from '../../contracts/payments/returns.ts'
import { CurrentScale, type ScaleView } from '../../contracts/sales/weighing.ts'
import { readReport } from '../day/reports/read-report.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const CATALOG =
  'sku,barcode,name_en,name_fr,price,tax_category,department,category,sold_by,tare\n' +
  'BANANA,4011,Bananas,Bananes,1.99,zero-rated,produce,,kg,\n' +
  'SALAD,,Salad bar,Bar à salades,12.99,zero-rated,deli,,kg,0.012\n' +
  'CANDY,,Wrapped candy,Bonbons,9.99,standard,bulk,,kg,4%\n' +
  'OLIVES,,Olives,Olives,1.29,zero-rated,deli,,100 g,\n' +
  'HAM,,Ham,Jambon,1.49,zero-rated,deli,,lb,\n' +
  'ROPE,,Rope,Corde,2.49,standard,hardware,,m,\n' +
  'MILK,,Milk,Lait,5.00,zero-rated,dairy,,,'
const SCALE = { connection: { kind: 'virtual' }, protocol: 'toledo-8217', unit: 'kg', minimumWeight: 0.02 } as const
const TYPED = { actions: { 'weight-typed': { cashier: 'alone' } } } as const

const openLane = (change: TerminalHarnessOptions = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { catalog: CATALOG, scale: SCALE, approvals: TYPED, ...change })

/** Puts a load on the scale, and waits until the API returns its reading. */
async function load(lane: TerminalHarness, loadThousandths: number, state = 'stable'): Promise<ScaleView> {
  await lane.call('POST', '/api/training/scale', { loadThousandths })
  return reading(
    lane,
    (scale) => scale.state === state && (scale.grossThousandths ?? loadThousandths) === loadThousandths,
  )
}

async function reading(lane: TerminalHarness, isMet: (scale: ScaleView) => boolean): Promise<ScaleView> {
  for (;;) {
    const { scale } = CurrentScale.parse((await lane.call('GET', '/api/scale')).body)
    if (scale !== null && isMet(scale)) return scale
    await lane.next()
  }
}

const weigh = (sku: string, weighing: object) => ({ sku, quantity: 1, weighing })
const ring = async (lane: TerminalHarness, sku: string, weighing: object): Promise<Sale> => {
  const { status, body } = await lane.call('POST', '/api/sales/current/lines', weigh(sku, weighing))
  expect(body, `${status}`).toHaveProperty('sale')
  return (body as { sale: Sale }).sale
}
const typed = (grossThousandths: number, more: object = {}) => ({ from: 'typed', grossThousandths, ...more })

/** Rows of the report of items for the day of the first sale. */
function soldItems(lane: TerminalHarness) {
  const [day] = lane.read<{ day: string }>("SELECT date(closed_at / 1000, 'unixepoch', '-5 hours') AS day FROM sale")
  const range = { from: day?.day ?? '', to: day?.day ?? '' }
  const database = join(lane.folder, 'terminal.db')
  const question = { database, lane: '01', range, timeZone: 'America/Toronto', until: Date.now() + 1_000 }
  return readReport(question, () => undefined).breakdowns.items.rows
}

test('a stable weight on the scale prices an item, and each reading is sold once', async () => {
  const lane = await openLane()
  const { number } = await load(lane, 1_235)
  const scale = { from: 'scale', reading: number }
  expect((await ring(lane, 'BANANA', scale)).lines).toMatchObject([
    {
      sku: 'BANANA',
      quantity: 1,
      amountCents: 246,
      measure: { unit: 'kg', netThousandths: 1_235, unitPriceCents: 199, source: 'scale' },
    },
  ])
  expect(await lane.refused('POST', '/api/sales/current/lines', weigh('BANANA', scale))).toBe('scale-same-load')
  await load(lane, 0, 'zero')
  const again = await load(lane, 1_235)
  expect((await ring(lane, 'BANANA', { from: 'scale', reading: again.number })).lines).toHaveLength(2)
})

test('a weight is refused while the scale moves, is empty, overloaded, below zero or unplugged', async () => {
  const lane = await openLane()
  await load(lane, 800)
  const FAULTS = {
    unstable: 'unstable',
    over: 'over',
    negative: 'under',
    'not-zeroed': 'not-zeroed',
    silent: 'unavailable',
  }
  for (const [fault, state] of Object.entries(FAULTS)) {
    await lane.call('POST', '/api/training/scale', { fault })
    const { number } = await reading(lane, (scale) => scale.state === state)
    const refused = await lane.refused(
      'POST',
      '/api/sales/current/lines',
      weigh('BANANA', { from: 'scale', reading: number }),
    )
    expect(refused, fault).toBe(fault === 'silent' ? 'scale-unavailable' : 'scale-not-stable')
  }
  await lane.call('POST', '/api/training/scale', { fault: null, loadThousandths: 0 })
  const empty = await reading(lane, ({ state }) => state === 'zero')
  const refuse = (reading: number) =>
    lane.refused('POST', '/api/sales/current/lines', weigh('BANANA', { from: 'scale', reading }))
  expect(await refuse(empty.number)).toBe('scale-not-stable')
  const small = await load(lane, 15)
  expect(await refuse(small.number)).toBe('weight-too-small')
  expect(await refuse(small.number - 1)).toBe('scale-not-stable')
  await lane.call('POST', '/api/training/play', { scenario: 'scale-unplugged' })
  const gone = await reading(lane, ({ state }) => state === 'unavailable')
  expect(await refuse(gone.number)).toBe('scale-unavailable')
})

test('the tare of the item, a typed tare and a proportional tare are subtracted', async () => {
  const lane = await openLane()
  await ring(lane, 'SALAD', typed(512))
  await ring(lane, 'SALAD', typed(512, { tareThousandths: 20 }))
  await ring(lane, 'SALAD', typed(512, { tareThousandths: 0 }))
  expect((await ring(lane, 'CANDY', typed(500))).lines).toMatchObject([
    { amountCents: 650, measure: { netThousandths: 500, tareThousandths: 12 } },
    { amountCents: 639, measure: { netThousandths: 492, tareThousandths: 20 } },
    { amountCents: 665, measure: { netThousandths: 512 } },
    { amountCents: 480, measure: { netThousandths: 480, tareThousandths: 20 } },
  ])
  const heavy = weigh('SALAD', typed(100, { tareThousandths: 100 }))
  expect(await lane.refused('POST', '/api/sales/current/lines', heavy)).toBe('tare-too-large')
})

test('items by 100 g, pound and metre are priced in their unit, and not from a scale with another unit', async () => {
  const lane = await openLane()
  await ring(lane, 'OLIVES', typed(345))
  await ring(lane, 'HAM', typed(2_350))
  expect((await ring(lane, 'ROPE', typed(2_500))).lines).toMatchObject([
    { amountCents: 445, measure: { unit: '100g' } },
    { amountCents: 350, measure: { unit: 'lb' } },
    { amountCents: 623, measure: { unit: 'm' } },
  ])
  const { number } = await load(lane, 500)
  const refuse = (sku: string, weighing: object) =>
    lane.refused('POST', '/api/sales/current/lines', weigh(sku, weighing))
  expect(await refuse('HAM', { from: 'scale', reading: number })).toBe('scale-unit-differs')
  expect(await refuse('ROPE', { from: 'scale', reading: number })).toBe('scale-unit-differs')
  expect(await refuse('ROPE', typed(2_505))).toBe('measure-out-of-bounds')
  expect(await refuse('MILK', typed(500))).toBe('body-invalid')
  expect(
    await lane.refused('POST', '/api/sales/current/lines', { sku: 'BANANA', quantity: 2, weighing: typed(500) }),
  ).toBe('weighed-single')
  expect(await lane.refused('POST', '/api/sales/current/lines', { sku: 'BANANA', quantity: 1 })).toBe('weight-required')
})

test('a typed weight needs an approval that shows the weight; typed metres need none', async () => {
  const lane = await openLane({ approvals: {} })
  const { status, body } = await lane.call('POST', '/api/sales/current/lines', weigh('BANANA', typed(1_000)))
  expect(status).toBe(403)
  expect(body).toMatchObject({
    code: 'approval-required',
    approval: {
      action: 'weight-typed',
      items: [{ name: { 'en-CA': 'Bananas, 1.000 kg at $1.99/kg' }, afterCents: 199 }],
    },
  })
  const approval = { staffId: 'sam', pin: '9999', covers: (body as { approval: { covers: string } }).approval.covers }
  const approved = await lane.call('POST', '/api/sales/current/lines', { ...weigh('BANANA', typed(1_000)), approval })
  expect(approved.status).toBe(200)
  await ring(lane, 'ROPE', typed(1_500))
  const given = lane.read<{ detail: string }>("SELECT detail FROM audit_entry WHERE kind = 'approval-given'")
  expect(given.map(({ detail }) => JSON.parse(detail) as object)).toMatchObject([{ action: 'weight-typed' }])
})

test('a scanned item that is sold by weight asks the window for its weight', async () => {
  const lane = await openLane()
  await lane.call('POST', '/api/training/scan', { code: ']E004011' })
  await lane.call('POST', '/api/devices/keys', { text: '4011' })
  while (!lane.events().some(({ type }) => type === 'weight-asked')) await lane.next()
  expect(lane.events().findLast(({ type }) => type === 'weight-asked')).toMatchObject({ item: { sku: 'BANANA' } })
})

test('the receipt, the customer display and the stored line show net weight, unit price and tare', async () => {
  const lane = await openLane()
  const sale = await ring(lane, 'SALAD', typed(512))
  const display = async () => TrainingPanel.parse((await lane.call('GET', '/api/training/panel')).body).display
  while ((await display())?.[0] !== 'N 0.500 kg  12.99/kg') await lane.next()
  expect(await display()).toEqual(['N 0.500 kg  12.99/kg', 'Salad bar       6.50'])
  await lane.call('POST', `/api/sales/${sale.id}/tenders`, {
    version: sale.version,
    kind: 'cash',
    tenderedCents: 1_000,
  })
  const paper = JSON.stringify((await lane.call('GET', `/api/sales/${sale.id}/receipt`)).body)
  expect(paper).toContain('0.500 kg net at $12.99/kg, tare 0.012')
  expect(lane.read('SELECT names, measure FROM sale_line')).toEqual([
    {
      names: JSON.stringify({
        'en-CA': 'Salad bar, 0.500 kg net at $12.99/kg, tare 0.012 kg',
        'fr-CA': 'Bar à salades, 0,500 kg net à 12,99 $/kg, tare 0,012 kg',
      }),
      measure: JSON.stringify({
        netThousandths: 500,
        tareThousandths: 12,
        source: 'typed',
        unit: 'kg',
        unitPriceCents: 1299,
        name: { 'en-CA': 'Salad bar', 'fr-CA': 'Bar à salades' },
      }),
    },
  ])
})

test('the report of items names a weighed item without the weight and price of a line', async () => {
  const lane = await openLane({ staffId: 'sam' })
  for (const grams of [1_235, 800]) {
    const { id, version } = await ring(lane, 'BANANA', typed(grams))
    await lane.call('POST', `/api/sales/${id}/tenders`, { version, kind: 'cash', tenderedCents: 1_000 })
  }
  expect(soldItems(lane)).toMatchObject([
    { id: 'BANANA', name: { 'en-CA': 'Bananas' }, now: { count: 2 }, measured: [{ symbol: 'kg', now: 2_035 }] },
  ])
})

test('a weighed line is sent to the program with quantity 1 at the amount of the line', async () => {
  const lane = await openLane()
  await lane.swipe('fine')
  const { id, version } = await ring(lane, 'BANANA', typed(1_235))
  const card = { version, kind: 'card', amountCents: 246, reference: 'T1' }
  const { body } = await lane.call('POST', `/api/sales/${id}/tenders`, card)
  expect(body).toMatchObject({ sale: { state: 'completed' } })
  await lane.untilOperation('issue', 'confirmed')
  const [request] = await central.requests(ISSUANCE_PATHS.issue)
  expect(request?.body).toMatchObject({
    items: [{ id: 'BANANA', name: 'Bananas', quantity: 1, baseAmount: 2.46, finalAmount: 2.46 }],
  })
})

test('promotions reduce a weighed line by its amount or price per unit, and never count it as pieces', async () => {
  const names = { 'en-CA': 'P', 'fr-CA': 'P' }
  const lane = await openLane({
    promotions: [
      { id: 'bananas', names, items: { kind: 'items', skus: ['BANANA'] }, reward: { kind: 'price', cents: 149 } },
      { id: 'salad', names, items: { kind: 'items', skus: ['SALAD'] }, reward: { kind: 'percent', ppm: 250_000 } },
      { id: 'ham', names, items: { kind: 'items', skus: ['HAM'] }, reward: { kind: 'amount', cents: 20 } },
      {
        id: 'set',
        names,
        items: { kind: 'items', skus: ['CANDY'] },
        reward: { kind: 'set-price', units: 2, cents: 1 },
      },
    ],
  })
  await ring(lane, 'BANANA', typed(1_235))
  await ring(lane, 'SALAD', typed(512))
  await ring(lane, 'HAM', typed(2_350))
  await ring(lane, 'CANDY', typed(500))
  expect((await ring(lane, 'CANDY', typed(500))).lines.map(({ amountCents }) => amountCents)).toEqual([
    184, 487, 303, 480, 480,
  ])
  const { body } = await lane.call('POST', '/api/catalog/price-check', { code: 'BANANA' })
  expect(body).toMatchObject({ check: { isByWeight: true, unit: 'kg', priceCents: 199, afterCents: 149 } })
})

test('a weighed line is returned whole at its stored amount, and its weight is subtracted in reports', async () => {
  const lane = await openLane()
  await ring(lane, 'BANANA', typed(1_235))
  const sale = await ring(lane, 'BANANA', typed(500))
  await lane.call('POST', `/api/sales/${sale.id}/tenders`, {
    version: sale.version,
    kind: 'cash',
    tenderedCents: 1_000,
  })
  const lines = [{ number: 1, quantity: 1 }]
  const quote = ReturnQuote.parse((await lane.call('POST', '/api/returns/quote', { saleId: sale.id, lines })).body)
  expect(quote).toMatchObject({ totals: { totalCents: 246 }, lines: [{ measure: { netThousandths: 1_235 } }] })
  const refunds = quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents }))
  const back = await lane.call('POST', '/api/returns', {
    saleId: sale.id,
    version: quote.version,
    lines,
    refunds,
    reason: 'not-wanted',
  })
  expect(back.body).toMatchObject({ return: { lines: [{ measure: { netThousandths: 1_235, source: 'typed' } }] } })
  expect(soldItems(lane)).toMatchObject([{ id: 'BANANA', now: { count: 1 }, measured: [{ symbol: 'kg', now: 500 }] }])
})

test('goods without a record are returned by weight at the price of today', async () => {
  const lane = await openLane({ staffId: 'sam' })
  const items = [{ sku: 'BANANA', quantity: 1, measured: { netThousandths: 1_000, source: 'scale' } }]
  expect((await lane.call('POST', '/api/returns/without-record/quote', { items })).body).toMatchObject({
    totals: { totalCents: 199 },
  })
  const { body } = await lane.call('POST', '/api/returns/without-record', { items, reason: 'no receipt' })
  expect(body).toMatchObject({ return: { lines: [{ measure: { netThousandths: 1_000 }, amountCents: 199 }] } })
  const wrong = { items: [{ ...items[0], sku: 'MILK' }] }
  expect(await lane.refused('POST', '/api/returns/without-record/quote', wrong)).toBe('weighed-single')
})

test('a held sale keeps its weighed lines, and an undo voids the last one', async () => {
  const lane = await openLane()
  await ring(lane, 'BANANA', typed(1_235))
  const { id, version } = await ring(lane, 'OLIVES', typed(345))
  const undone = await lane.call('POST', `/api/sales/${id}/undo`, { version })
  expect(undone.body).toMatchObject({ sale: { lines: [{ voided: false }, { voided: true }] } })
  const now = (undone.body as { sale: Sale }).sale
  await lane.call('POST', `/api/sales/${id}/hold`, { version: now.version, name: 'Ann' })
  const resumed = await lane.call('POST', `/api/sales/${id}/resume`, { version: now.version + 1 })
  expect(resumed.body).toMatchObject({
    sale: { lines: [{ measure: { netThousandths: 1_235 }, amountCents: 246 }, {}] },
  })
})
