import { z } from 'zod'
import { ChangeOfferStates, OfferStatesChanged } from '../../../contracts/api/basket-offers.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import type { OfferWishes } from './wishes.ts'

export const memberOffersRoutes =
  (wishes: OfferWishes): Routes =>
  (app) => {
    app.post(
      '/api/sales/:id/offer-states',
      {
        schema: {
          summary: 'Opt the member who is signed in into offers, or save them; sent after it is recorded',
          params: z.object({ id: SaleId }),
          body: ChangeOfferStates,
          response: { 200: OfferStatesChanged },
        },
      },
      (request) => wishes.change(request.params.id, request.body),
    )
  }
