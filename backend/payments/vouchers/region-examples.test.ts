import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Region } from '../../../contracts/core/regions.ts'
import { CashedOut, type Voucher } from '../../../contracts/payments/vouchers.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { payBy, saleOf, sold } from '../../../packages/lab/testing/vouchers.ts'
import { parseCsv } from '../../catalog/editions/csv.ts'
import { systemClock } from '../../core/clock.ts'

interface Item {
  readonly id: string
  readonly p: number
  readonly q: number
  readonly t: string
}
interface Input {
  readonly acc?: {
    readonly shelf: number
    readonly scan: number
    readonly q: number
    readonly t: string
    readonly excl?: string
    readonly date?: string
  }
  readonly sale?: {
    readonly items: readonly Item[]
    readonly coupons?: readonly { readonly v: number }[]
    readonly rates?: object
  }
  readonly gc?: readonly number[]
  readonly cashout?: boolean
}
interface Expected {
  readonly units: readonly number[]
  readonly tax: Readonly<Record<string, number>>
  readonly total: number
  readonly cash: number
  readonly gc_used: readonly number[]
  readonly gc_left: readonly number[]
  readonly due: number
  readonly due_cash: number
  readonly cashout?: readonly number[]
  readonly cashout_cash?: readonly number[]
}

const central = useCentral()
type Card = Voucher & { readonly code: string }

const CATEGORIES: Readonly<Record<string, string>> = { T: 'standard', Z: 'zero-rated' }
const FILE = path.join(import.meta.dirname, '../../sales/pricing/examples.csv')
const rows = [...parseCsv(readFileSync(FILE, 'utf8'))].map(({ fields }) => {
  const [id = '', area = '', region = '', input = '', expected = ''] = fields
  return { id, area, region, input, expected }
})
const examplesOf = (area: string) =>
  rows
    .filter((row) => row.area === area)
    .map(({ id, region, input, expected }) => ({
      id,
      region: region === 'any' ? 'ZZ' : Region.parse(region),
      input: JSON.parse(input) as Input,
      expected: JSON.parse(expected) as Expected,
    }))

const taxesOf = ({ totals }: Sale): Record<string, number> =>
  Object.fromEntries(totals.taxes.flatMap(({ code, amountCents }) => (amountCents === 0 ? [] : [[code, amountCents]])))

/** A terminal whose catalog has the items of the example, and whose clock shows its day. */
function openStore(
  region: Region,
  items: readonly Item[],
  {
    date,
    coupon,
    percent,
    staffId,
  }: {
    readonly date?: string
    readonly coupon?: number
    readonly percent?: number
    readonly staffId?: 'alex' | 'sam'
  } = {},
): Promise<TerminalHarness> {
  const shiftMs = date === undefined ? 0 : Date.parse(`${date}T17:00:00Z`) - Date.now()
  return openTerminalHarness(central, {
    region,
    ...(staffId === undefined ? {} : { staffId }),
    ...(percent === undefined ? {} : { taxes: [{ code: 'PST', percent }] }),
    coupons:
      coupon === undefined
        ? []
        : [{ code: 'CARD', name: { 'en-CA': 'Card', 'fr-CA': 'Carte' }, dollars: coupon / 100 }],
    catalog: items
      .map(({ id, p, t }) => `${id},,Item ${id},Article ${id},${(p / 100).toFixed(2)},${CATEGORIES[t]},grocery,`)
      .join('\n'),
    clock: { ...systemClock, now: () => systemClock.now() + shiftMs },
  })
}

describe('price accuracy by region', () => {
  test.each(examplesOf('accuracy'))(
    'row $id of examples.csv gets the expected prices, taxes and total',
    async ({ region, input, expected }) => {
      const { shelf, scan, q, t, excl, date } = input.acc ?? { shelf: 0, scan: 0, q: 0, t: 'T' }
      const harness = await openStore(region, [{ id: 'A', p: scan, q, t }], {
        staffId: 'sam',
        ...(date === undefined ? {} : { date }),
      })
      const sale = await harness.ring('A', q)
      const url = `/api/sales/${sale.id}/lines/1/shelf-price`
      const asked = { version: sale.version, shelfPriceCents: shelf, compensate: excl === undefined }
      const { body } = await harness.call('POST', url, asked)
      expect(body.code).toBe(shelf >= scan ? 'accuracy-not-lower' : undefined)
      const now = await harness.current()
      if (!now) throw new Error('no sale is open')
      const [line] = now.lines
      const [first = 0, ...others] = expected.units
      expect(line?.amountCents).toBe(first + others.reduce((sum, price) => sum + price, 0))
      expect(others[0] ?? line?.unitPriceCents, 'the other pieces').toBe(line?.unitPriceCents)
      expect(taxesOf(now)).toEqual(expected.tax)
      expect([now.totals.totalCents, now.totals.cashDueCents]).toEqual([expected.total, expected.cash])
    },
  )
})

interface Paid {
  readonly tax: readonly number[]
  readonly total: number
  readonly used: readonly number[]
  readonly left: readonly (number | undefined)[]
  readonly due: readonly number[]
  readonly state: Sale['state']
}

/** Rings the first item, applies the coupon, and pays with each card in order. */
async function payWithCards(harness: TerminalHarness, { sale: asked }: Input, cards: readonly Card[]): Promise<Paid> {
  let sale = await harness.ring(asked?.items[0]?.id ?? '', asked?.items[0]?.q ?? 1)
  if (asked?.coupons) sale = saleOf(await harness.call('POST', '/api/sales/current/coupons', { code: 'CARD' }))
  const [tax, total] = [Object.values(taxesOf(sale)), sale.totals.totalCents]
  for (const card of cards)
    sale = saleOf(await payBy(harness, sale, card, Math.min(card.balanceCents, sale.totals.dueCents)))
  return {
    tax,
    total,
    used: sale.tenders.map(({ amountCents }) => amountCents),
    left: sale.tenders.map(({ leftCents }) => leftCents),
    due: [sale.totals.dueCents, sale.totals.cashDueCents],
    state: sale.state,
  }
}

async function cashOut(harness: TerminalHarness, { id, code }: Card, amountCents: number): Promise<CashedOut> {
  await harness.call('POST', '/api/vouchers/present', { code })
  return CashedOut.parse((await harness.call('POST', `/api/vouchers/${id}/cash-out`, { amountCents })).body)
}

describe('gift cards by region', () => {
  const examples = examplesOf('giftcard')
  const openFor = async ({ region, input }: (typeof examples)[number]) => {
    const { items, coupons, rates } = input.sale ?? { items: [] }
    const harness = await openStore(region, items.length > 0 ? items : [{ id: 'A', p: 100, q: 1, t: 'Z' }], {
      ...(coupons?.[0] ? { coupon: coupons[0].v } : {}),
      ...(region === 'ZZ' ? { percent: rates === undefined ? 0 : 16 } : {}),
    })
    const cards: Card[] = []
    for (const value of input.gc ?? []) cards.push(await sold(harness, value))
    return { harness, cards }
  }

  test.each(examples.filter(({ input }) => input.sale))(
    'row $id of examples.csv uses and leaves the expected amounts of each card',
    async (example) => {
      const { expected } = example
      const { harness, cards } = await openFor(example)
      expect(await payWithCards(harness, example.input, cards)).toEqual({
        tax: Object.values(expected.tax),
        total: expected.total,
        used: expected.gc_used,
        left: expected.gc_left,
        due: [expected.due, expected.due_cash],
        state: expected.due === 0 ? 'completed' : 'open',
      })
    },
  )

  test.each(examples.filter(({ input }) => input.cashout))(
    'row $id of examples.csv gets its remaining balance paid out in cash',
    async (example) => {
      const { input, expected } = example
      const { harness, cards } = await openFor(example)
      if (input.sale) await payWithCards(harness, input, cards)
      const [card] = cards
      if (!card) throw new Error('the example has a card')
      const amountCents = expected.gc_left[0] ?? 0
      expect(amountCents).toBe(expected.cashout?.[0])
      const paid = await cashOut(harness, card, amountCents)
      expect(paid).toMatchObject({ amountCents, cashCents: expected.cashout_cash?.[0] })
    },
  )
})
