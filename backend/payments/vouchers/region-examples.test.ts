import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cents, roundToNickel } from '../../../contracts/core/money.ts'
import { Region } from '../../../contracts/core/regions.ts'
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
  { date, coupon, percent }: { readonly date?: string; readonly coupon?: number; readonly percent?: number } = {},
): Promise<TerminalHarness> {
  const shiftMs = date === undefined ? 0 : Date.parse(`${date}T17:00:00Z`) - Date.now()
  return openTerminalHarness(central, {
    region,
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

describe('price accuracy: the example', () => {
  test.each(examplesOf('accuracy'))('$id of examples.csv gets its prices', async ({ region, input, expected }) => {
    const { shelf, scan, q, t, excl, date } = input.acc ?? { shelf: 0, scan: 0, q: 0, t: 'T' }
    const harness = await openStore(region, [{ id: 'A', p: scan, q, t }], date === undefined ? {} : { date })
    const sale = await harness.ring('A', q)
    const url = `/api/sales/${sale.id}/lines/1/shelf-price`
    const asked = { version: sale.version, shelfPriceCents: shelf, compensate: excl === undefined }
    if (shelf >= scan) expect(await harness.refused('POST', url, asked)).toBe('accuracy-not-lower')
    else await harness.call('POST', url, asked)
    const now = await harness.current()
    if (!now) throw new Error('no sale is open')
    const [line] = now.lines
    const [first = 0, ...others] = expected.units
    expect(line?.amountCents).toBe(first + others.reduce((sum, price) => sum + price, 0))
    if (others.length > 0) expect(line?.unitPriceCents, 'the other pieces').toBe(others[0])
    expect(taxesOf(now)).toEqual(expected.tax)
    expect([now.totals.totalCents, now.totals.cashDueCents]).toEqual([expected.total, expected.cash])
  })
})

describe('gift cards: the example', () => {
  test.each(examplesOf('giftcard'))('$id of examples.csv gets its balances', async ({ region, input, expected }) => {
    const { items, coupons } = input.sale ?? { items: [] }
    const rates = region === 'ZZ' && input.sale?.rates === undefined ? 0 : 16
    const harness = await openStore(region, items.length > 0 ? items : [{ id: 'A', p: 100, q: 1, t: 'Z' }], {
      ...(coupons?.[0] ? { coupon: coupons[0].v } : {}),
      ...(region === 'ZZ' ? { percent: rates } : {}),
    })
    const cards = []
    for (const value of input.gc ?? []) cards.push(await sold(harness, value))
    const left = [...(input.gc ?? [])]
    const used = left.map(() => 0)
    if (items.length > 0) {
      let sale = await harness.ring(items[0]?.id ?? '', items[0]?.q ?? 1)
      if (coupons) sale = saleOf(await harness.call('POST', '/api/sales/current/coupons', { code: 'CARD' }))
      expect(Object.values(taxesOf(sale))).toEqual(Object.values(expected.tax))
      expect(sale.totals.totalCents).toBe(expected.total)
      for (const [at, card] of cards.entries()) {
        const amount = Math.min(left[at] ?? 0, sale.totals.dueCents)
        sale = saleOf(await payBy(harness, sale, card, amount))
        used[at] = amount
        left[at] = (left[at] ?? 0) - amount
        expect(sale.tenders[at]).toMatchObject({ kind: 'gift-card', amountCents: amount, leftCents: left[at] })
      }
      expect([sale.totals.dueCents, sale.totals.cashDueCents]).toEqual([expected.due, expected.due_cash])
      expect(sale.state).toBe(expected.due === 0 ? 'completed' : 'open')
    }
    expect([used, left]).toEqual([expected.gc_used, expected.gc_left])
    if (!input.cashout) return
    const [card] = cards
    if (!card) throw new Error('the example has a card')
    await harness.call('POST', '/api/vouchers/present', { code: card.code })
    const { status, body } = await harness.call('POST', `/api/vouchers/${card.id}/cash-out`, { amountCents: left[0] })
    expect(body, `status ${status}`).toMatchObject({
      amountCents: expected.cashout?.[0],
      cashCents: expected.cashout_cash?.[0],
    })
    expect(roundToNickel(cents(expected.cashout?.[0] ?? 0))).toBe(expected.cashout_cash?.[0])
  })
})
