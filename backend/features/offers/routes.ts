import { z } from 'zod'
import { OfferList } from '../../../contracts/api/offers.ts'
import { Locale } from '../../../contracts/locales.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { OffersService } from './service.ts'

const OfferListQuery = z.object({ locale: Locale.optional().describe("Left out: the signed-in person's language") })

export const offersRoutes =
  (offers: Pick<OffersService, 'list' | 'askedNow'>): Routes =>
  (app) => {
    app.get(
      '/api/offers',
      {
        schema: {
          tags: ['offers'],
          description:
            'The offers of the region that may be shown now. `stale` when the offer service could not be asked.',
          querystring: OfferListQuery,
          response: { 200: OfferList },
        },
        config: { access: 'staff' },
      },
      async (request) => offers.list(request.query.locale ?? signedIn(request).locale),
    )

    app.post(
      '/api/offers/refresh',
      {
        schema: {
          tags: ['offers'],
          description: 'Asks the offer service now, and answers as GET /api/offers.',
          body: OfferListQuery,
          response: { 200: OfferList },
        },
        config: { access: 'staff', command: 'awaited' },
      },
      async (request) => offers.askedNow(request.body.locale ?? signedIn(request).locale),
    )
  }
