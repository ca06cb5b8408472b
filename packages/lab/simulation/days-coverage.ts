import type { Database } from 'better-sqlite3'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { clockChanges } from '../../../backend/core/zone.ts'

/** Situations that must occur in a long run: without them the run proves nothing. */
export const REQUIRED_SITUATIONS = [
  'Z',
  'Z of several shifts',
  'Z of several cashiers’ drawers',
  'sale',
  'sale between count and Z',
  'sale across midnight',
  'sale with a discount',
  'sale with a store coupon',
  'sale with weights',
  'sale with deposits and fees',
  'sale with the tax rule of its basket',
  'sale with empties',
  'sale that empties paid in full',
  'empties paid out',
  'empties above the limit of approval',
  'promotion chips',
  'promotion fresh',
  'promotion milk',
  'promotion mix',
  'promotion basket',
  'promotion snacks',
  'payment by manufacturer’s coupon',
  'manufacturer’s coupon given back',
  'manufacturer’s coupon of a typed value',
  'cancelled sale',
  'return',
  'return of all goods in several steps',
  'return with a promotion',
  'return with a deposit',
  'return of a weight',
  'return of a sale paid with a manufacturer’s coupon',
  'exchange',
  'redemption',
  'redemption reversed',
  'store credit for miles reversed too late',
  'gift card sold',
  'payment by gift card',
  'payment by store credit',
  'rounded cash payment',
  'paid-in',
  'paid-out',
  'drop',
  'pickup',
  'deposit',
  'no-sale',
  'held across midnight',
  'shift across midnight',
  'kill before a commit',
  'kill after a commit',
  'kill before a send',
  'kill before a response',
  'clock set ahead',
  'clock set back',
  'start of daylight saving time',
  'end of daylight saving time',
] as const

export const uncovered = (coverage: ReadonlyMap<string, number>): string[] =>
  REQUIRED_SITUATIONS.filter((name) => !coverage.has(name))

const HOUR_MS = 3_600_000

export interface PlayedDays {
  readonly met: (name: string, times?: number) => void
  readonly dateOf: (at: number) => string
  readonly began: ReadonlyMap<string, string>
  readonly timeZone: string
  /** Start and end of the played days in epoch milliseconds. */
  readonly from: number
  readonly to: number
}

export function coverRows(db: Database, { met, dateOf, began, timeZone, from, to }: PlayedDays): void {
  const number = (sql: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get() ?? 0
  met('Z', number('z_report'))
  met('Z of several shifts', number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(*) > 1)'))
  met(
    'Z of several cashiers’ drawers',
    number('(SELECT 1 FROM shift GROUP BY z_number HAVING count(DISTINCT drawer_of) > 1)'),
  )
  met('sale', number("sale WHERE state = 'completed'"))
  met('cancelled sale', number("sale WHERE state = 'cancelled'"))
  met('sale with a discount', number("sale WHERE state = 'completed' AND totals ->> '$.discountCents' > 0"))
  met('return', number('sale_return'))
  coverGoods({ met, number })
  met('redemption', number("tender WHERE kind = 'miles' AND amount_cents > 0"))
  met('redemption reversed', number("operation WHERE kind = 'redemption' AND state = 'reversed'"))
  met(
    'store credit for miles reversed too late',
    number("voucher_entry WHERE kind = 'issued' AND operation_id IS NOT NULL"),
  )
  met('gift card sold', number("voucher_entry WHERE kind = 'issued' AND sale_line_number IS NOT NULL"))
  met('payment by gift card', number("tender WHERE kind = 'gift-card' AND amount_cents > 0"))
  met('payment by store credit', number("tender WHERE kind = 'store-credit' AND amount_cents > 0"))
  met('rounded cash payment', number("tender WHERE kind = 'cash' AND rounding_cents <> 0"))
  for (const kind of ['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale', 'deposit'])
    met(kind, number(`cash_movement WHERE kind = '${kind}'`))
  for (const { openedAt, countedAt } of db
    .prepare<[], { openedAt: number; countedAt: number }>(
      'SELECT opened_at AS openedAt, counted_at AS countedAt FROM shift WHERE counted_at IS NOT NULL',
    )
    .all())
    met('shift across midnight', dateOf(openedAt) === dateOf(countedAt) ? 0 : 1)
  for (const { id, at } of db
    .prepare<[], { id: string; at: number }>("SELECT id, closed_at AS at FROM sale WHERE state = 'completed'")
    .all())
    met('sale across midnight', (began.get(id) ?? dateOf(at)) === dateOf(at) ? 0 : 1)
  for (const { minutes, from: at } of clockChanges(timeZone, from, to).slice(1))
    met(
      (clockChanges(timeZone, at - HOUR_MS, at)[0]?.minutes ?? minutes) < minutes
        ? 'start of daylight saving time'
        : 'end of daylight saving time',
    )
}

const COMPLETED =
  "sale WHERE state = 'completed' AND EXISTS (SELECT 1 FROM sale_line WHERE sale_id = sale.id AND voided = 0"
const EMPTY_CONTAINERS = `SELECT 0 - sum(quantity * unit_price_cents) AS cents FROM sale_line
  WHERE sku = '${EMPTIES_SKU}' AND voided = 0 GROUP BY sale_id`
const PIECES = `SELECT sum(quantity) FROM sale_line WHERE sale_id = sale_return.sale_id AND voided = 0`
const RETURNED = `(SELECT DISTINCT return_id FROM return_line JOIN sale_return ON sale_return.id = return_id`

/** Covers weights, deposits, empties, promotions and coupons, and their returns. */
function coverGoods({ met, number }: Pick<PlayedDays, 'met'> & { readonly number: (sql: string) => number }): void {
  met('sale with weights', number(`${COMPLETED} AND measure IS NOT NULL)`))
  met('sale with deposits and fees', number(`${COMPLETED} AND charge_of IS NOT NULL)`))
  met('sale with the tax rule of its basket', number(`${COMPLETED} AND sku = 'MUFFIN')`))
  met('sale with empties', number(`${COMPLETED} AND sku = '${EMPTIES_SKU}')`))
  met(
    'sale that empties paid in full',
    number(`${COMPLETED} AND sku = '${EMPTIES_SKU}') AND totals ->> '$.totalCents' = 0`),
  )
  met('empties paid out', number("sale WHERE state = 'completed' AND totals ->> '$.totalCents' < 0"))
  met('empties above the limit of approval', number(`(${EMPTY_CONTAINERS}) WHERE cents >= 400`))
  met('sale with a store coupon', number('(SELECT DISTINCT sale_id FROM sale_discount WHERE coupon IS NOT NULL)'))
  for (const id of ['chips', 'fresh', 'milk', 'mix', 'basket', 'snacks'])
    met(`promotion ${id}`, number(`(SELECT DISTINCT sale_id FROM sale_discount WHERE promotion = '${id}')`))
  met('payment by manufacturer’s coupon', number('tender WHERE coupon IS NOT NULL AND amount_cents > 0'))
  met('manufacturer’s coupon given back', number('tender WHERE coupon IS NOT NULL AND amount_cents < 0'))
  met('manufacturer’s coupon of a typed value', number("tender WHERE coupon ->> '$.reach.skus[0]' = 'MILK'"))
  met('return of a weight', number(`${RETURNED} WHERE measure IS NOT NULL)`))
  met('return with a deposit', number(`${RETURNED} WHERE sku = '${CHARGE_SKUS.deposit}')`))
  met(
    'return with a promotion',
    number(`${RETURNED} JOIN sale_discount ON sale_discount.sale_id = sale_return.sale_id AND promotion IS NOT NULL
      AND CAST(target AS INTEGER) = sale_line_number)`),
  )
  met(
    'return of a sale paid with a manufacturer’s coupon',
    number('sale_return WHERE sale_id IN (SELECT sale_id FROM tender WHERE coupon IS NOT NULL)'),
  )
  met(
    'return of all goods in several steps',
    number(`(SELECT sale_id FROM sale_return GROUP BY sale_id HAVING count(*) > 1 AND (${PIECES} AND sku NOT IN
      ('${GIFT_CARD_SKU}', '${EMPTIES_SKU}')) = (SELECT sum(quantity) FROM return_line JOIN sale_return AS one
      ON one.id = return_id WHERE one.sale_id = sale_return.sale_id))`),
  )
}
