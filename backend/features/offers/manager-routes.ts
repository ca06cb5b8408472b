import { z } from 'zod'
import {
  ManagerOfferAnswer,
  ManagerOfferLocale,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferLists,
  ShelfCardOrder,
} from '../../../contracts/api/offers-manager.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { ManagerOffers } from './manager-service.ts'

const config = { access: 'manager' } as const
const tags = ['offers']
const byId = z.object({ id: z.uuid() })

/** What the program offers in the region, for the store's manager. */
export const managerOffersRoutes =
  (manager: ManagerOffers): Routes =>
  (app) => {
    app.get(
      '/api/manager/offers',
      {
        schema: {
          tags,
          summary: 'Public offers of the region, live; else from the list of the lane, with the cause',
          querystring: ManagerOfferQuery,
          response: { 200: ManagerOfferPage },
        },
        config,
      },
      async (request) => manager.page(request.query, request.query.locale ?? signedIn(request).locale),
    )
    app.get(
      '/api/manager/offers/:id',
      {
        schema: {
          tags,
          summary: 'One offer with what the service warns of',
          params: byId,
          querystring: ManagerOfferLocale,
          response: { 200: ManagerOfferAnswer },
        },
        config,
      },
      async (request) => manager.one(request.params.id, request.query.locale ?? signedIn(request).locale),
    )
    app.get(
      '/api/manager/offer-lists',
      {
        schema: { tags, summary: 'How old the lists of the lane are', response: { 200: OfferLists } },
        config: { ...config, byItself: true },
      },
      () => manager.lists(),
    )
    app.post(
      '/api/manager/offer-lists/refresh',
      {
        schema: { tags, summary: 'Load the lists of every language anew', response: { 200: OfferLists } },
        config: { ...config, command: 'awaited' },
      },
      async () => manager.refresh(),
    )
    app.post(
      '/api/manager/offers/:id/shelf-card',
      {
        schema: {
          tags,
          summary: 'Order a card for the shelf; stands in the audit trail',
          params: byId,
          response: { 200: ShelfCardOrder },
        },
        config: { ...config, command: 'awaited' },
      },
      async (request) => manager.orderCard(request.params.id, signedIn(request).id),
    )
    app.get(
      '/api/manager/shelf-cards/:number',
      {
        schema: {
          tags,
          summary: 'The ordered card, once, for whoever ordered it',
          params: z.object({ number: z.coerce.number().pipe(z.int().min(1)) }),
          produces: ['application/pdf'],
        },
        config,
      },
      (request, reply) => {
        const { fileName, bytes } = manager.fetchCard(request.params.number, signedIn(request).id)
        return reply
          .type('application/pdf')
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .send(bytes)
      },
    )
  }
