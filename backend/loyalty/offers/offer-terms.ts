import type { OfferMatch } from '../../../contracts/core/profile.ts'
import { z } from 'zod'

/** A line of the basket that is not void. `amountCents` is before tax and after discounts. */
export interface OfferLine {
  readonly sku: string
  readonly quantity: number
  readonly amountCents: number
  readonly departmentId: string
  readonly categoryId: string | null
}

export interface Counted {
  readonly unit: 'cents' | 'pieces'
  readonly amount: number
}

interface MatchedBy {
  readonly card: { readonly id: string }
  readonly terms: Pick<OfferTerms, 'promotionId' | 'categoryId'>
}

/**
 * Returns a function that finds the goods which the store configured for an offer: by the id of the offer, else of its
 * promotion, else of its category. If an id is configured twice, the first applies. The matches are indexed once,
 * because every offer of the list looks one up.
 */
export function matching(matches: readonly OfferMatch[]): (offer: MatchedBy) => OfferMatch | undefined {
  const byId = new Map(matches.toReversed().map((match) => [match.id, match]))
  const of = (id: string | null): OfferMatch | undefined => (id === null ? undefined : byId.get(id))
  return ({ card, terms }) => of(card.id) ?? of(terms.promotionId) ?? of(terms.categoryId)
}

/**
 * Returns a function that counts the basket for an offer; its result is null if the lane cannot count it. `match` is
 * undefined if the store configured no goods. Lines are indexed and sums cached by match, because many offers share
 * one.
 */
export function counting(
  lines: readonly OfferLine[],
): (terms: Pick<OfferTerms, 'type'>, match: OfferMatch | undefined) => Counted | null {
  const matched = matchedIn(lines)
  const sums = new Map<OfferMatch | undefined, Sums>()
  const sumsOf = (match: OfferMatch | undefined): Sums => {
    const known = sums.get(match) ?? addUp(match ? matched(match) : lines)
    sums.set(match, known)
    return known
  }
  return ({ type }, match) => {
    switch (type) {
      case 'spend':
        return { unit: 'cents', amount: sumsOf(match).cents }
      case 'buy':
        return match ? { unit: 'pieces', amount: sumsOf(match).pieces } : null
      case null:
        return null
    }
  }
}

function matchedIn(lines: readonly OfferLine[]): (match: OfferMatch) => Iterable<OfferLine> {
  const bySku = Map.groupBy(lines, ({ sku }) => sku)
  const byDepartment = Map.groupBy(lines, ({ departmentId }) => departmentId)
  const byCategory = Map.groupBy(lines, ({ categoryId }) => categoryId)
  return ({ departments, categories, skus }) =>
    new Set([
      ...departments.flatMap((id) => byDepartment.get(id) ?? []),
      ...categories.flatMap((id) => byCategory.get(id) ?? []),
      ...skus.flatMap((sku) => bySku.get(sku) ?? []),
    ])
}

/** Whether an item is among the goods that the store configured for an offer. */
export const isAmong = (
  { departments, categories, skus }: OfferMatch,
  { sku, departmentId, categoryId }: Pick<OfferLine, 'sku' | 'departmentId' | 'categoryId'>,
): boolean =>
  skus.includes(sku) || departments.includes(departmentId) || (categoryId !== null && categories.includes(categoryId))

interface Sums {
  readonly cents: number
  readonly pieces: number
}

function addUp(lines: Iterable<OfferLine>): Sums {
  let [cents, pieces] = [0, 0]
  for (const { amountCents, quantity } of lines) {
    cents += amountCents
    pieces += quantity
  }
  return { cents, pieces }
}

/** Values of the parameter `type` that a lane can evaluate (specification 1 §4.2). */
export const OfferType = z.enum(['buy', 'spend'])
export type OfferType = z.infer<typeof OfferType>

/**
 * Conditions and awards of an offer (specification 1 §2.2; for gaps in the specification see
 * docs/decisions/0023-offers-at-the-lane.md). `type` comes from the lists by type, because offers lack it. Of a tier,
 * `miles` is the awardValue and `asks` the qualifierValue: dollars for spend offers, pieces for buy offers.
 */
export const OfferTerms = z.object({
  type: OfferType.nullable(),
  programType: z.string(),
  targeted: z.boolean(),
  priority: z.int().nullable(),
  promotionId: z.string().nullable(),
  categoryId: z.string().nullable(),
  tiers: z.array(
    z.object({
      miles: z.number().nullable(),
      asks: z.number().nullable(),
      award: z.string(),
      qualifier: z.string(),
    }),
  ),
  mechanisms: z.array(z.object({ type: z.string(), value: z.string().nullable() })),
})
export type OfferTerms = z.infer<typeof OfferTerms>
