import { cents, type Cents } from '../../../contracts/core/money.ts'
import { spread, spreadByGoods } from '../sale/discounts.ts'
import { candidatesOf, compareIds, matches, shareOf } from './promotion-index.ts'
import type { Buyers, Candidate, PromotableLine, PromotionIndex } from './promotion-index.ts'
import { bestExclusive } from './promotion-sets.ts'
import { isActiveAt } from './promotion-times.ts'

/** The reduction of one line by one promotion; only amounts above zero are listed. */
export interface PromotionShare {
  readonly promotion: string
  readonly line: number
  readonly amountCents: Cents
}

/**
 * Returns the reductions of a sale by its promotions, in whole cents. The result does not depend on the order of lines.
 *
 * 1. Each unit takes at most one promotion that is not stackable: the combination with the largest reduction.
 * 2. The basket takes at most one basket promotion that is not stackable: the one with the largest reduction.
 * 3. Stackable promotions reduce what remains, by priority.
 */
export function applyPromotions(
  lines: readonly PromotableLine[],
  index: PromotionIndex,
  buyers: Buyers,
): PromotionShare[] {
  const sorted = lines.toSorted(compareLines)
  const sale = new SaleReductions(sorted)
  const candidates = candidatesOf(sorted, index, buyers)
  const [stackable, exclusive] = split(candidates, ({ promotion }) => promotion.stackable)
  const [basket, unit] = split(exclusive, isBasket)
  const met = unit.filter((candidate) => sale.meetsConditions(candidate))
  for (const { promotion, line, amountCents } of bestExclusive(met)) sale.reduce(promotion, line, amountCents)
  const best = basket
    .filter((candidate) => sale.meetsConditions(candidate))
    .map((candidate) => ({ candidate, amount: sale.basketAmount(candidate) }))
    .toSorted((a, b) => b.amount - a.amount || compareIds(a.candidate.promotion, b.candidate.promotion))[0]
  if (best !== undefined) sale.applyToBasket(best.candidate)
  for (const candidate of stackable.toSorted(byPriority)) {
    if (!sale.meetsConditions(candidate)) continue
    if (isBasket(candidate)) sale.applyToBasket(candidate)
    else sale.applyToUnits(candidate)
  }
  return sale.shares()
}

/**
 * Orders lines by content, then by number, so that the remaining cents of a spread do not depend on the order of scans.
 */
const compareLines = (a: PromotableLine, b: PromotableLine): number =>
  compareText(a.sku, b.sku) ||
  b.unitCents - a.unitCents ||
  a.quantity - b.quantity ||
  compareText(a.rungAt.day, b.rungAt.day) ||
  a.rungAt.minute - b.rungAt.minute ||
  a.number - b.number
const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

const isBasket = ({ promotion }: Candidate): boolean =>
  promotion.reward.kind === 'basket-percent' || promotion.reward.kind === 'basket-amount'
const byPriority = (a: Candidate, b: Candidate): number =>
  a.promotion.priority - b.promotion.priority ||
  Number(isBasket(a)) - Number(isBasket(b)) ||
  compareIds(a.promotion, b.promotion)

function split<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  const yes: T[] = []
  const no: T[] = []
  for (const one of all) (test(one) ? yes : no).push(one)
  return [yes, no]
}

const goodsOf = ({ sku, unitCents }: PromotableLine): string => `${sku} ${unitCents}`
const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)

class SaleReductions {
  private readonly lines: readonly PromotableLine[]
  private readonly net = new Map<number, number>()
  private readonly taken: PromotionShare[] = []

  constructor(lines: readonly PromotableLine[]) {
    this.lines = lines
    for (const { number, quantity, unitCents } of lines) this.net.set(number, quantity * unitCents)
  }

  private netOf(line: PromotableLine): number {
    return this.net.get(line.number) ?? 0
  }

  /**
   * Whether the basket meets the conditions of a promotion. Minimum amounts are compared after the reductions applied
   * so far.
   */
  meetsConditions({ promotion }: Candidate): boolean {
    const { counts = promotion.items, minimumCents = 0, minimumUnits = 0, alsoNeeds = [] } = promotion.conditions
    if (alsoNeeds.some((sku) => !this.lines.some((line) => line.sku === sku))) return false
    if (minimumCents === 0 && minimumUnits === 0) return true
    const counted = this.lines.filter((line) => matches(counts, line) && isActiveAt(promotion.times, line.rungAt))
    const amount = counted.reduce((sum, line) => sum + this.netOf(line), 0)
    return amount >= minimumCents && counted.reduce((sum, { quantity }) => sum + quantity, 0) >= minimumUnits
  }

  /** Reduces units at their remaining prices, which are equal for equal goods on several lines. */
  applyToUnits({ promotion, lines }: Candidate): void {
    const goods = [...Map.groupBy(lines, goodsOf).values()].map((of) => ({
      of,
      numbers: new Set(of.map(({ number }) => number)),
      unitCents: sum(of, (line) => this.netOf(line)) / sum(of, ({ quantity }) => quantity),
    }))
    const remaining = goods.flatMap(({ of, unitCents }) => of.map((line) => ({ ...line, unitCents })))
    const shares = bestExclusive([{ promotion, lines: remaining }])
    for (const { of, numbers } of goods) {
      const amounts = spread(
        sum(shares, ({ line, amountCents }) => (numbers.has(line) ? amountCents : 0)),
        of.map((line) => this.netOf(line)),
      )
      for (const [at, line] of of.entries()) this.reduce(promotion.id, line.number, amounts[at] ?? 0)
    }
  }

  basketAmount({ promotion: { reward }, lines }: Candidate): number {
    const total = lines.reduce((sum, line) => sum + this.netOf(line), 0)
    if (reward.kind === 'basket-percent') return shareOf(total, reward.ppm)
    return reward.kind === 'basket-amount' ? Math.min(reward.cents, total) : 0
  }

  applyToBasket(candidate: Candidate): void {
    const { lines } = candidate
    const amounts = spreadByGoods(
      this.basketAmount(candidate),
      lines.map((line) => this.netOf(line)),
      lines.map(goodsOf),
    )
    for (const [at, line] of lines.entries()) this.reduce(candidate.promotion.id, line.number, amounts[at] ?? 0)
  }

  reduce(promotion: string, line: number, amount: number): void {
    const left = this.net.get(line) ?? 0
    const taken = Math.min(left, amount)
    if (taken <= 0) return
    this.net.set(line, left - taken)
    this.taken.push({ promotion, line, amountCents: cents(taken) })
  }

  shares(): PromotionShare[] {
    return this.taken
  }
}
