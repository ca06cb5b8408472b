import { z } from 'zod'
import {
  HistoryPrinted,
  MemberHistory,
  MemberHistoryQuery,
  PrintHistory,
  ShowHistory,
} from '../../../contracts/api/member-history.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { MemberHistoryService } from './service.ts'

const byId = z.object({ id: SaleId })

/** The history of the member who has signed in on a sale. */
export const memberHistoryRoutes =
  (history: MemberHistoryService): Routes =>
  (app) => {
    app.get(
      '/api/sales/:id/member-history',
      {
        schema: {
          summary: 'A page of the transactions of the member who has signed in on the sale, from the program',
          params: byId,
          querystring: MemberHistoryQuery,
          response: { 200: MemberHistory },
        },
        config: { access: 'staff' },
      },
      (request) => {
        const { locale, ...asked } = request.query
        return history.page(request.params.id, asked, locale ?? signedIn(request).locale)
      },
    )

    app.put(
      '/api/sales/:id/member-history/shown',
      {
        schema: {
          summary: 'Show the customer the history that the cashier has open; null when it was closed',
          params: byId,
          body: ShowHistory,
          response: { 200: ShowHistory },
        },
        config: { command: 'awaited' },
      },
      async (request) => {
        history.show(request.params.id, request.body.shown)
        return request.body
      },
    )

    app.post(
      '/api/sales/:id/member-history/print',
      {
        schema: {
          summary: 'Print the newest transactions of the member; nothing of them is stored',
          params: byId,
          body: PrintHistory,
          response: { 200: HistoryPrinted },
        },
        config: { command: 'awaited' },
      },
      async (request) => history.print(request.params.id, request.body, signedIn(request).id),
    )
  }
