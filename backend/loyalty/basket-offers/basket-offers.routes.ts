import type { ApplyOfferCoupon } from '../../../contracts/loyalty/basket-offers.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { LOCALES, perLocale } from '../../../contracts/i18n/languages.ts'
import type { Coupon } from '../../../contracts/sales/sale-rules.ts'
import { codesOf, isAtLane, isSameCode } from './offer-rules.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Who } from '../../sales/approvals/guard.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'
import { refuseStale, salesOf } from '../../sales/sales.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { basketOffersOf } from './basket-offers.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { couponTakingOf } from '../../sales/sale-changes/coupons.ts'
import { saleChangesOf } from '../../sales/sale-changes/sale-changes.ts'

const LONGEST_CODE = 64

/**
 * Makes coupons from the codes of the program's offers. Such a coupon changes no price; ISSUE and CALCULATE carry its
 * code (specification 3 §2.1, `coupon`).
 */
export const offerCodesOf = perLane((ctx: Ctx) => {
  const { profile, clock } = ctx
  const offers = basketOffersOf(ctx)
  const sales = salesOf(ctx)
  const { partnerId } = profile.program
  const inEach = (): { locale: (typeof LOCALES)[number]; list: readonly StoredOffer[] }[] => {
    const saleId = sales.currentId() ?? ''
    return LOCALES.map((locale) => ({ locale, list: offers.offersOf(saleId, locale) }))
  }

  function couponOf(isMeant: (offer: StoredOffer) => boolean, isWanted = (_code: string) => true): Coupon | undefined {
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
    // A coupon starts at a date, which is compared with today as text. For an offer that starts later today keep the
    // time: as text it is after today, so the coupon is not valid yet.
    const from = now < first.offer.startDate ? first.offer.startDate : first.offer.startDate.slice(0, 10)
    return { code, name, from, until: first.offer.endDate.slice(0, 10) }
  }

  return {
    find(code: string): Coupon | undefined {
      const isWanted = (one: string): boolean => isSameCode(one, code)
      return couponOf(({ terms }) => codesOf(terms).some(isWanted), isWanted)
    },
    ofOffer: (offerId: string): Coupon | undefined => couponOf(({ card }) => card.id === offerId),
    /** Returns all codes of an offer, because the sale may contain a coupon with any of them. */
    allOf: (offerId: string): string[] =>
      inEach().flatMap(({ list }) =>
        list.filter(({ card }) => card.id === offerId).flatMap(({ terms }) => codesOf(terms)),
      ),
  }
})

export const offerCouponsOf = perLane((ctx: Ctx) => {
  const codes = offerCodesOf(ctx)
  const taking = couponTakingOf(ctx)
  const changes = saleChangesOf(ctx)
  const sales = salesOf(ctx)
  return {
    /**
     * Adds the code of an offer to the sale or removes it. Throws ProblemError `sale-not-open`, `sale-stale`,
     * `offer-code-gone`, and the errors of a coupon.
     */
    apply(saleId: string, { version, offerId, applied }: ApplyOfferCoupon, who: Who): Sale {
      const now = sales.parts(saleId)
      if (sales.currentId() !== saleId) throw new ProblemError('sale-not-open')
      refuseStale(now.sale, version)
      const coupon = codes.ofOffer(offerId)
      if (!coupon) throw new ProblemError('offer-code-gone')
      const all = codes.allOf(offerId)
      const existing = now.discounts.find(
        ({ coupon: taken }) => taken && all.some((one) => isSameCode(taken.code, one)),
      )
      if (applied) return existing ? sales.view(saleId) : taking.take(coupon.code)
      return existing ? changes.removeDiscount(saleId, version, existing.number, who) : sales.view(saleId)
    },
  }
})

export function basketOffersRoutes(ctx: Ctx, app: App): void {
  const offers = basketOffersOf(ctx)
  const coupons = offerCouponsOf(ctx)
  serve(app, memberContract['GET /sales/:id/offers'], (request) =>
    offers.view(request.params.id, request.query.locale ?? signedIn(request).locale),
  )
  serve(app, memberContract['GET /offers/of-item'], (request) =>
    offers.ofItem(request.query.sku, request.query.locale ?? signedIn(request).locale),
  )
  serve(app, memberContract['POST /sales/:id/offer-coupons'], (request) => ({
    sale: coupons.apply(request.params.id, request.body, whoOf(request)),
  }))
}
