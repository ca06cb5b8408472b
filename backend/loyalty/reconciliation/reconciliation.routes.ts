import type { App } from '../../core/http/app.ts'
import { reconciliationContract } from '../../../contracts/loyalty/queue.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { reconciliationOf } from './reconciliation.ts'
import type { Ctx } from '../../core/context.ts'

/** The report of the approvals that came on a retry, day by day. */
export function reconciliationRoutes(ctx: Ctx, app: App): void {
  const reconciliation = reconciliationOf(ctx)
  serve(app, reconciliationContract['GET /reconciliation/days'], () => ({
    days: reconciliation.days(),
    ledger: reconciliation.ledger(),
  }))

  serve(app, reconciliationContract['GET /reconciliation/days/:day'], (request) =>
    reconciliation.preview(request.params.day),
  )

  serve(app, reconciliationContract['GET /reconciliation/days/:day/original'], (request) =>
    reconciliation.original(request.params.day),
  )

  serve(app, reconciliationContract['POST /reconciliation/days/:day/sent'], (request) => {
    reconciliation.markSent(request.params.day, signedIn(request).id, request.body)
    return { days: reconciliation.days(), ledger: reconciliation.ledger() }
  })

  serve(app, reconciliationContract['POST /reconciliation/days/:day/exports'], (request) =>
    reconciliation.export(request.params.day, signedIn(request).id),
  )
}
