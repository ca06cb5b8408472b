import { z } from 'zod'
import { CopiedSale, HeldSales, HoldSale, ResumeSale } from '../../../contracts/sales/held-sales.ts'
import { Sale } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../approvals/approvals.ts'
import { heldSalesOf } from './held-sales.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })
const answer = { 200: z.object({ sale: Sale }) }

/** Sales that wait: put aside, listed, resumed. */
export const heldSalesRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const held = heldSalesOf(ctx)
    app.get(
      '/api/sales/held',
      {
        schema: {
          summary: 'The sales that are on hold, of every lane of the store, the oldest first',
          response: { 200: HeldSales },
        },
      },
      () => held.list(),
    )
    app.post(
      '/api/sales/:id/hold',
      { schema: { summary: 'Put the open sale on hold', params: byId, body: HoldSale, response: answer } },
      (request) => ({
        sale: held.hold(request.params.id, request.body.version, request.body.name, whoOf(request)),
      }),
    )
    app.post(
      '/api/sales/:id/resume',
      {
        schema: {
          summary: 'Make a sale that is on hold the open sale of this lane',
          params: byId,
          body: ResumeSale,
          response: answer,
        },
        // Cut off, it is the open sale; or it is on hold still, and is resumed again.
        config: { command: 'awaited', interrupted: () => ({ sale: held.resumed() }) },
      },
      async (request) => ({
        sale: await held.resume(request.params.id, request.body, whoOf(request), request.claim),
      }),
    )
    app.post(
      '/api/sales/:id/copy',
      {
        schema: {
          summary: 'Ring the goods of a sale on hold that cannot be resumed now, at today’s prices',
          params: byId,
          response: { 200: CopiedSale },
        },
      },
      (request) => held.copy(request.params.id, signedIn(request).id),
    )
  }
