import type { BasketOffers } from '../../../contracts/api/basket-offers.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import { lineAmount } from '../../domain/basket.ts'
import { offersForBasket, type OfferAtBasket, type OfferBasket, type OfferStates } from '../../domain/basket-offers.ts'
import { localDateTimeAt } from '../../domain/zone.ts'
import type { KeptOffer, KeptOffers } from '../offers/repository.ts'
import type { Sales } from '../sales/service.ts'
import { couponsOf, pricedLines, type SaleParts } from '../sales/view.ts'
import { basketOffer } from './view.ts'

/** What a signed-in member of a sale has: the offers that are theirs alone, and what they did with any offer. */
export interface MemberOffers {
  /** In every language that was asked for; the others show none. */
  readonly targeted: (locale: Locale) => readonly KeptOffer[]
  readonly states: NonNullable<OfferStates>
}

export interface BasketOffersOptions {
  readonly sales: Pick<Sales, 'parts' | 'onChange'>
  /** The region's list as it is kept, from memory; undefined: none yet. */
  readonly lists: (locale: Locale) => (KeptOffers & { readonly stale: boolean }) | undefined
  /** Null: nobody has signed in at this sale. Answers from memory: it is asked on the way of nothing, and often. */
  readonly member?: (saleId: string) => MemberOffers | null
  /** Where the screens have the picture of this address; null: it is not kept. From memory. Left out: none is. */
  readonly pictureOf?: (address: string | null) => string | null
  readonly profile: Pick<Profile, 'program' | 'offers' | 'timeZone'>
  readonly clock: Pick<Clock, 'now'>
}

export type BasketOffersService = ReturnType<typeof createBasketOffers>

/**
 * The offers of the program as they stand to the basket of a sale. Everything is answered from memory: the lists are
 * fetched in the background, and the sale is the one that its last change has told of.
 */
export function createBasketOffers({ sales, lists, profile, clock, ...options }: BasketOffersOptions) {
  /** The sale that changed last: it is what the windows ask about. */
  let newest: SaleParts | null = null
  sales.onChange((parts) => {
    newest = parts
  })

  const partsOf = (saleId: string): SaleParts => (newest?.sale.id === saleId ? newest : sales.parts(saleId))
  const memberOf = (saleId: string): MemberOffers | null => options.member?.(saleId) ?? null

  /** Offers that the sale may look at: the region's, and those of its member. */
  const offersOf = (saleId: string, locale: Locale): readonly KeptOffer[] => [
    ...(lists(locale)?.offers ?? []),
    ...(memberOf(saleId)?.targeted(locale) ?? []),
  ]

  function at(parts: SaleParts, locale: Locale): OfferAtBasket<KeptOffer>[] {
    const { id } = parts.sale
    return offersForBasket(offersOf(id, locale), basketOf(parts), {
      partnerId: profile.program.partnerId,
      matches: profile.offers.matches,
      now: localDateTimeAt(clock.now(), profile.timeZone).toString({ smallestUnit: 'second' }),
      states: memberOf(id)?.states ?? null,
    })
  }

  return {
    at,
    offersOf,
    /** Throws ProblemError `not-found`. */
    view(saleId: string, locale: Locale): BasketOffers {
      const parts = partsOf(saleId)
      const list = lists(locale)
      return {
        version: parts.sale.version,
        offers: at(parts, locale).map((offer) => basketOffer(offer, options.pictureOf ?? (() => null))),
        fetchedAt: list ? isoOf(list.fetchedAt) : null,
        stale: list?.stale ?? true,
        member: null,
        optInAll: null,
      }
    },
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
