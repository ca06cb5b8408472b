import { z } from 'zod'
import { Sale, SaleCommand } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import type { Members } from './service.ts'

const byId = z.object({ id: SaleId })
const answer = { 200: z.object({ sale: Sale }) }

/** The collector on a sale. */
export const memberRoutes =
  (members: Pick<Members, 'remove' | 'inquireAgain'>): Routes =>
  (app) => {
    app.post(
      '/api/sales/:id/member/remove',
      { schema: { summary: 'Take the collector off the sale', params: byId, body: SaleCommand, response: answer } },
      (request) => ({ sale: members.remove(request.params.id, request.body.version) }),
    )

    app.post(
      '/api/sales/:id/member/inquire',
      {
        schema: {
          summary: 'Ask about the collector once more, without another read of the card',
          params: byId,
          body: SaleCommand,
          response: answer,
        },
      },
      (request) => ({ sale: members.inquireAgain(request.params.id, request.body.version) }),
    )
  }
