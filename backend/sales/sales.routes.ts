import { z } from 'zod'
import { ChangeLine, CurrentSale, RingItem, Sale, VoidLine } from '../../contracts/sales/sales.ts'
import { SaleId } from '../../contracts/core/ids.ts'
import type { Routes } from '../core/http/app.ts'
import { whoOf } from './approvals/approvals.ts'
import { salesOf, settlementOf } from './sales.ts'
import type { Ctx } from '../core/context.ts'

const OneSale = z.object({ sale: Sale })
const byId = z.object({ id: SaleId })
const byLine = byId.extend({ number: z.coerce.number().int().min(1) })
const answer = { 200: OneSale }

/** The sale and its lines. A command names the version that its screen has seen. */
export const salesRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const sales = salesOf(ctx)
    const settle = settlementOf(ctx)
    app.get(
      '/api/sales/current',
      { schema: { summary: 'The open sale of this lane', response: { 200: CurrentSale } } },
      () => ({ sale: sales.current() }),
    )
    app.get('/api/sales/:id', { schema: { summary: 'One sale', params: byId, response: answer } }, (request) => ({
      sale: sales.view(request.params.id),
    }))

    app.post(
      '/api/sales/current/lines',
      { schema: { summary: 'Ring an item; opens a sale when there is none', body: RingItem, response: answer } },
      (request) => ({
        sale: sales.ringSku(request.body.sku, request.body.quantity, request.body.priceCents, whoOf(request)),
      }),
    )
    app.put(
      '/api/sales/:id/lines/:number',
      { schema: { summary: 'Change the quantity of a line', params: byLine, body: ChangeLine, response: answer } },
      (request) => ({
        sale: settle(
          request.params.id,
          sales.changeQuantity(
            request.params.id,
            request.body.version,
            request.params.number,
            request.body.quantity,
            whoOf(request),
          ),
        ),
      }),
    )
    app.post(
      '/api/sales/:id/lines/:number/void',
      { schema: { summary: 'Void a line', params: byLine, body: VoidLine, response: answer } },
      (request) => ({
        sale: settle(
          request.params.id,
          sales.voidLine(request.params.id, request.body.version, request.params.number, whoOf(request)),
        ),
      }),
    )
  }
