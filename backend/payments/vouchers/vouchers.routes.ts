import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { vouchersOf } from './vouchers.ts'
import type { Ctx } from '../../core/context.ts'

/** Store credit and gift cards. A code comes in the body of a call, never in an address: addresses are logged. */
export function vouchersRoutes(ctx: Ctx, app: App): void {
  const vouchers = vouchersOf(ctx)
  serve(app, paymentsContract['POST /vouchers/present'], async (request) => ({
    voucher: await vouchers.present(request.body.code),
  }))
  serve(
    app,
    paymentsContract['POST /vouchers/:id/reprint'],
    (request) => vouchers.reprint(request.params.id, whoOf(request)),
    { before: (request) => vouchers.prepareReprint(request.params.id) },
  )
  serve(app, paymentsContract['GET /sales/:id/vouchers'], (request) => ({
    vouchers: vouchers.documentsOfSale(request.params.id, signedIn(request)),
  }))
  serve(
    app,
    paymentsContract['POST /sales/current/gift-cards'],
    (request) => ({ sale: vouchers.sell(request.body, whoOf(request)) }),
    { before: (request) => vouchers.prepareSale(request.body) },
  )
}
