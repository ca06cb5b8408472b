import {
  type BasketOffer,
  type BasketOffers,
  MOST_OFFER_CHANGES,
  type OfferChangeRefusal,
} from '../../../contracts/loyalty/basket-offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { lineAmount } from '../../sales/sale/basket.ts'
import { type OfferAtBasket, type OfferBasket, type OfferStates, offersForBasket } from './offer-rules.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import type { OfferStateNow } from '../member/offer-states.ts'
import type { KeptOffer } from '../offers/offers.sql.ts'
import { type SaleParts, couponsOf, pricedLines } from '../../sales/sale/sale-parts.ts'
import { isOpen } from '../../core/outbox/states.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { memberOffersOf } from '../member/member-offers.ts'
import { offerStatesOf } from '../member/offer-states.ts'
import { offerImagesOf } from '../offer-images/offer-images.ts'
import { offersOf as keptListsOf } from '../offers/offers.ts'

/** What a signed-in member of a sale has: the offers that are theirs alone, and what they did with any offer. */
export interface MemberOffers {
  /** In every language that was asked for; the others show none. */
  readonly targeted: (locale: Locale) => readonly KeptOffer[]
  readonly states: NonNullable<OfferStates>
}

/** What a ranking hangs on. An offer that begins or ends within the minute stands as it did. */
interface Facts {
  readonly region: readonly KeptOffer[] | undefined
  readonly targeted: readonly KeptOffer[] | undefined
  readonly states: OfferStates
  /** As JSON: a sale that is paid has the basket that it had. */
  readonly basket: string
  readonly minute: string
}
interface Ranking {
  readonly of: Facts
  readonly offers: readonly OfferAtBasket<KeptOffer>[]
}

const MINUTE = '2026-11-21T09:03'.length

const isSame = (one: Facts, other: Facts): boolean =>
  one.region === other.region &&
  one.targeted === other.targeted &&
  one.states === other.states &&
  one.basket === other.basket &&
  one.minute === other.minute

export type BasketOffersService = ReturnType<typeof basketOffersOf>

/** Nobody looks through more at a lane, and every window asks for them after every item. */
const MOST_SHOWN = 500

const basketOffersStateOf = perLane((ctx: Ctx) => {
  /** The last ranking in each language, while nothing that it hangs on is otherwise. */
  const rankings = new Map<Locale, Ranking>()
  salesOf(ctx).onChange((parts) => {
    basketOffersStateOf(ctx).newest = parts
    // What a member had is gone with their sale.
    if (parts.sale.state !== 'open') basketOffersStateOf(ctx).rankings.clear()
  })
  return {
    /** The sale that changed last: it is what the windows ask about. */
    newest: null as SaleParts | null,
    rankings,
  }
})

function partsOf(ctx: Ctx, saleId: string): SaleParts {
  const { newest } = basketOffersStateOf(ctx)
  return newest?.sale.id === saleId ? newest : salesOf(ctx).parts(saleId)
}

const memberOf = (ctx: Ctx, saleId: string): MemberOffers | null => memberOffersOf(ctx).of(saleId)

/** Offers that the sale may look at: the region's, and those of its member beside them, each once. */
function offersOf(ctx: Ctx, saleId: string, locale: Locale): readonly KeptOffer[] {
  const region = keptOffersOf(ctx)(locale)?.offers ?? []
  const targeted = memberOf(ctx, saleId)?.targeted(locale) ?? []
  if (targeted.length === 0) return region
  const known = new Set(region.map(({ card }) => card.id))
  return [...region, ...targeted.filter(({ card }) => !known.has(card.id))]
}

function factsOf(ctx: Ctx, parts: SaleParts, locale: Locale): Facts {
  const member = memberOf(ctx, parts.sale.id)
  return {
    region: keptOffersOf(ctx)(locale)?.offers,
    targeted: member?.targeted(locale),
    states: member?.states ?? null,
    basket: JSON.stringify(basketOf(parts)),
    minute: now(ctx).slice(0, MINUTE),
  }
}

const now = (ctx: Ctx): string =>
  localDateTimeAt(ctx.clock.now(), ctx.profile.timeZone).toString({ smallestUnit: 'second' })

function keptRanking(ctx: Ctx, parts: SaleParts, locale: Locale): Ranking['offers'] | null {
  const kept = basketOffersStateOf(ctx).rankings.get(locale)
  return kept && isSame(kept.of, factsOf(ctx, parts, locale)) ? kept.offers : null
}

function at(ctx: Ctx, parts: SaleParts, locale: Locale): Ranking['offers'] {
  const kept = keptRanking(ctx, parts, locale)
  if (kept) return kept
  const of = factsOf(ctx, parts, locale)
  const offers = offersForBasket(offersOf(ctx, parts.sale.id, locale), basketOf(parts), {
    partnerId: ctx.profile.program.partnerId,
    matches: ctx.profile.offers.matches,
    now: now(ctx),
    states: of.states,
  })
  basketOffersStateOf(ctx).rankings.set(locale, { of, offers })
  return offers
}

/**
 * As the windows have just shown it, in whichever language: the end of a sale, which holds up the next customer,
 * need not rank again. Only where none has asked since the last change is it reckoned.
 */
const asShown = (ctx: Ctx, parts: SaleParts): Ranking['offers'] =>
  at(ctx, parts, LOCALES.find((locale) => keptRanking(ctx, parts, locale) !== null) ?? LOCALES[0])

/** Throws ProblemError `not-found`. */
function view(ctx: Ctx, saleId: string, locale: Locale): BasketOffers {
  const parts = partsOf(ctx, saleId)
  const list = keptOffersOf(ctx)(locale)
  const pictureOf = offerPictureOf(ctx)
  const wishes = newestOf(offerStatesOf(ctx).of(saleId))
  const offers = at(ctx, parts, locale).map((one) => basketOffer(one, wishes.get(one.offer.card.id), pictureOf))
  const member = memberOffersOf(ctx).stateOf(saleId)
  return {
    version: parts.sale.version,
    offers: offers.slice(0, MOST_SHOWN),
    fetchedAt: list ? isoOf(list.fetchedAt) : null,
    stale: list?.stale ?? true,
    member: member && { ...member, changing: offers.filter(({ changing }) => changing !== null).length },
    optInAll: member && optInAllOf(offers),
  }
}

/**
 * The offers of the program as they stand to the basket of a sale. Everything is answered from memory: the lists are
 * fetched in the background, and the sale is the one that its last change has told of.
 */
export const basketOffersOf = perLane((ctx: Ctx) => {
  basketOffersStateOf(ctx)
  return bound(ctx, {
    asShown,
    offersOf,
    view,
  })
})

/** The newest wish of each offer: earlier ones have had their time. */
const newestOf = (wishes: readonly OfferStateNow[]): ReadonlyMap<string, OfferStateNow> =>
  new Map(wishes.map((wish) => [wish.offerId, wish]))

/** What this basket would earn, were it not for an opt-in that nobody has asked for yet; as many as go at once. */
function optInAllOf(offers: readonly BasketOffer[]): BasketOffers['optInAll'] {
  const waiting = offers
    .filter(
      ({ standing, reached, coupon, changing, refused }) =>
        standing === 'opt-in-first' &&
        reached !== null &&
        coupon !== 'to-apply' &&
        changing === null &&
        refused === null,
    )
    .slice(0, MOST_OFFER_CHANGES)
  if (waiting.length === 0) return null
  const miles = waiting.map(({ reached }) => reached?.miles ?? null)
  return {
    offerIds: waiting.map(({ id }) => id),
    miles: miles.every((each) => each !== null) ? miles.reduce((sum, each) => sum + each, 0) : null,
  }
}

const basketOf = (parts: SaleParts): OfferBasket => ({
  lines: pricedLines(parts)
    .filter(({ voided }) => !voided)
    .map((line) => ({
      sku: line.sku,
      quantity: line.quantity,
      amountCents: lineAmount(line),
      departmentId: line.departmentId,
      categoryId: line.categoryId,
    })),
  coupons: couponsOf(parts),
})

/**
 * An offer at a basket as a screen may see it: its code is not among it, since nobody has to read it. `wish`: the
 * newest that the member asked for.
 */
export function basketOffer(
  { offer, ladder, reached, next, ...at }: OfferAtBasket<KeptOffer>,
  wish: OfferStateNow | undefined,
  pictureOf: (address: string | null) => string | null,
): BasketOffer {
  const awardOf = (tier: number): string => ladder[tier]?.award ?? offer.card.award
  return {
    ...offer.card,
    startsOn: offer.startDate.slice(0, 10),
    standing: at.standing,
    ladder: ladder.map(({ award, qualifier, isReached }) => ({ award, qualifier, isReached })),
    reached: reached && { ...reached, award: awardOf(reached.tier) },
    next: next && { ...next, award: awardOf(next.tier) },
    targeted: offer.terms.targeted,
    endingSoon: at.endingSoon,
    image: pictureOf(offer.imageUrl),
    optIn: at.optIn,
    saved: at.saved,
    changing: wish && isOpen(wish.state) ? wish.change : null,
    refused: wish?.state === 'refused' ? refusalOf(wish.why) : null,
    refusedReference: wish?.state === 'refused' ? wish.correlationId : null,
    coupon: at.coupon,
  }
}

/** The program's warnings (specification 1 §7) by what they say; which of them a write gives is not shown. */
const REFUSALS: Readonly<Record<string, OfferChangeRefusal>> = {
  'err-expired': 'expired',
  'err-not-live': 'not-live',
  'err-region': 'region',
  'err-exclusive': 'exclusive',
  'err-not-found': 'not-found',
  'not-found': 'not-found',
}
const refusalOf = (why: string | null): OfferChangeRefusal => REFUSALS[why ?? ''] ?? 'other'

/** The list of offers that the lane keeps for a language. */
export const keptOffersOf = perLane((ctx) => keptListsOf(ctx).kept)

/** Where the screens find the picture of an offer. */
export const offerPictureOf = perLane((ctx) => offerImagesOf(ctx).pathOf)
