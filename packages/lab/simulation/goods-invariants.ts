import type { Database } from 'better-sqlite3'
import { EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { cents, roundToNickel } from '../../../contracts/core/money.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { TENDER_TYPES } from '../../../backend/payments/tender-types/registry.ts'
import type { Delivery } from './network.ts'

interface SoldAndReturned {
  readonly id: string
  /**
   * Amount paid for goods that can be returned: the total without gift cards, plus what empty containers paid of it.
   */
  readonly goodsCents: number
  readonly taxes: string
  readonly soldPieces: number
  readonly returnedPieces: number
  readonly refundedCents: number
  readonly returnedTaxes: string
  readonly refundCents: number
  readonly exchanges: number
}

/** Lines of a sale that are no gift cards, empty containers, deposits or fees. */
const GOODS = `voided = 0 AND charge_of IS NULL AND sku NOT IN ('${GIFT_CARD_SKU}', '${EMPTIES_SKU}')`

const RETURNED_SALES = `SELECT sale.id, sale.totals ->> '$.totalCents' - (SELECT
    coalesce(sum(quantity * unit_price_cents), 0) FROM sale_line WHERE sale_id = sale.id AND voided = 0
    AND sku IN ('${GIFT_CARD_SKU}', '${EMPTIES_SKU}')) AS goodsCents,
  sale.totals ->> '$.taxes' AS taxes,
  (SELECT sum(quantity) FROM sale_line WHERE sale_id = sale.id AND ${GOODS}) AS soldPieces,
  (SELECT sum(return_line.quantity) FROM sale_return JOIN return_line ON return_id = sale_return.id
    JOIN sale_line ON sale_line.sale_id = sale.id AND sale_line.number = sale_line_number AND charge_of IS NULL
    WHERE sale_return.sale_id = sale.id) AS returnedPieces,
  (SELECT sum(total_cents) FROM sale_return WHERE sale_id = sale.id) AS refundedCents,
  (SELECT json_group_array(json(taxes)) FROM sale_return WHERE sale_id = sale.id) AS returnedTaxes,
  (SELECT coalesce(sum(amount_cents), 0) FROM refund JOIN sale_return ON sale_return.id = return_id
    WHERE sale_id = sale.id) AS refundCents,
  (SELECT count(DISTINCT sale_return.id) FROM sale_return JOIN refund ON refund.return_id = sale_return.id
    JOIN voucher_entry ON voucher_entry.voucher_id = refund.voucher_id AND voucher_entry.kind = 'redeemed'
    AND voucher_entry.at = sale_return.at WHERE sale_return.sale_id = sale.id) AS exchanges
  FROM sale WHERE state = 'completed' AND EXISTS (SELECT 1 FROM sale_return WHERE sale_id = sale.id)`

interface Tax {
  readonly code: string
  readonly amountCents: number
}
const taxSums = (taxes: readonly Tax[]): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const { code, amountCents } of taxes) sums.set(code, (sums.get(code) ?? 0) + amountCents)
  return sums
}

/**
 * Invariant 17: returns never give back more than was paid, in all and of each tax; and a return of all goods, in any
 * steps, gives back all of it. An exchange nets before tax, so each may give back a cent less of each tax.
 */
export function brokenReturns(db: Database): string[] {
  const sales = db.prepare<[], SoldAndReturned>(RETURNED_SALES).all()
  return [...sales.flatMap(brokenReturnsOf), ...brokenReturnLines(db), ...brokenRefunds(db)]
}

function brokenReturnsOf(sale: SoldAndReturned): string[] {
  const { id, goodsCents, refundedCents, refundCents, exchanges } = sale
  const sold = taxSums(JSON.parse(sale.taxes) as Tax[])
  const back = taxSums((JSON.parse(sale.returnedTaxes) as Tax[][]).flat())
  const isBroken = (given: number, paid: number, slack: number): boolean =>
    given > paid || (sale.soldPieces === sale.returnedPieces && given < paid - slack)
  const whole = sale.soldPieces === sale.returnedPieces ? 'all' : 'some'
  return [
    ...(isBroken(refundedCents, goodsCents, exchanges * sold.size)
      ? [`${whole} goods of sale ${id} were returned for ${refundedCents}, and ${goodsCents} were paid`]
      : []),
    ...[...sold].flatMap(([code, paid]) =>
      isBroken(back.get(code) ?? 0, paid, exchanges)
        ? [`${whole} goods of sale ${id} were returned for ${back.get(code) ?? 0} of ${paid} ${code}`]
        : [],
    ),
    ...(refundCents === refundedCents ? [] : [`refunds of sale ${id} sum to ${refundCents}, not ${refundedCents}`]),
  ]
}

/**
 * Checks that deposits and fees follow their goods, no empties are returned, and the lines of each return sum to its
 * subtotal.
 */
function brokenReturnLines(db: Database): string[] {
  const describe = (what: string, sql: string): string[] =>
    db
      .prepare<[], string>(sql)
      .pluck()
      .all()
      .map((id) => `${what}: ${id}`)
  const back = `SELECT coalesce(sum(quantity), 0) FROM return_line JOIN sale_return ON sale_return.id = return_id
    WHERE sale_return.sale_id = sold.sale_id AND sale_line_number =`
  return [
    ...describe(
      'a deposit or fee was not returned with its goods',
      `SELECT sale_id FROM sale_line AS sold WHERE charge_of IS NOT NULL AND (${back} sold.number) <>
        (${back} sold.charge_of)`,
    ),
    ...describe('empties were returned', `SELECT return_id FROM return_line WHERE sku = '${EMPTIES_SKU}'`),
    ...describe(
      'the lines of a return do not sum to it',
      `SELECT id FROM sale_return WHERE subtotal_cents <> (SELECT sum(quantity * unit_price_cents - discount_cents)
        FROM return_line WHERE return_id = sale_return.id)`,
    ),
  ]
}

/** Checks that no kind of payment is refunded above what it paid, and that the cash of all returns is rounded once. */
function brokenRefunds(db: Database): string[] {
  const poolOf = (kind: string): string =>
    Object.entries(TENDER_TYPES).find(([name]) => name === kind)?.[1].pool ?? kind
  const left = new Map<string, number>()
  const add = (saleId: string, pool: string, amount: number): void => {
    left.set(`${saleId} ${pool}`, (left.get(`${saleId} ${pool}`) ?? 0) + amount)
  }
  for (const { saleId, kind, amount } of db
    .prepare<
      [],
      { saleId: string; kind: string; amount: number }
    >(`SELECT sale_id AS saleId, kind, sum(amount_cents) AS amount FROM tender GROUP BY 1, 2
      UNION ALL SELECT sale_id, 'cash', 0 - sum(quantity * unit_price_cents) FROM sale_line
      WHERE sku = '${EMPTIES_SKU}' AND voided = 0 GROUP BY 1`)
    .all())
    add(saleId, poolOf(kind), amount)
  const refunds = db
    .prepare<[], { saleId: string; paidBy: string; amount: number; cash: number; given: number }>(
      `SELECT sale_id AS saleId, paid_by AS paidBy, sum(amount_cents) AS amount,
        coalesce(sum(amount_cents) FILTER (WHERE kind = 'cash'), 0) AS cash,
        coalesce(sum(amount_cents + rounding_cents) FILTER (WHERE kind = 'cash'), 0) AS given
        FROM refund JOIN sale_return ON sale_return.id = return_id WHERE sale_id IS NOT NULL GROUP BY 1, 2`,
    )
    .all()
  for (const { saleId, paidBy, amount } of refunds) add(saleId, paidBy, 0 - amount)
  return [
    ...[...left].flatMap(([name, amount]) =>
      amount < 0 && refunds.some(({ saleId, paidBy }) => name === `${saleId} ${paidBy}`)
        ? [`${0 - amount} more were refunded than paid of ${name}`]
        : [],
    ),
    ...refunds.flatMap(({ saleId, cash, given }) =>
      given === roundToNickel(cents(cash)) ? [] : [`${cash} of sale ${saleId} were refunded with ${given} in cash`],
    ),
  ]
}

/**
 * Invariants 14 and 17: a payout of empties is one cash payment in the shift of its sale. Empties have a limit, and
 * need an approval from a certain amount on.
 */
export function brokenEmpties(db: Database, { most, approvalFromDollars }: Profile['deposits']['empties']): string[] {
  const describe = (what: string, rows: string[]): string[] => rows.map((id) => `${what}: sale ${id}`)
  const empties = `SELECT sale_id, sum(quantity) AS pieces, 0 - sum(quantity * unit_price_cents) AS cents FROM sale_line
    WHERE sku = '${EMPTIES_SKU}' AND voided = 0 GROUP BY 1`
  const ids = (sql: string, ...values: number[]): string[] =>
    db
      .prepare<number[], string>(sql)
      .pluck()
      .all(...values)
  return [
    ...describe(
      'empties were not paid out by one cash payment in the shift of their sale',
      ids(`SELECT id FROM sale WHERE state = 'completed' AND totals ->> '$.totalCents' < 0 AND (SELECT count(*)
        FROM tender WHERE sale_id = sale.id AND kind = 'cash' AND shift_id = sale.shift_id
        AND amount_cents = sale.totals ->> '$.totalCents') <> 1`),
    ),
    ...describe(
      'the payments differ from the total',
      ids(`SELECT id FROM sale WHERE state = 'completed' AND totals ->> '$.totalCents' <>
        (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = sale.id)`),
    ),
    ...describe('more empties than the profile allows', ids(`SELECT sale_id FROM (${empties}) WHERE pieces > ?`, most)),
    ...describe(
      'empties without the approval that the profile requires',
      ids(
        `SELECT sale_id FROM (${empties}) AS back WHERE cents >= ? AND NOT EXISTS (SELECT 1 FROM audit_entry
          WHERE subject = back.sale_id AND kind IN ('override', 'approval-given')
          AND detail ->> '$.action' = 'empties')`,
        Math.round(approvalFromDollars * 100),
      ),
    ),
  ]
}

const ITEMIZED: readonly string[] = [ISSUANCE_PATHS.calculate, ISSUANCE_PATHS.issue, ISSUANCE_PATHS.return]
const TAXES = ['basketGSTAmount', 'basketHSTAmount', 'basketPSTAmount', 'basketQSTAmount'] as const
/** Whole cents of an amount in dollars; NaN for another value. */
function centsIn(value: unknown): number {
  const amount = typeof value === 'number' ? Math.round(value * 100) : Number.NaN
  return amount / 100 === value ? amount : Number.NaN
}

/**
 * Invariant 18: each item of a CALCULATE, ISSUE or RETURN has a whole quantity of at least 1 and `finalAmount` =
 * `baseAmount` × `quantity` in cents (specification 3 §2.2); the items sum to the basket before tax.
 */
export function brokenRequests(deliveries: readonly Pick<Delivery, 'path' | 'body'>[]): string[] {
  return deliveries.flatMap(({ path, body }) => {
    if (!ITEMIZED.includes(path)) return []
    const items = Array.isArray(body['items']) ? (body['items'] as Record<string, unknown>[]) : []
    const of = `${path} of ${String(body['checkoutTransactionId'])}`
    const [pre, post] = [centsIn(body['basketPreTaxAmount']), centsIn(body['basketPostTaxAmount'])]
    const sum = items.reduce((total, { finalAmount }) => total + centsIn(finalAmount), 0)
    const taxes = TAXES.reduce((total, name) => total + (body[name] === undefined ? 0 : centsIn(body[name])), 0)
    return [
      ...items
        .filter(
          ({ quantity, baseAmount, finalAmount }) =>
            !Number.isInteger(quantity) ||
            Number(quantity) < 1 ||
            !(centsIn(baseAmount) >= 0) ||
            centsIn(finalAmount) !== centsIn(baseAmount) * Number(quantity),
        )
        .map((item) => `${of} has the item ${JSON.stringify(item)}`),
      ...(sum === pre ? [] : [`the items of ${of} sum to ${sum}, but its basket is ${pre}`]),
      ...(pre + taxes === post ? [] : [`${of} has ${pre} before tax, ${taxes} of taxes and ${post} in all`]),
    ]
  })
}
