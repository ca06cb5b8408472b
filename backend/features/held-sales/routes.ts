import { z } from 'zod'
import { HeldSales, HoldSale } from '../../../contracts/api/held-sales.ts'
import { Sale, SaleCommand } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import { whoOf } from '../approvals/who-of.ts'
import type { HeldSalesService } from './service.ts'

const byId = z.object({ id: SaleId })
const answer = { 200: z.object({ sale: Sale }) }

/** Sales that wait: put aside, listed, resumed. */
export const heldSalesRoutes =
  (held: HeldSalesService): Routes =>
  (app) => {
    app.get(
      '/api/sales/held',
      {
        schema: { summary: 'The sales of this lane that are on hold, the oldest first', response: { 200: HeldSales } },
      },
      () => ({ sales: held.list() }),
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
          summary: 'Make a sale that is on hold the open sale again',
          params: byId,
          body: SaleCommand,
          response: answer,
        },
      },
      (request) => ({
        sale: held.resume(request.params.id, request.body.version, signedIn(request).id),
      }),
    )
  }
