import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import type { PartnerRule } from '../../../contracts/core/profile.ts'

/** A basket line as the rules for miles need it. `amountCents` is before tax and never negative. */
export interface EarningLine {
  readonly sku: string
  readonly quantity: number
  readonly amountCents: Cents
  readonly departmentId: string
  readonly categoryId: string | null
}

export interface EarningBasket {
  readonly lines: readonly EarningLine[]
  readonly coupons: readonly string[]
}

/**
 * Calculates the miles of a basket by the store's own rules ("the partner calculates", specification 3 §4.4): one entry
 * for each rule that gives miles, in the order of the profile. `day`: the store's local date, such as `2026-11-30`.
 */
export function partnerMiles(rules: readonly PartnerRule[], basket: EarningBasket, day: string): GivenIssuance[] {
  return rules.flatMap((rule) => {
    if ((rule.from !== undefined && day < rule.from) || (rule.until !== undefined && day > rule.until)) return []
    const { miles, from } = earned(rule, basket)
    const skus = [...new Set(from.map(({ sku }) => sku))]
    return miles > 0
      ? [
          {
            issuanceOfferCode: rule.offerCode,
            milesAmount: miles,
            offerId: rule.offerId ?? rule.offerCode,
            ...(skus.length > 0 ? { contributingItemIds: skus } : {}),
          },
        ]
      : []
  })
}

export const milesOf = (issuances: readonly Pick<GivenIssuance, 'milesAmount'>[]): number =>
  issuances.reduce((sum, { milesAmount }) => sum + milesAmount, 0)

/**
 * Calculates the miles that a return takes back: issued, less already taken back, less what the remaining basket still
 * earns. Miles are positive, with one entry per offer, and never more than were issued. All returns of a basket
 * together therefore take back exactly its miles, in any order.
 */
export function milesToTakeBack(
  given: readonly GivenIssuance[],
  takenBack: readonly GivenIssuance[],
  stillEarned: readonly GivenIssuance[],
  returnedSkus: readonly string[],
): GivenIssuance[] {
  const codes = [...new Set(given.map(({ issuanceOfferCode }) => issuanceOfferCode))]
  return codes.flatMap((code) => {
    const of = (entries: readonly GivenIssuance[]): number =>
      milesOf(entries.filter(({ issuanceOfferCode }) => issuanceOfferCode === code))
    const first = given.find(({ issuanceOfferCode }) => issuanceOfferCode === code)
    const milesAmount = of(given) - of(takenBack) - of(stillEarned)
    if (!first || milesAmount <= 0) return []
    const contributing = given
      .filter(({ issuanceOfferCode }) => issuanceOfferCode === code)
      .flatMap(({ contributingItemIds }) => contributingItemIds ?? [])
    const contributingItemIds = [...new Set(returnedSkus)].filter((sku) => contributing.includes(sku))
    return [
      {
        issuanceOfferCode: code,
        milesAmount,
        offerId: first.offerId,
        ...(contributingItemIds.length > 0 ? { contributingItemIds } : {}),
      },
    ]
  })
}

function earned(rule: PartnerRule, { lines, coupons }: EarningBasket): { miles: number; from: readonly EarningLine[] } {
  switch (rule.kind) {
    case 'base':
      return byAmount(rule, lines)
    case 'category':
      return byAmount(
        rule,
        lines.filter(({ categoryId }) => categoryId === rule.categoryId),
      )
    case 'department':
      return byAmount(
        rule,
        lines.filter(({ departmentId }) => departmentId === rule.departmentId),
      )
    case 'item': {
      const from = lines.filter(({ sku }) => sku === rule.sku)
      return { miles: rule.miles * from.reduce((pieces, { quantity }) => pieces + quantity, 0), from }
    }
    case 'coupon': {
      const applies =
        lines.length > 0 && coupons.includes(rule.coupon) && amountOf(lines) >= centsOf(rule.minimumDollars ?? 0)
      return { miles: applies ? rule.miles : 0, from: [] }
    }
  }
}

const amountOf = (lines: readonly EarningLine[]): number => lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
/** Converts dollars of a rule to cents; the profile allows only whole cents. */
const centsOf = (dollars: number): Cents => cents(Math.round(dollars * 100))

function byAmount(
  { miles, perDollars, rounding }: Extract<PartnerRule, { kind: 'base' | 'category' | 'department' }>,
  from: readonly EarningLine[],
): { miles: number; from: readonly EarningLine[] } {
  const amount = amountOf(from)
  const step = centsOf(perDollars)
  // The quotient is rounded down. Subtract the remainder first, so that the division is exact.
  const quotient = (numerator: number): number => (numerator - (numerator % step)) / step
  switch (rounding) {
    case 'whole-steps':
      return { miles: miles * quotient(amount), from }
    case 'down':
      return { miles: quotient(amount * miles), from }
    case 'nearest':
      return { miles: quotient(amount * miles + Math.floor(step / 2)), from }
    case 'up':
      return { miles: quotient(amount * miles + step - 1), from }
  }
}
