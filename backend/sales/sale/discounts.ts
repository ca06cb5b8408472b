import { WHOLE_PPM, type DiscountScope, type DiscountAmount } from '../../../contracts/sales/sale-changes.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import { isGoods } from '../../catalog/charges.ts'

export interface DiscountableLine {
  readonly number: number
  readonly sku: string
  readonly departmentId: string
  readonly quantity: number
  readonly unitPriceCents: Cents
  readonly regularPriceCents: Cents | null
  readonly voided: boolean
}

export interface GrantedDiscount {
  readonly number: number
  readonly reach: DiscountScope
  /** Amount or percentage that the discount deducts; null for a coupon that only gives miles. */
  readonly off: DiscountAmount | null
  /**
   * Minimum amount, before tax and discounts, of the lines that the discount reaches; below it, the discount is zero.
   */
  readonly minimumCents: Cents
  /** Only a discount by a cashier may need approval. */
  readonly source: 'promotion' | 'coupon' | 'cashier'
  /**
   * Set for a discount of an earlier release, which spread it over lines instead of goods: its cents must not change.
   */
  readonly byLines?: true
}

export interface Share {
  readonly discount: number
  readonly line: number
  readonly amountCents: Cents
}

/**
 * Promotions first, then coupons and discounts on a line, on several lines, and on the sale, so that a percentage of
 * the sale applies to the remaining amount.
 */
const STAGES: readonly ((discount: GrantedDiscount) => boolean)[] = [
  ({ source }) => source === 'promotion',
  ({ source, reach }) => source !== 'promotion' && reach.kind === 'line',
  ({ reach }) => reach.kind === 'item' || reach.kind === 'department',
  ({ reach }) => reach.kind === 'sale',
]

/**
 * Calculates each discount's share on each line, in cents. The shares of a discount add up to its amount, spread by the
 * largest remainder over the remaining amounts of its goods and their lines, so that no line falls below zero and a
 * discount is capped by what remains. Within a stage, older discounts apply first.
 */
export function shareDiscounts(lines: readonly DiscountableLine[], discounts: readonly GrantedDiscount[]): Share[] {
  const left = new Map(lines.filter((line) => !line.voided).map((line) => [line.number, grossOf(line)]))
  const shares: Share[] = []
  for (const stage of STAGES) {
    for (const discount of discounts.filter(stage).toSorted((a, b) => a.number - b.number)) {
      const reached = reachedBy(discount, lines)
      if (discount.off === null) continue
      const weights = reached.map((line) => left.get(line.number) ?? 0)
      const amounts = spreadByGoods(
        takenOff(
          discount.off,
          weights.reduce((sum, weight) => sum + weight, 0),
        ),
        weights,
        discount.byLines ? reached.map(() => '') : reached.map(({ sku, unitPriceCents }) => `${sku} ${unitPriceCents}`),
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

export function reachedBy<Line extends DiscountableLine>(
  discount: Pick<GrantedDiscount, 'reach' | 'minimumCents'>,
  lines: readonly Line[],
): Line[] {
  const reached = lines.filter((line) => !line.voided && reaches(discount.reach, line))
  return reached.reduce((sum, line) => sum + grossOf(line), 0) < discount.minimumCents ? [] : reached
}

/**
 * Splits an amount over weights by the largest remainder; ties go to the first weight. No share exceeds its weight if
 * the amount does not exceed the sum of the weights.
 */
export function spread(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === 0) return weights.map(() => 0)
  if (weights.length === 1) return [amount]
  const exact = weights.map((weight) => {
    const product = amount * weight
    if (Number.isSafeInteger(product)) return { whole: Math.trunc(product / sum), rest: product % sum }
    // The product for a sale of a million dollars exceeds the safe integers.
    const exactly = BigInt(amount) * BigInt(weight)
    return { whole: Number(exactly / BigInt(sum)), rest: Number(exactly % BigInt(sum)) }
  })
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
 * Splits an amount over lines like `spread`, but first over their goods, in the order of their names. Equal goods get
 * the same amount in all for every order of scans, also if other goods were scanned between their pieces.
 */
export function spreadByGoods(amount: number, weights: readonly number[], goods: readonly string[]): number[] {
  const lines = Map.groupBy(weights.keys(), (at) => goods[at] ?? '')
  const weightsOf = (name: string): number[] => (lines.get(name) ?? []).map((at) => weights[at] ?? 0)
  const names = [...lines.keys()].toSorted((one, other) => (one < other ? -1 : 1))
  const amounts = spread(
    amount,
    names.map((name) => weightsOf(name).reduce((sum, weight) => sum + weight, 0)),
  )
  const shares = weights.map(() => 0)
  for (const [index, name] of names.entries()) {
    const within = spread(amounts[index] ?? 0, weightsOf(name))
    for (const [piece, at] of (lines.get(name) ?? []).entries()) shares[at] = within[piece] ?? 0
  }
  return shares
}

/**
 * Whether a change makes the manual deductions of a line exceed `limitPpm` of its regular price (rounded up to a cent),
 * and raises them, as a fraction or in cents. An approval therefore covers exactly the approved amount, and many small
 * discounts count as one. A new line that shares an amount off the sale needs no approval, unless the total grows.
 */
export function needsSupervisor(limitPpm: number, before: Pricing, after: Pricing): boolean {
  const was = takenByHand(before)
  const is = takenByHand(after)
  const moreInAll = totalDiscount(is) > totalDiscount(was)
  return [...is].some(([line, { off, regular }]) => {
    if (off <= Math.ceil((regular * limitPpm) / WHOLE_PPM)) return false
    const then = was.get(line)
    return then === undefined ? moreInAll : off > then.off || off * then.regular > then.off * regular
  })
}

const totalDiscount = (taken: ReadonlyMap<number, { off: number }>): number =>
  [...taken.values()].reduce((sum, { off }) => sum + off, 0)

export interface Pricing {
  readonly lines: readonly DiscountableLine[]
  readonly discounts: readonly GrantedDiscount[]
}

function takenByHand({ lines, discounts }: Pricing): Map<number, { off: number; regular: number }> {
  const byHand = new Set(discounts.filter(({ source }) => source === 'cashier').map(({ number }) => number))
  const shares = shareDiscounts(lines, discounts).filter(({ discount }) => byHand.has(discount))
  return new Map(
    lines
      .filter((line) => !line.voided && isGoods(line))
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

function reaches(reach: DiscountScope, line: DiscountableLine): boolean {
  if (!isGoods(line)) return false
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

/** Returns the amount of a discount on a price, at most the price; a percentage rounds half up. */
function takenOff(off: DiscountAmount, of: number): number {
  switch (off.kind) {
    case 'amount':
      return Math.min(off.cents, of)
    case 'percent':
      return Number((BigInt(of) * BigInt(off.ppm) + BigInt(WHOLE_PPM / 2)) / BigInt(WHOLE_PPM))
  }
}
