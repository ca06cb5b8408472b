import type { App } from '../core/http/app.ts'
import { paymentsContract } from '../../contracts/payments/payments.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { whoOf } from '../sales/approvals/approvals.ts'
import { tendersOf } from './tenders/tenders.ts'
import { manufacturerCouponsOf } from './tenders/manufacturer-coupons.ts'
import { takeBackOf } from './tenders/take-back.ts'
import { milesTenderOf } from './tenders/redemption.ts'
import { salesOf } from '../sales/sales.ts'
import type { Ctx } from '../core/context.ts'
import { ProblemError } from '../core/problem.ts'
import { emailsOf } from './delivery/emails.ts'
import { receiptsOf } from './receipts/receipts.ts'
import { storeReturnsOf } from './returns/store-returns.ts'
import { cashOutsOf } from './vouchers/cash-out.ts'
import { vouchersOf } from './vouchers/vouchers.ts'
import { cardPaymentsRoutes } from './tenders/card-tender.ts'
import { customerDisplayRoutes } from './customer-display/customer-display.ts'
import { returnsRoutes } from './returns/returns.ts'

export function paymentsRoutes(ctx: Ctx, app: App): void {
  tendersRoutes(ctx, app)
  cardPaymentsRoutes(ctx, app)
  receiptsRoutes(ctx, app)
  deliveryRoutes(ctx, app)
  customerDisplayRoutes(ctx, app)
  returnsRoutes(ctx, app)
  vouchersRoutes(ctx, app)
}

function tendersRoutes(ctx: Ctx, app: App): void {
  const tenders = tendersOf(ctx)
  const takeBack = takeBackOf(ctx)
  const milesTender = milesTenderOf(ctx)
  const prepare = tendersOf(ctx).prepare
  const view = salesOf(ctx).view
  serve(
    app,
    paymentsContract['POST /sales/:id/redemption'],
    async (request) => ({
      sale: await milesTender.redeem(request.params.id, request.body.version, request.body.units, request.storeKey),
    }),
    // After a restart, the outcome of the interrupted redemption is already recorded, so return the sale.
    { interrupted: (request) => ({ sale: view(request.params.id) }) },
  )
  serve(
    app,
    paymentsContract['POST /sales/:id/tenders'],
    (request) => ({
      sale: tenders.add(request.params.id, request.body, whoOf(request)),
    }),
    { before: (request) => prepare(request.params.id, request.body) },
  )
  serve(app, paymentsContract['POST /manufacturer-coupons/present'], (request) => ({
    coupon: manufacturerCouponsOf(ctx).present(request.body.code),
  }))
  serve(app, paymentsContract['POST /sales/:id/tenders/:number/take-back'], (request) => ({
    sale: takeBack.takeBack(request.params.id, request.body.version, request.params.number, signedIn(request).id),
  }))

  serve(app, paymentsContract['POST /sales/:id/payout'], (request) => ({
    sale: tenders.payOut(request.params.id, request.body.version),
  }))
  serve(app, paymentsContract['POST /sales/:id/complete'], (request) => ({
    sale: tenders.completeFree(request.params.id, request.body.version),
  }))
  serve(app, paymentsContract['POST /sales/:id/cancel'], (request) => ({
    sale: tenders.cancel(request.params.id, request.body.version, whoOf(request)),
  }))
}

function receiptsRoutes(ctx: Ctx, app: App): void {
  const receipts = receiptsOf(ctx)
  const store = storeReturnsOf(ctx)
  serve(app, paymentsContract['GET /sales/:id/receipt'], (request) => receipts.view(request.params.id))
  serve(app, paymentsContract['GET /sales/:id/receipt.svg'], (request, reply) =>
    reply
      .type('image/svg+xml; charset=utf-8')
      .header('content-disposition', `inline; filename="${request.params.id}.svg"`)
      .send(receipts.svg(request.params.id)),
  )
  serve(app, paymentsContract['GET /sales/:id/receipt.png'], async (request, reply) =>
    reply
      .type('image/png')
      .header('content-disposition', `inline; filename="${request.params.id}.png"`)
      .send(await receipts.png(request.params.id)),
  )
  serve(app, paymentsContract['GET /sales/:id/receipt.pdf'], async (request, reply) =>
    reply
      .type('application/pdf')
      .header('content-disposition', `inline; filename="${request.params.id}.pdf"`)
      .send(await receipts.pdf(request.params.id)),
  )
  serve(app, paymentsContract['POST /sales/:id/gift-receipt'], (request) => {
    const { id } = request.params
    if (store.foreign(id)) throw new ProblemError('gift-receipt-other-lane')
    return receipts.printGift(id, signedIn(request).id)
  })
  serve(
    app,
    paymentsContract['POST /sales/:id/reprint'],
    (request) => {
      const { id } = request.params
      const elsewhere = store.foreign(id)
      return elsewhere
        ? receipts.copyElsewhere(elsewhere, whoOf(request), request.body?.locale)
        : receipts.reprint(
            { kind: 'sale', id },
            {
              actorId: signedIn(request).id,
              who: whoOf(request),
              locale: request.body?.locale,
            },
          )
    },
    {
      before: async (request) => {
        const { id } = request.params
        if (store.isElsewhere(id)) await store.loadSale(id)
        return undefined
      },
    },
  )
}

function deliveryRoutes(ctx: Ctx, app: App): void {
  const emails = emailsOf(ctx)
  const store = storeReturnsOf(ctx)
  const partsOf = (id: string) => store.foreign(id) ?? salesOf(ctx).parts(id)
  const load = async (id: string): Promise<undefined> => {
    if (store.isElsewhere(id)) await store.loadSale(id)
    return undefined
  }
  serve(
    app,
    paymentsContract['POST /sales/:id/email'],
    (request) => ({ delivery: emails.queue(partsOf(request.params.id), request.body, signedIn(request).id) }),
    { before: (request) => load(request.params.id) },
  )
  serve(app, paymentsContract['POST /sales/:id/invoice'], async (request) => {
    await load(request.params.id)
    return emails.invoice(partsOf(request.params.id), request.body, signedIn(request).id)
  })
  serve(app, paymentsContract['GET /receipt-deliveries'], () => ({ deliveries: emails.list() }))
  serve(app, paymentsContract['POST /receipt-deliveries/:id/seen'], (request) => ({
    deliveries: emails.markSeen(request.params.id, signedIn(request).id),
  }))
}

/**
 * Routes of store credit and gift cards. A voucher code is in the request body, never in the path, because paths are
 * logged.
 */
function vouchersRoutes(ctx: Ctx, app: App): void {
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
  serve(
    app,
    paymentsContract['POST /vouchers/:id/cash-out'],
    (request) => cashOutsOf(ctx).cashOut({ ...request.body, voucherId: request.params.id }, whoOf(request)),
    { before: (request) => cashOutsOf(ctx).prepare({ ...request.body, voucherId: request.params.id }) },
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
