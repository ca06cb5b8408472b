import type { ApplyOfferCoupon } from '../../../contracts/api/basket-offers.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import { LOCALES, perLocale } from '../../../contracts/i18n/languages.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { Coupon } from '../../../contracts/sale-rules.ts'
import type { Clock } from '../../clock.ts'
import { codesOf, isAtLane, isSameCode } from '../../domain/basket-offers.ts'
import { localDateTimeAt } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Who } from '../approvals/guard.ts'
import type { KeptOffer } from '../offers/repository.ts'
import type { CouponTaking } from '../sale-changes/coupons.ts'
import type { SaleChanges } from '../sale-changes/service.ts'
import type { Sales } from '../sales/service.ts'
import type { BasketOffersService } from './service.ts'

/** As much as a coupon of a sale may have. */
const LONGEST_CODE = 64

export interface OfferCodesOptions {
  readonly offers: Pick<BasketOffersService, 'offersOf'>
  readonly sales: Pick<Sales, 'currentId'>
  readonly profile: Pick<Profile, 'program' | 'timeZone'>
  readonly clock: Pick<Clock, 'now'>
}

export type OfferCodes = ReturnType<typeof createOfferCodes>

/**
 * The codes of the program's offers as coupons of miles alone: they change no price, and the program is told of them
 * with the sale (specification 3 §2.1, `coupon`).
 */
export function createOfferCodes({ offers, sales, profile, clock }: OfferCodesOptions) {
  const { partnerId } = profile.program
  const inEach = (): { locale: (typeof LOCALES)[number]; list: readonly KeptOffer[] }[] => {
    const saleId = sales.currentId() ?? ''
    return LOCALES.map((locale) => ({ locale, list: offers.offersOf(saleId, locale) }))
  }

  /** The coupon that a code of an offer stands for; undefined where it may not be used in this store now. */
  function couponOf(isMeant: (offer: KeptOffer) => boolean, isWanted = (_code: string) => true): Coupon | undefined {
    const now = localDateTimeAt(clock.now(), profile.timeZone).toString({ smallestUnit: 'second' })
    const found = inEach().flatMap(({ locale, list }) => {
      const offer = list.find(
        (one) => one.partnerId === partnerId && now < one.endDate && isAtLane(one.terms) && isMeant(one),
      )
      return offer ? [{ locale, offer }] : []
    })
    const [first] = found
    const [code] = first ? codesOf(first.offer.terms).filter((one) => one.length <= LONGEST_CODE && isWanted(one)) : []
    if (!first || code === undefined) return undefined
    const name = perLocale((locale) => (found.find((one) => one.locale === locale) ?? first).offer.card.award)
    // Until its hour has come, its start is later than today, whatever the day.
    const from = now < first.offer.startDate ? first.offer.startDate : first.offer.startDate.slice(0, 10)
    return { code, name, from, until: first.offer.endDate.slice(0, 10) }
  }

  return {
    /** By its code, capitals or not. */
    find(code: string): Coupon | undefined {
      const isWanted = (one: string): boolean => isSameCode(one, code)
      return couponOf(({ terms }) => codesOf(terms).some(isWanted), isWanted)
    },
    ofOffer: (offerId: string): Coupon | undefined => couponOf(({ card }) => card.id === offerId),
    /** Every code of the offer: any of them may stand in the sale. */
    allOf: (offerId: string): string[] =>
      inEach().flatMap(({ list }) =>
        list.filter(({ card }) => card.id === offerId).flatMap(({ terms }) => codesOf(terms)),
      ),
  }
}

export interface OfferCouponsOptions {
  readonly codes: OfferCodes
  readonly taking: Pick<CouponTaking, 'take'>
  readonly changes: Pick<SaleChanges, 'removeDiscount'>
  readonly sales: Pick<Sales, 'parts' | 'currentId' | 'view'>
}

export type OfferCoupons = ReturnType<typeof createOfferCoupons>

/** The code of an offer on the open sale, by one key, and off again by the same. */
export function createOfferCoupons({ codes, taking, changes, sales }: OfferCouponsOptions) {
  return {
    /** Throws ProblemError `sale-not-open`, `sale-stale`, `offer-code-gone`, and those of a coupon. */
    apply(saleId: string, { version, offerId, applied }: ApplyOfferCoupon, who: Who): Sale {
      const now = sales.parts(saleId)
      if (sales.currentId() !== saleId) throw new ProblemError('sale-not-open')
      if (now.sale.version !== version) throw new ProblemError('sale-stale')
      const coupon = codes.ofOffer(offerId)
      if (!coupon) throw new ProblemError('offer-code-gone')
      const all = codes.allOf(offerId)
      const standing = now.discounts.find(
        ({ coupon: taken }) => taken && all.some((one) => isSameCode(taken.code, one)),
      )
      if (applied) return standing ? sales.view(saleId) : taking.take(coupon.code)
      return standing ? changes.removeDiscount(saleId, version, standing.number, who) : sales.view(saleId)
    },
  }
}
