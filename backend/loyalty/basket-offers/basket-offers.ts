import {
  type BasketOffer,
  type BasketOffers,
  MAX_OFFER_CHANGES,
  type OfferChangeRefusal,
} from '../../../contracts/loyalty/basket-offers.ts'
import type { ItemOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { lineAmount } from '../../sales/sale/basket.ts'
import { type OfferAtBasket, type OfferBasket, type OfferStates, offersForBasket } from './offer-rules.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import type { OfferStateNow } from '../member/offer-states.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { isAmong, matching } from '../offers/offer-terms.ts'
import { type SaleParts, couponsOf, pricedLines } from '../../sales/sale/sale-parts.ts'
import { isOpen } from '../../core/outbox/states.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { memberOffersOf } from '../member/member-offers.ts'
import { offerStatesOf } from '../member/offer-states.ts'
import { offerImagesOf } from '../offer-images/offer-images.ts'
import { offersOf as storedListsOf } from '../offers/offers.ts'

export interface MemberOffers {
  /** Targeted offers of the signed-in member in one language; empty for a language whose list is not loaded yet. */
  readonly targeted: (locale: Locale) => readonly StoredOffer[]
  readonly states: NonNullable<OfferStates>
}

/**
 * Everything that a ranking of offers depends on. The ranking is reused while these facts are equal, for at most one
 * minute.
 */
interface Facts {
  readonly region: readonly StoredOffer[] | undefined
  readonly targeted: readonly StoredOffer[] | undefined
  readonly states: OfferStates
  /** Basket as JSON, to detect its changes: a payment changes the sale but not the basket. */
  readonly basket: string
  readonly minute: string
}
interface Ranking {
  readonly of: Facts
  readonly offers: readonly OfferAtBasket<StoredOffer>[]
}

const MINUTE = '2026-11-21T09:03'.length

const isSame = (one: Facts, other: Facts): boolean =>
  one.region === other.region &&
  one.targeted === other.targeted &&
  one.states === other.states &&
  one.basket === other.basket &&
  one.minute === other.minute

export type BasketOffersService = ReturnType<typeof basketOffersOf>

const MAX_SHOWN = 500

const basketOffersStateOf = perLane((ctx: Ctx) => {
  const rankings = new Map<Locale, Ranking>()
  salesOf(ctx).onChange((parts) => {
    basketOffersStateOf(ctx).newest = parts
    // Discard the rankings when the sale ends or is held: they may contain offers of its member.
    if (parts.sale.state !== 'open') basketOffersStateOf(ctx).rankings.clear()
  })
  return {
    newest: null as SaleParts | null,
    rankings,
  }
})

function offerPartsOf(ctx: Ctx, saleId: string): SaleParts {
  const { newest } = basketOffersStateOf(ctx)
  return newest?.sale.id === saleId ? newest : salesOf(ctx).parts(saleId)
}

const memberOf = (ctx: Ctx, saleId: string): MemberOffers | null => memberOffersOf(ctx).of(saleId)

function offersOf(ctx: Ctx, saleId: string, locale: Locale): readonly StoredOffer[] {
  const region = storedOffersOf(ctx)(locale)?.offers ?? []
  const targeted = memberOf(ctx, saleId)?.targeted(locale) ?? []
  if (targeted.length === 0) return region
  const known = new Set(region.map(({ card }) => card.id))
  return [...region, ...targeted.filter(({ card }) => !known.has(card.id))]
}

function factsOf(ctx: Ctx, parts: SaleParts, locale: Locale): Facts {
  const member = memberOf(ctx, parts.sale.id)
  return {
    region: storedOffersOf(ctx)(locale)?.offers,
    targeted: member?.targeted(locale),
    states: member?.states ?? null,
    basket: JSON.stringify(basketOf(parts)),
    minute: now(ctx).slice(0, MINUTE),
  }
}

const now = (ctx: Ctx): string =>
  localDateTimeAt(ctx.clock.now(), ctx.profile.timeZone).toString({ smallestUnit: 'second' })

function cachedRanking(ctx: Ctx, parts: SaleParts, locale: Locale): Ranking['offers'] | null {
  const cached = basketOffersStateOf(ctx).rankings.get(locale)
  return cached && isSame(cached.of, factsOf(ctx, parts, locale)) ? cached.offers : null
}

function at(ctx: Ctx, parts: SaleParts, locale: Locale): Ranking['offers'] {
  const cached = cachedRanking(ctx, parts, locale)
  if (cached) return cached
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
 * Returns the current ranking of any language, because ranking again would delay the end of the sale. Ranks only if no
 * language has a current one.
 */
const asShown = (ctx: Ctx, parts: SaleParts): Ranking['offers'] =>
  at(ctx, parts, LOCALES.find((locale) => cachedRanking(ctx, parts, locale) !== null) ?? LOCALES[0])

function view(ctx: Ctx, saleId: string, locale: Locale): BasketOffers {
  const parts = offerPartsOf(ctx, saleId)
  const list = storedOffersOf(ctx)(locale)
  const pictureOf = offerPictureOf(ctx)
  const changes = newestOf(offerStatesOf(ctx).of(saleId))
  const offers = at(ctx, parts, locale).map((one) => basketOffer(one, changes.get(one.offer.card.id), pictureOf))
  const member = memberOffersOf(ctx).stateOf(saleId)
  return {
    version: parts.sale.version,
    offers: offers.slice(0, MAX_SHOWN),
    fetchedAt: list ? isoOf(list.fetchedAt) : null,
    stale: list?.stale ?? true,
    member: member && { ...member, changing: offers.filter(({ changing }) => changing !== null).length },
    optInAll: member && optInAllOf(offers),
  }
}

/**
 * Returns the current offers of the region and of the open sale's collector for which the store configured this item.
 */
function ofItem(ctx: Ctx, sku: string, locale: Locale): ItemOffers {
  const item = catalogOf(ctx).findBySku(sku)
  if (item === undefined) return { offers: [] }
  const { newest } = basketOffersStateOf(ctx)
  const all =
    newest?.sale.state === 'open' ? offersOf(ctx, newest.sale.id, locale) : (storedOffersOf(ctx)(locale)?.offers ?? [])
  const { partnerId } = ctx.profile.program
  const at = now(ctx)
  const matchOf = matching(ctx.profile.offers.matches)
  const offers = all.filter((offer) => {
    const isCurrent = offer.partnerId === partnerId && offer.startDate <= at && at < offer.endDate
    const match = isCurrent ? matchOf(offer) : undefined
    return match !== undefined && isAmong(match, item)
  })
  return { offers: offers.map(({ card: { id, award, qualifier } }) => ({ id, award, qualifier })) }
}

/**
 * Ranks the program's offers for the basket of a sale. The ranking waits for no service: the lists of offers are
 * fetched in the background.
 */
export const basketOffersOf = perLane((ctx: Ctx) => {
  basketOffersStateOf(ctx)
  return bound(ctx, {
    asShown,
    ofItem,
    offersOf,
    view,
  })
})

const newestOf = (changes: readonly OfferStateNow[]): ReadonlyMap<string, OfferStateNow> =>
  new Map(changes.map((change) => [change.offerId, change]))

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
    .slice(0, MAX_OFFER_CHANGES)
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

/** Converts an offer for a screen, without its codes. `change` is the member's newest change of this offer. */
export function basketOffer(
  { offer, ladder, reached, next, ...at }: OfferAtBasket<StoredOffer>,
  change: OfferStateNow | undefined,
  pictureOf: (address: string | null) => string | null,
): BasketOffer {
  const awardOf = (tier: number): string => ladder[tier]?.award ?? offer.card.award
  return {
    ...offer.card,
    startsOn: offer.startDate.slice(0, 10),
    standing: at.status,
    ladder: ladder.map(({ award, qualifier, isReached }) => ({ award, qualifier, isReached })),
    reached: reached && { ...reached, award: awardOf(reached.tier) },
    next: next && { ...next, award: awardOf(next.tier) },
    targeted: offer.terms.targeted,
    endingSoon: at.endingSoon,
    image: pictureOf(offer.imageUrl),
    optIn: at.optIn,
    saved: at.saved,
    changing: change && isOpen(change.state) ? change.change : null,
    refused: change?.state === 'refused' ? refusalOf(change.why) : null,
    refusedReference: change?.state === 'refused' ? change.correlationId : null,
    coupon: at.coupon,
  }
}

/**
 * Meaning of the program's warning codes (specification 1 §7). All are included, because specification 1 does not
 * define which of them the answer to a change can have.
 */
const REFUSALS: Readonly<Record<string, OfferChangeRefusal>> = {
  'err-expired': 'expired',
  'err-not-live': 'not-live',
  'err-region': 'region',
  'err-exclusive': 'exclusive',
  'err-not-found': 'not-found',
  'not-found': 'not-found',
}
const refusalOf = (why: string | null): OfferChangeRefusal => REFUSALS[why ?? ''] ?? 'other'

export const storedOffersOf = perLane((ctx) => storedListsOf(ctx).stored)

export const offerPictureOf = perLane((ctx) => offerImagesOf(ctx).pathOf)
