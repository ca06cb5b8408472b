import { WHOLE_PPM, type Reach, type TakenOff } from '../../../contracts/sales/sale-changes.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'

/** A line before anything is taken off it. */
export interface DiscountableLine {
  readonly number: number
  readonly sku: string
  readonly departmentId: string
  readonly quantity: number
  readonly unitPriceCents: Cents
  /** The catalog's price of a piece, where another was put in its place; else null. */
  readonly regularPriceCents: Cents | null
  readonly voided: boolean
}

export interface GrantedDiscount {
  readonly number: number
  readonly reach: Reach
  /** Null: a coupon of miles alone. */
  readonly off: TakenOff | null
  /** What it reaches must come to this before tax, or it takes nothing. */
  readonly minimumCents: Cents
  /** Of a coupon nobody decides at the lane: it never needs a supervisor. */
  readonly byHand: boolean
}

/** What one discount takes off one line; only amounts above zero are named. */
export interface Share {
  readonly discount: number
  readonly line: number
  readonly amountCents: Cents
}

/**
 * Line first, then what reaches several lines, the sale last: a share of the sale is a share of what is left to pay.
 */
const STAGES: readonly (readonly Reach['kind'][])[] = [['line'], ['item', 'department'], ['sale']]

/**
 * What each discount takes off each line as the lines stand now. In cents, exactly: the shares of a discount are its
 * amount, spread by the largest remainder over what is left of the lines that it reaches, so no line falls below zero
 * and a discount that finds too little takes what there is. Within a stage the older discount goes first.
 */
export function shareDiscounts(lines: readonly DiscountableLine[], discounts: readonly GrantedDiscount[]): Share[] {
  const left = new Map(lines.filter((line) => !line.voided).map((line) => [line.number, grossOf(line)]))
  const shares: Share[] = []
  for (const stage of STAGES) {
    for (const discount of discounts
      .filter(({ reach }) => stage.includes(reach.kind))
      .toSorted((a, b) => a.number - b.number)) {
      const reached = reachedBy(discount, lines)
      if (discount.off === null) continue
      const weights = reached.map((line) => left.get(line.number) ?? 0)
      const amounts = spread(
        takenOff(
          discount.off,
          weights.reduce((sum, weight) => sum + weight, 0),
        ),
        weights,
      )
      for (const [index, line] of reached.entries()) {
        const amount = amounts[index] ?? 0
        if (amount === 0) continue
        left.set(line.number, (left.get(line.number) ?? 0) - amount)
        shares.push({ discount: discount.number, line: line.number, amountCents: cents(amount) })
      }
    }
  }
  return shares
}

/** The lines that a discount reaches; none where they do not come to its minimum. */
export function reachedBy<Line extends DiscountableLine>(
  discount: Pick<GrantedDiscount, 'reach' | 'minimumCents'>,
  lines: readonly Line[],
): Line[] {
  const reached = lines.filter((line) => !line.voided && reaches(discount.reach, line))
  return reached.reduce((sum, line) => sum + grossOf(line), 0) < discount.minimumCents ? [] : reached
}

/**
 * Splits an amount over weights by the largest remainder; equal remainders go to the first. Never more to one than its
 * weight where the amount is not more than their sum.
 */
export function spread(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === 0) return weights.map(() => 0)
  // A cent of a sale of a hundred thousand dollars times its line is beyond what a double counts exactly.
  const exact = weights.map((weight) => ({
    whole: Number((BigInt(amount) * BigInt(weight)) / BigInt(sum)),
    rest: Number((BigInt(amount) * BigInt(weight)) % BigInt(sum)),
  }))
  const missing = amount - exact.reduce((total, { whole }) => total + whole, 0)
  const first = new Set(
    exact
      .map(({ rest }, index) => ({ rest, index }))
      .toSorted((a, b) => b.rest - a.rest || a.index - b.index)
      .slice(0, missing)
      .map(({ index }) => index),
  )
  return exact.map(({ whole }, index) => whole + (first.has(index) ? 1 : 0))
}

/**
 * True where a change takes a larger part of some line's regular price off by hand than `limitPpm` (to the cent above),
 * and more than before the change: a larger part of it, or more cents, as of more pieces or of a dearer one. What was
 * approved is covered for exactly what it was worth, and many small discounts are one large one. A line that comes new
 * under an amount that was given on the sale takes nothing more, as long as that amount does not grow.
 */
export function needsSupervisor(limitPpm: number, before: Pricing, after: Pricing): boolean {
  const was = takenByHand(before)
  const is = takenByHand(after)
  const moreInAll = sumOff(is) > sumOff(was)
  return [...is].some(([line, { off, regular }]) => {
    if (off <= Math.ceil((regular * limitPpm) / WHOLE_PPM)) return false
    const then = was.get(line)
    return then === undefined ? moreInAll : off > then.off || off * then.regular > then.off * regular
  })
}

const sumOff = (taken: ReadonlyMap<number, { off: number }>): number =>
  [...taken.values()].reduce((sum, { off }) => sum + off, 0)

export interface Pricing {
  readonly lines: readonly DiscountableLine[]
  readonly discounts: readonly GrantedDiscount[]
}

/** Of each line: its regular price, and how much of it is taken off by hand, in cents. */
function takenByHand({ lines, discounts }: Pricing): Map<number, { off: number; regular: number }> {
  const byHand = new Set(discounts.filter((discount) => discount.byHand).map(({ number }) => number))
  const shares = shareDiscounts(lines, discounts).filter(({ discount }) => byHand.has(discount))
  return new Map(
    lines
      .filter((line) => !line.voided)
      .map((line) => {
        const regular = Math.max(line.regularPriceCents ?? line.unitPriceCents, line.unitPriceCents) * line.quantity
        const off =
          regular -
          grossOf(line) +
          shares.filter((share) => share.line === line.number).reduce((sum, { amountCents }) => sum + amountCents, 0)
        return [line.number, { off, regular }]
      }),
  )
}

const grossOf = ({ quantity, unitPriceCents }: DiscountableLine): number => quantity * unitPriceCents

/** Nothing reaches a gift card: it is worth what is paid for it. */
function reaches(reach: Reach, line: DiscountableLine): boolean {
  if (isGiftCard(line)) return false
  switch (reach.kind) {
    case 'line':
      return reach.number === line.number
    case 'item':
      return reach.sku === line.sku
    case 'department':
      return reach.departmentId === line.departmentId
    case 'sale':
      return true
  }
}

/** Never more than there is; a share rounds halves up. */
function takenOff(off: TakenOff, of: number): number {
  switch (off.kind) {
    case 'amount':
      return Math.min(off.cents, of)
    case 'percent':
      return Number((BigInt(of) * BigInt(off.ppm) + BigInt(WHOLE_PPM / 2)) / BigInt(WHOLE_PPM))
  }
}
