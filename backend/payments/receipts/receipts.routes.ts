import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { receiptsOf } from './receipts.ts'
import { storeReturnsOf } from '../returns/store-returns.ts'
import type { Ctx } from '../../core/context.ts'

/** The documents of a sale: seen, as a file, and printed again. */
export function receiptsRoutes(ctx: Ctx, app: App): void {
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
        if (store.isElsewhere(id)) await store.know(id)
        return undefined
      },
    },
  )
}
