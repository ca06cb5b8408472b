import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { returnsOf } from './returns.ts'
import type { Ctx } from '../../core/context.ts'

/** Goods that come back, and the store credit that goes out for them. */
export function returnsRoutes(ctx: Ctx, app: App): void {
  const returns = returnsOf(ctx)
  serve(app, paymentsContract['GET /sales/:id/returnable'], (request) => returns.returnableAsked(request.params.id))
  serve(app, paymentsContract['POST /returns/quote'], (request) => returns.quoteAsked(request.body))
  serve(
    app,
    paymentsContract['POST /returns'],
    (request) => {
      return { return: returns.commit(request.body, whoOf(request), request.storeClaim) }
    },
    {
      before: async (request) => {
        const held = await returns.claim(request.body, whoOf(request))
        request.storeClaim = held?.id ?? null
        return held?.done
      },
    },
  )
  serve(app, paymentsContract['POST /returns/without-record/quote'], (request) =>
    returns.quoteUnrecorded(request.body.items),
  )
  serve(
    app,
    paymentsContract['POST /returns/without-record'],
    (request) => {
      return {
        return: returns.withoutRecord(request.body, whoOf(request), request.unrecordedElsewhere),
      }
    },
    {
      before: async (request) => {
        request.unrecordedElsewhere = await returns.unrecordedElsewhere(whoOf(request))
        return undefined
      },
    },
  )
  serve(app, paymentsContract['GET /returns/:id'], (request) => ({
    return: returns.view(request.params.id, signedIn(request)),
  }))
  serve(app, paymentsContract['GET /returns/:id/receipt'], (request) => returns.receipt(request.params.id))
  serve(app, paymentsContract['POST /returns/:id/reprint'], (request) =>
    returns.reprint(request.params.id, whoOf(request), request.body?.locale),
  )
}
