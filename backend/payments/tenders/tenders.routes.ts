import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { tendersOf } from './tenders.ts'
import { takeBackOf } from './take-back.ts'
import { milesTenderOf } from './redemption.ts'
import { salesOf } from '../../sales/sales.ts'
import type { Ctx } from '../../core/context.ts'

/** How a sale is paid, and how it ends. */
export function tendersRoutes(ctx: Ctx, app: App): void {
  const tenders = tendersOf(ctx)
  const takeBack = takeBackOf(ctx)
  const milesTender = milesTenderOf(ctx)
  const prepare = tendersOf(ctx).prepare
  const view = salesOf(ctx).view
  serve(
    app,
    paymentsContract['POST /sales/:id/redemption'],
    async (request) => ({
      sale: await milesTender.redeem(request.params.id, request.body.version, request.body.units, request.claim),
    }),
    // After a restart, recovery has written the outcome to the sale.
    { interrupted: (request) => ({ sale: view(request.params.id) }) },
  )
  serve(
    app,
    paymentsContract['POST /sales/:id/tenders'],
    (request) => ({
      sale: tenders.add(request.params.id, request.body),
    }),
    { before: (request) => prepare(request.params.id, request.body) },
  )
  serve(app, paymentsContract['POST /sales/:id/tenders/:number/take-back'], (request) => ({
    sale: takeBack.takeBack(request.params.id, request.body.version, request.params.number, signedIn(request).id),
  }))

  serve(app, paymentsContract['POST /sales/:id/complete'], (request) => ({
    sale: tenders.completeFree(request.params.id, request.body.version),
  }))
  serve(app, paymentsContract['POST /sales/:id/cancel'], (request) => ({
    sale: tenders.cancel(request.params.id, request.body.version, whoOf(request)),
  }))
}
