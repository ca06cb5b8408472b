import type { App } from '../core/http/app.ts'
import { salesContract } from '../../contracts/sales/sales.routes.ts'
import { serve } from '../core/http/serve.ts'
import { whoOf } from './approvals/approvals.ts'
import { type ChosenItem, salesOf, completeIfPaidOf } from './sales.ts'
import { emptiesRoutes } from './empties.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { Who } from './approvals/guard.ts'
import { priceCheckRoutes } from './scanning/price-check.ts'
import { nextQuantityOf } from './scanning/next-quantity.ts'
import type { Ctx } from '../core/context.ts'
import { signedIn } from '../core/http/guards.ts'
import { heldSalesOf } from './held-sales/held-sales.ts'
import { promotionsRoutes } from './pricing/promotions.routes.ts'
import { scanningRoutes } from './scanning/scanning.ts'
import { weighingRoutes } from './weighing.ts'
import { saleChangesRoutes } from './sale-changes/sale-changes.ts'
import { ageChecksRoutes } from './age-checks.ts'
import { inputRoutes } from './input/dispatcher.ts'

export function salesRoutes(ctx: Ctx, app: App): void {
  saleRoutes(ctx, app)
  scanningRoutes(ctx, app)
  weighingRoutes(ctx, app)
  priceCheckRoutes(ctx, app)
  emptiesRoutes(ctx, app)
  promotionsRoutes(ctx, app)
  saleChangesRoutes(ctx, app)
  ageChecksRoutes(ctx, app)
  heldSalesRoutes(ctx, app)
  inputRoutes(ctx, app)
}

function ringChosen(ctx: Ctx, chosen: ChosenItem, who: Who): Sale {
  const sale = salesOf(ctx).ringChosen(chosen, who)
  ctx.transact.afterCommit(() => {
    nextQuantityOf(ctx).set(null)
  })
  return sale
}

/** Routes of the sale and its lines. A change of a line has the version of the sale that its screen showed. */
function saleRoutes(ctx: Ctx, app: App): void {
  const sales = salesOf(ctx)
  const completeIfPaid = completeIfPaidOf(ctx)
  serve(app, salesContract['GET /sales/current'], () => ({
    sale: sales.current(),
    nextQuantity: nextQuantityOf(ctx).pending(),
  }))
  serve(app, salesContract['GET /sales/:id'], (request) => ({
    sale: sales.view(request.params.id),
  }))

  serve(app, salesContract['POST /sales/current/lines'], (request) => ({
    sale: ringChosen(ctx, request.body, whoOf(request)),
  }))
  serve(app, salesContract['PUT /sales/:id/lines/:number'], (request) => ({
    sale: completeIfPaid(
      request.params.id,
      sales.changeQuantity(
        request.params.id,
        request.body.version,
        request.params.number,
        request.body.quantity,
        whoOf(request),
      ),
    ),
  }))
  serve(app, salesContract['POST /sales/:id/lines/:number/void'], (request) => ({
    sale: completeIfPaid(
      request.params.id,
      sales.voidLine(request.params.id, request.body.version, request.params.number, whoOf(request)),
    ),
  }))
}

function heldSalesRoutes(ctx: Ctx, app: App): void {
  const held = heldSalesOf(ctx)
  serve(app, salesContract['GET /sales/held'], () => held.list())
  serve(app, salesContract['POST /sales/:id/hold'], (request) => ({
    sale: held.hold(request.params.id, request.body.version, request.body.name, whoOf(request)),
  }))
  serve(
    app,
    salesContract['POST /sales/:id/resume'],
    async (request) => ({
      sale: await held.resume(request.params.id, request.body, whoOf(request), request.storeKey),
    }),
    // After a restart, the sale of an interrupted resume is either open, or still on hold so that the window can resume
    // it again.
    { interrupted: () => ({ sale: held.resumed() }) },
  )
  serve(app, salesContract['POST /sales/:id/copy'], (request) => held.copy(request.params.id, signedIn(request).id))
}
