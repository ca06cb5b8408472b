import type { OfferMatch } from '../../../contracts/core/profile.ts'
import { z } from 'zod'

/** A line that is not void; `amountCents` before tax, what discounts take off it taken off. */
export interface OfferLine {
  readonly sku: string
  readonly quantity: number
  readonly amountCents: number
  readonly departmentId: string
  readonly categoryId: string | null
}

/** As much as a basket has of what an offer counts. */
export interface Counted {
  readonly unit: 'cents' | 'pieces'
  readonly amount: number
}

interface MatchedBy {
  readonly card: { readonly id: string }
  readonly terms: Pick<OfferTerms, 'promotionId' | 'categoryId'>
}

/**
 * The store's own word on what an offer counts: of the offer, else of its promotion, else of its category; the first
 * on an id. Laid out by id once, since every offer of the list asks.
 */
export function matching(matches: readonly OfferMatch[]): (offer: MatchedBy) => OfferMatch | undefined {
  const byId = new Map(matches.toReversed().map((match) => [match.id, match]))
  const of = (id: string | null): OfferMatch | undefined => (id === null ? undefined : byId.get(id))
  return ({ card, terms }) => of(card.id) ?? of(terms.promotionId) ?? of(terms.categoryId)
}

/**
 * What of a basket an offer counts; null where the lane cannot tell. `match` undefined: the store has no word on it.
 * The lines are laid out by what a match may name, and added up once for each match, since many offers share one.
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

/** A line that a match names twice counts once. */
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

/** Values of the `type` parameter that a lane can make something of (specification 1 §4.2). */
export const OfferType = z.enum(['buy', 'spend'])
export type OfferType = z.infer<typeof OfferType>

/**
 * What an offer asks of a basket and gives for it, as the lane keeps it (specification 1 §2.2; what the specification
 * does not say: docs/decisions/0023-offers-at-the-lane.md). `type` comes of the lists by type: no field of an offer has
 * it. `miles` and `asks` of a tier are its awardValue and qualifierValue: dollars of a spend offer, pieces of a buy
 * offer.
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
