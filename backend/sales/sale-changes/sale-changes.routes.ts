import type { App } from '../../core/http/app.ts'
import { salesContract } from '../../../contracts/sales/sales.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { whoOf } from '../approvals/approvals.ts'
import { saleChangesOf, undoOf } from './sale-changes.ts'
import { couponTakingOf } from './coupons.ts'
import { settlementOf } from '../sales.ts'
import type { Ctx } from '../../core/context.ts'

/**
 * What may be changed on an open sale. A change that needs a supervisor is refused with `approval-required` and comes
 * again with `approval` in it. A change that leaves nothing to pay completes a sale of which a part was paid.
 */
export function saleChangesRoutes(ctx: Ctx, app: App): void {
  const changes = saleChangesOf(ctx)
  const coupons = couponTakingOf(ctx)
  const undo = undoOf(ctx)
  const tenders = { settle: settlementOf(ctx) }
  serve(app, salesContract['POST /sales/:id/discounts'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: tenders.settle(id, changes.discount(id, request.body, who)) }
  })
  serve(app, salesContract['POST /sales/:id/discounts/:number/remove'], (request) => ({
    sale: changes.removeDiscount(request.params.id, request.body.version, request.params.number, whoOf(request)),
  }))
  serve(app, salesContract['PUT /sales/:id/lines/:number/price'], (request) => {
    const { id, number } = request.params
    const who = whoOf(request)
    return { sale: tenders.settle(id, changes.changePrice(id, number, request.body, who)) }
  })
  serve(app, salesContract['POST /sales/current/coupons'], (request) => ({ sale: coupons.take(request.body.code) }))
  serve(app, salesContract['PUT /sales/:id/exemption'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: tenders.settle(id, changes.exempt(id, request.body, who)) }
  })
  serve(app, salesContract['PUT /sales/:id/note'], (request) => ({
    sale: changes.note(request.params.id, request.body),
  }))
  serve(app, salesContract['POST /sales/:id/undo'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: tenders.settle(id, undo.undo(id, request.body.version, who)) }
  })
}
