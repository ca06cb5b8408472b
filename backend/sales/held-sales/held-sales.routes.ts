import type { App } from '../../core/http/app.ts'
import { salesContract } from '../../../contracts/sales/sales.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../approvals/approvals.ts'
import { heldSalesOf } from './held-sales.ts'
import type { Ctx } from '../../core/context.ts'

/** Sales that wait: put aside, listed, resumed. */
export function heldSalesRoutes(ctx: Ctx, app: App): void {
  const held = heldSalesOf(ctx)
  serve(app, salesContract['GET /sales/held'], () => held.list())
  serve(app, salesContract['POST /sales/:id/hold'], (request) => ({
    sale: held.hold(request.params.id, request.body.version, request.body.name, whoOf(request)),
  }))
  serve(
    app,
    salesContract['POST /sales/:id/resume'],
    async (request) => ({
      sale: await held.resume(request.params.id, request.body, whoOf(request), request.claim),
    }),
    // After a restart, the sale is either open or still on hold; then the window resumes it again.
    { interrupted: () => ({ sale: held.resumed() }) },
  )
  serve(app, salesContract['POST /sales/:id/copy'], (request) => held.copy(request.params.id, signedIn(request).id))
}
