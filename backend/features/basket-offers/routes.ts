import { z } from 'zod'
import { ApplyOfferCoupon, BasketOffers } from '../../../contracts/api/basket-offers.ts'
import { Sale } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { Locale } from '../../../contracts/locales.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import { whoOf } from '../approvals/who-of.ts'
import type { OfferCoupons } from './coupons.ts'
import type { BasketOffersService } from './service.ts'

export interface BasketOffersRoutesOptions {
  readonly offers: Pick<BasketOffersService, 'view'>
  readonly coupons: OfferCoupons
}

const byId = z.object({ id: SaleId })

export const basketOffersRoutes =
  ({ offers, coupons }: BasketOffersRoutesOptions): Routes =>
  (app) => {
    app.get(
      '/api/sales/:id/offers',
      {
        schema: {
          summary: 'The offers of the program as they stand to the basket, from memory',
          params: byId,
          querystring: z.object({ locale: Locale.optional().describe("Left out: the signed-in person's language") }),
          response: { 200: BasketOffers },
        },
        config: { access: 'staff' },
      },
      (request) => offers.view(request.params.id, request.query.locale ?? signedIn(request).locale),
    )
    app.post(
      '/api/sales/:id/offer-coupons',
      {
        schema: {
          summary: 'Apply the code of an offer to the sale, or take it off again',
          params: byId,
          body: ApplyOfferCoupon,
          response: { 200: z.object({ sale: Sale }) },
        },
      },
      (request) => ({ sale: coupons.apply(request.params.id, request.body, whoOf(request)) }),
    )
  }
