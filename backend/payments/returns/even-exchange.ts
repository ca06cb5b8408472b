import { isDeepStrictEqual } from 'node:util'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import {
  type BasketLine,
  type Pieces,
  lineAmount,
  lineDiscount,
  totalBasket,
  without,
} from '../../sales/sale/basket.ts'
import { type PricedParts, pricedLines, sharesOf, taxesOfSale, totalsOfLines } from '../../sales/sale/sale-parts.ts'
import type { LineRow } from '../../sales/sale/sales.sql.ts'
import { isGoods } from '../../catalog/charges.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import { priceOfMeasure } from '../../../contracts/catalog/measure-units.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import { type ReturnValue, isRefundable, only, taxIn, taxedWith, valueOfReturned } from './return-rules.ts'

/** Pieces of one line of the open sale that replace returned pieces, at the price that was paid for those. */
export interface EvenPieces {
  readonly number: number
  readonly quantity: number
  readonly unitPriceCents: Cents
  /** The returned pieces, at that price. Null if the line has only a part of the weight that was returned. */
  readonly returned: BasketLine | null
}

/** Returned pieces by the price that was paid for each: whole cents, which add up to the amount of the line. */
function paidPieces(line: BasketLine): { quantity: number; unitPriceCents: Cents }[] {
  const amount = lineAmount(line)
  const each = Math.floor(amount / line.quantity)
  const dearer = amount - each * line.quantity
  return [
    { quantity: dearer, unitPriceCents: cents(each + 1) },
    { quantity: line.quantity - dearer, unitPriceCents: cents(each) },
  ].filter(({ quantity }) => quantity > 0)
}

/**
 * Whether two lines have the same article. The name of a pack contains its number of pieces, so packs of other sizes
 * differ.
 */
const isSame = (one: BasketLine, other: BasketLine): boolean =>
  one.sku === other.sku &&
  isDeepStrictEqual(one.name, other.name) &&
  one.measure?.unit === other.measure?.unit &&
  isGoods(one)

interface OpenLine {
  readonly line: BasketLine
  left: number
}

/**
 * Finds the weighings of the open sale that replace a returned weighing: one of the same net quantity, else those that
 * are together at most its net quantity, each at its share of the price that was paid. With the latter, a customer
 * returns a part of a weighing and keeps the rest.
 */
function evenMeasures(line: BasketLine, measure: LineMeasure, free: readonly OpenLine[]): EvenPieces[] {
  const whole = measure.netThousandths
  const priceOf = (thousandths: number): number =>
    priceOfMeasure(thousandths, measure.unit, measure.unitPriceCents) ?? line.unitPriceCents
  const netOf = (one: OpenLine): number => one.line.measure?.netThousandths ?? Infinity
  const found = free.filter((one) => one.left > 0 && isSame(line, one.line))
  const equal = found.find((one) => netOf(one) === whole)
  let left = whole
  return (equal ? [equal] : found).flatMap((one) => {
    const net = netOf(one)
    if (net > left) return []
    one.left = 0
    left -= net
    const reduced = Math.floor(((priceOf(whole) - lineAmount(line)) * net) / whole)
    const { discount: _paid, ...plain } = line
    const unitPriceCents = one === equal ? lineAmount(line) : cents(Math.max(0, priceOf(net) - reduced))
    const returned = one === equal ? { ...plain, unitPriceCents } : null
    return [{ number: one.line.number, quantity: 1, unitPriceCents, returned }]
  })
}

/**
 * Finds the returned pieces that the customer buys again in the open sale. Excludes lines whose price a person changed,
 * or that a coupon or a discount reduces, because that change was meant for today's price.
 */
export function evenPieces(returned: readonly BasketLine[], open: PricedParts): EvenPieces[] {
  const ofPromotions = new Set(open.discounts.filter(({ promotion }) => promotion !== null).map(({ number }) => number))
  const reduced = new Set(sharesOf(open).flatMap(({ discount, line }) => (ofPromotions.has(discount) ? [] : [line])))
  const free = pricedLines(open)
    .filter(({ number, voided, regularPriceCents }) => !voided && regularPriceCents === null && !reduced.has(number))
    .map((line): OpenLine => ({ line, left: line.quantity }))
  return returned.flatMap((line) => {
    if (line.measure) return evenMeasures(line, line.measure, free)
    return paidPieces(line).flatMap(({ quantity, unitPriceCents }) => {
      let wanted = quantity
      return free.flatMap((one) => {
        const taken = isSame(line, one.line) ? Math.min(wanted, one.left) : 0
        one.left -= taken
        wanted -= taken
        const { discount: _paid, ...plain } = line
        return taken === 0
          ? []
          : [
              {
                number: one.line.number,
                quantity: taken,
                unitPriceCents,
                returned: { ...plain, quantity: taken, unitPriceCents },
              },
            ]
      })
    })
  })
}

/** Whether pieces of an even exchange have another price in the open sale than the one that was paid. */
export function isPriceChanged(even: readonly EvenPieces[], open: PricedParts): boolean {
  const lines = pricedLines(open)
  return even.some(({ number, unitPriceCents }) => {
    const line = lines.find((one) => one.number === number)
    return line !== undefined && (line.unitPriceCents !== unitPriceCents || lineDiscount(line) > 0)
  })
}

/**
 * A line of the open sale after an even exchange. `from`: number of the line that its pieces had before. `replaces`:
 * the returned goods that it replaces at the price that was paid; `part`: a part of a returned weighing.
 */
export type EvenLine = LineRow & { readonly from: number; readonly replaces: 'none' | 'part' | 'all' }

/**
 * Gives the pieces of an even exchange the price that was paid, each price as a line of its own. Pieces at today's
 * price keep the number of the line; the others follow as new lines, or take that number if no piece keeps it.
 */
export function evenLines(lines: readonly LineRow[], even: readonly EvenPieces[], isFixed: boolean): EvenLine[] {
  let last = Math.max(0, ...lines.map(({ number }) => number))
  const replaced: EvenLine[] = []
  const added: EvenLine[] = []
  for (const line of lines) {
    const pieces = even.filter(({ number }) => number === line.number)
    const rest = line.quantity - pieces.reduce((sum, { quantity }) => sum + quantity, 0)
    const prices = new Map<Cents, number>()
    for (const { unitPriceCents, quantity } of pieces)
      prices.set(unitPriceCents, (prices.get(unitPriceCents) ?? 0) + quantity)
    const split: EvenLine[] = [
      ...(rest > 0 ? [{ ...line, quantity: rest, from: line.number, replaces: 'none' as const }] : []),
      ...[...prices].map(([unitPriceCents, quantity]) => ({
        ...line,
        quantity,
        unitPriceCents,
        // Marks the price as fixed, so that no promotion of today lowers it again.
        regularPriceCents: isFixed ? line.unitPriceCents : line.regularPriceCents,
        from: line.number,
        replaces: pieces.some(({ returned }) => returned === null) ? ('part' as const) : ('all' as const),
      })),
    ]
    const [first, ...others] = split
    if (first) replaced.push(first)
    for (const other of others) added.push({ ...other, number: (last += 1) })
  }
  return [...replaced, ...added]
}

/**
 * The open sale after an even exchange: `goods` of the exchange with their charges, totals of the whole sale
 * (`bought`), and totals without these goods (`others`).
 */
export interface EvenSale {
  readonly lines: readonly EvenLine[]
  readonly goods: readonly BasketLine[]
  readonly bought: ReturnValue
  readonly others: ReturnValue
  readonly taxes: readonly StoreTax[]
}

export function evenSale(open: PricedParts, lines: readonly EvenLine[], today: readonly StoreTax[]): EvenSale {
  const even = new Set(lines.flatMap((line) => (line.replaces === 'all' ? [line.number] : [])))
  const isEven = ({ number, chargeOf }: Pick<LineRow, 'number'> & { readonly chargeOf?: number | null }): boolean =>
    even.has(chargeOf ?? number)
  const others = { ...open, lines: open.lines.filter((line) => !isEven(line)) }
  const taxes = taxesOfSale(open.sale, today)
  const priced = pricedLines(open)
  return {
    lines,
    goods: priced.filter(isEven),
    bought: totalsOfLines(open, priced, taxes),
    others: totalsOfLines(open, pricedLines(others), taxes),
    taxes,
  }
}

/**
 * Values a return of which some pieces are bought again (`even`). If their taxes are the same today, they have the tax
 * that they add to the open sale, so that no cent of rounding is due, unless the returned sale could then not be
 * refunded to the cent. With another rate or treatment, the tax that was charged is refunded and the tax of the new
 * sale is due (Excise Tax Act, s. 232: a refund adjusts the tax charged on the supply).
 */
export function valueOfEven(
  worth: ReturnValue,
  { before, left, even }: { before: readonly BasketLine[]; left: readonly BasketLine[]; even: readonly BasketLine[] },
  rates: readonly StoreTax[],
  { goods, bought, others, taxes }: EvenSale,
): ReturnValue {
  const [then, now] = [totalBasket(even, rates, []), totalBasket(goods, taxes, [])]
  const hasSameTax =
    then.subtotalCents === now.subtotalCents &&
    then.taxes.length === now.taxes.length &&
    then.taxes.every(({ code, amountCents }) => taxIn(now, code) === amountCents)
  if (!hasSameTax) return worth
  const alone = valueOfReturned(before, without(before, piecesOf(before, left, even)), rates)
  const refunded = worth.taxes.map(({ code }) => ({
    code,
    amountCents: cents(taxIn(alone, code) + taxIn(bought, code) - taxIn(others, code)),
  }))
  const returned = only(before, piecesOf(before, left, []))
  return isRefundable({ taxes: refunded }, worth, { returned, left, rates }) ? taxedWith(worth, refunded) : worth
}

/** Returned pieces that are not among `even`. */
const piecesOf = (before: readonly BasketLine[], left: readonly BasketLine[], even: readonly BasketLine[]): Pieces[] =>
  before
    .map(({ number, quantity }) => ({
      number,
      quantity:
        quantity -
        (left.find((line) => line.number === number)?.quantity ?? 0) -
        even.reduce((sum, line) => (line.number === number ? sum + line.quantity : sum), 0),
    }))
    .filter(({ quantity }) => quantity > 0)
