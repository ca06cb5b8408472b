import { z } from 'zod'
import { CancelSale, Redeem, Sale, SaleCommand, TakeTenderBack } from '../../../contracts/sales/sales.ts'
import { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { tendersOf } from './tenders.ts'
import { takeBackOf } from './take-back.ts'
import { milesTenderOf } from './redemption.ts'
import { salesOf } from '../../sales/sales.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })
const byLine = byId.extend({ number: z.coerce.number().int().min(1) })
const answer = { 200: z.object({ sale: Sale }) }

/** How a sale is paid, and how it ends. */
export const tendersRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const tenders = tendersOf(ctx)
    const takeBack = takeBackOf(ctx)
    const milesTender = milesTenderOf(ctx)
    const prepare = tendersOf(ctx).prepare
    const view = salesOf(ctx).view
    app.post(
      '/api/sales/:id/redemption',
      {
        schema: {
          summary: 'Redeem miles; answers when the outcome is known',
          params: byId,
          body: Redeem,
          response: answer,
        },
        // Cut off, it stands in the sale as recovery has found it.
        config: {
          command: 'awaited',
          interrupted: (request) => ({ sale: view(byId.parse(request.params).id) }),
        },
      },
      async (request) => ({
        sale: await milesTender.redeem(request.params.id, request.body.version, request.body.units, request.claim),
      }),
    )
    app.post(
      '/api/sales/:id/tenders',
      {
        schema: {
          summary: 'Take a payment that is typed or shown; the tender that reaches the sum completes the sale',
          params: byId,
          body: AddTender,
          response: answer,
        },
        config: { before: (request) => prepare(byId.parse(request.params).id, AddTender.parse(request.body)) },
      },
      (request) => ({
        sale: tenders.add(request.params.id, request.body),
      }),
    )
    app.post(
      '/api/sales/:id/tenders/:number/take-back',
      {
        schema: {
          summary: 'Give one payment back; the sale stays open, and miles are reversed',
          params: byLine,
          body: TakeTenderBack,
          response: answer,
        },
      },
      (request) => ({
        sale: takeBack.takeBack(request.params.id, request.body.version, request.params.number, signedIn(request).id),
      }),
    )

    app.post(
      '/api/sales/:id/complete',
      { schema: { summary: 'Complete a sale that costs nothing', params: byId, body: SaleCommand, response: answer } },
      (request) => ({
        sale: tenders.completeFree(request.params.id, request.body.version),
      }),
    )
    app.post(
      '/api/sales/:id/cancel',
      {
        schema: {
          summary: 'Cancel the sale; an approved redemption is reversed',
          params: byId,
          body: CancelSale,
          response: answer,
        },
      },
      (request) => ({
        sale: tenders.cancel(request.params.id, request.body.version, whoOf(request)),
      }),
    )
  }
