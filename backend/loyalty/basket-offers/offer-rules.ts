import { Temporal } from 'temporal-polyfill/implementation'
import type { OfferMatch } from '../../../contracts/core/profile.ts'
import { isGoods } from '../../catalog/charges.ts'
import { type Counted, type OfferLine, type OfferTerms, counting, matching } from '../offers/offer-terms.ts'

/** An offer with its dates, which are local date-times of the store without a zone (specification 1 §2.2). */
export interface DatedOffer {
  readonly card: { readonly id: string }
  readonly displayDate: string
  readonly startDate: string
  readonly endDate: string
  readonly partnerId: string
  readonly terms: OfferTerms
}

export interface OfferBasket {
  readonly lines: readonly OfferLine[]
  readonly coupons: readonly string[]
}

/** Opt-ins and saved offers of the signed-in member by offer id; null without a member (specification 1 §3). */
export type OfferStates = ReadonlyMap<string, { readonly optedIn: boolean; readonly saved: boolean }> | null

export interface OfferSetting {
  /** The store's own partner id. Offers of other partners are left out. */
  readonly partnerId: string | undefined
  readonly matches: readonly OfferMatch[]
  readonly now: string
  readonly states: OfferStates
}

/**
 * Status of an offer for a basket. `shown`: the lane cannot evaluate whether the basket earns it. `coming`: the offer's
 * startDate is in the future.
 */
export type OfferStatus = 'earned' | 'coupon-first' | 'opt-in-first' | 'nearly' | 'open' | 'shown' | 'coming'

export interface Rung {
  readonly tier: number
  readonly miles: number | null
}
export interface Missing {
  readonly unit: Counted['unit']
  readonly amount: number
}

export interface OfferAtBasket<Offer extends DatedOffer> {
  readonly offer: Offer
  readonly status: OfferStatus
  readonly ladder: readonly (OfferTerms['tiers'][number] & { readonly isReached: boolean })[]
  /** The best tier that the basket reaches. The tier is earned only if the status is `earned`. */
  readonly reached: Rung | null
  /** The next tier that gives more miles. `near`: so little is missing that the cashier should mention it. */
  readonly next: (Rung & { readonly missing: Missing; readonly near: boolean }) | null
  readonly endingSoon: boolean
  readonly optIn: 'none' | 'to-do' | 'done'
  readonly saved: boolean
  readonly coupon: 'none' | 'to-apply' | 'applied'
}

/** The offer type whose award a basket earns at a lane. Offers of other types are earned by card or online. */
const AT_LANE = 'traditionalcore'
const SOON_DAYS = 3
/**
 * A tier is nearly reached if the basket already has something that counts for it, and at most one piece is missing, or
 * at most the greater of five dollars and a quarter of its threshold.
 */
const NEAR_CENTS = 500
const NEAR_SHARE = 4
const NEAR_PIECES = 1

/**
 * Ranks the current offers of the store's partner: earned, those that lack one step (code, opt-in, a little more
 * spending), targeted, ending soon, others, upcoming. Equal inputs give an equal ranking.
 */
export function offersForBasket<Offer extends DatedOffer>(
  offers: readonly Offer[],
  basket: OfferBasket,
  setting: OfferSetting,
): OfferAtBasket<Offer>[] {
  const { now, partnerId } = setting
  const soon = Temporal.PlainDateTime.from(now).add({ days: SOON_DAYS }).toString({ smallestUnit: 'second' })
  const countOf = counting(basket.lines.filter((line) => isGoods(line)))
  const matchOf = matching(setting.matches)
  return offers
    .filter((offer) => offer.partnerId === partnerId && offer.displayDate <= now && now < offer.endDate)
    .map((offer) => atBasket(offer, countOf(offer.terms, matchOf(offer)), basket.coupons, setting, soon))
    .sort(byUse)
}

function atBasket<Offer extends DatedOffer>(
  offer: Offer,
  counted: Counted | null,
  coupons: readonly string[],
  { now, states }: OfferSetting,
  soon: string,
): OfferAtBasket<Offer> {
  const { terms } = offer
  const tiers = terms.tiers.toSorted(byAsked)
  const ladder = tiers.map((tier) => ({ ...tier, isReached: counted !== null && reaches(counted, tier.asks) }))
  const reached = bestOf(ladder)
  const next = counted === null ? null : nextOf(ladder, counted, reached)
  const coupon = couponOf(terms, coupons)
  const state = states?.get(offer.card.id)
  const optIn = !terms.mechanisms.some(({ type }) => type === 'optIn') ? 'none' : state?.optedIn ? 'done' : 'to-do'
  return {
    offer,
    ladder,
    reached,
    next,
    coupon,
    status: statusOf({
      isComing: now < offer.startDate,
      isKnown: counted !== null && isAtLane(terms) && terms.mechanisms.every(isOurs),
      needsCoupon: coupon === 'to-apply',
      needsOptIn: optIn === 'to-do',
      reached,
      next,
    }),
    endingSoon: offer.endDate <= soon,
    optIn,
    saved: state?.saved === true,
  }
}

function byAsked(one: OfferTerms['tiers'][number], other: OfferTerms['tiers'][number]): number {
  const [asks, otherAsks] = [one.asks ?? Infinity, other.asks ?? Infinity]
  return asks === otherAsks ? (other.miles ?? 0) - (one.miles ?? 0) : asks - otherAsks
}

/**
 * Whether a cashier or the sale can fulfil a mechanism of an offer. A button leads to the web, and an unknown type
 * cannot be fulfilled here.
 */
const isOurs = ({ type, value }: OfferTerms['mechanisms'][number]): boolean =>
  type === 'noAction' || type === 'optIn' || (type === 'couponCode' && value !== null)

function statusOf(facts: {
  readonly isComing: boolean
  readonly isKnown: boolean
  readonly needsCoupon: boolean
  readonly needsOptIn: boolean
  readonly reached: Rung | null
  readonly next: { readonly near: boolean } | null
}): OfferStatus {
  if (facts.isComing) return 'coming'
  if (!facts.isKnown) return 'shown'
  if (facts.needsOptIn) return 'opt-in-first'
  if (facts.needsCoupon) return 'coupon-first'
  if (facts.reached) return 'earned'
  return facts.next?.near === true ? 'nearly' : 'open'
}

const askedIn = ({ unit }: Counted, asks: number): number => (unit === 'cents' ? Math.round(asks * 100) : asks)

/** A tier without a threshold counts as never reached, because even an empty basket would earn it. */
const reaches = (counted: Counted, asks: number | null): boolean =>
  asks !== null && asks > 0 && counted.amount >= askedIn(counted, asks)

function bestOf(ladder: OfferAtBasket<DatedOffer>['ladder']): Rung | null {
  let best: Rung | null = null
  for (const [tier, { isReached, miles }] of ladder.entries())
    if (isReached && (best === null || (miles ?? 0) >= (best.miles ?? 0))) best = { tier, miles }
  return best
}

function nextOf(
  ladder: OfferAtBasket<DatedOffer>['ladder'],
  counted: Counted,
  reached: Rung | null,
): OfferAtBasket<DatedOffer>['next'] {
  for (const [tier, { isReached, asks, miles }] of ladder.entries()) {
    if (isReached || asks === null || asks <= 0) continue
    if (reached && (miles ?? 0) <= (reached.miles ?? 0)) continue
    const asked = askedIn(counted, asks)
    const amount = asked - counted.amount
    return { tier, miles, missing: { unit: counted.unit, amount }, near: counted.amount > 0 && isNear(counted, asked) }
  }
  return null
}

const isNear = ({ unit, amount }: Counted, asked: number): boolean =>
  asked - amount <= (unit === 'cents' ? Math.max(NEAR_CENTS, asked / NEAR_SHARE) : NEAR_PIECES)

export const isSameCode = (one: string, other: string): boolean =>
  one.trim().toUpperCase() === other.trim().toUpperCase()

function couponOf(terms: OfferTerms, applied: readonly string[]): OfferAtBasket<DatedOffer>['coupon'] {
  const codes = codesOf(terms)
  if (codes.length === 0 || !isAtLane(terms)) return 'none'
  return codes.some((code) => applied.some((other) => isSameCode(code, other))) ? 'applied' : 'to-apply'
}

/** Returns the codes of an offer: the values of its `couponCode` mechanisms (specification 1 §2.2). */
export const codesOf = ({ mechanisms }: Pick<OfferTerms, 'mechanisms'>): string[] =>
  mechanisms.flatMap(({ type, value }) => (type === 'couponCode' && value ? [value.trim()] : []))

export const isAtLane = ({ programType }: Pick<OfferTerms, 'programType'>): boolean => programType === AT_LANE

const waitsForStep = ({ status, reached }: OfferAtBasket<DatedOffer>): boolean =>
  reached !== null && (status === 'coupon-first' || status === 'opt-in-first')

function groupOf(at: OfferAtBasket<DatedOffer>): number {
  if (at.status === 'coming') return 6
  if (at.status === 'earned') return 0
  if (waitsForStep(at)) return 1
  if (at.status === 'nearly') return 2
  if (at.offer.terms.targeted) return 3
  return at.endingSoon ? 4 : 5
}

const milesAt = ({ reached, next }: OfferAtBasket<DatedOffer>): number => (reached ?? next)?.miles ?? 0

function byUse(one: OfferAtBasket<DatedOffer>, other: OfferAtBasket<DatedOffer>): number {
  return (
    groupOf(one) - groupOf(other) ||
    milesAt(other) - milesAt(one) ||
    Number(other.saved) - Number(one.saved) ||
    (one.offer.terms.priority ?? Infinity) - (other.offer.terms.priority ?? Infinity) ||
    (one.offer.endDate < other.offer.endDate ? -1 : one.offer.endDate > other.offer.endDate ? 1 : 0) ||
    (one.offer.card.id < other.offer.card.id ? -1 : 1)
  )
}
