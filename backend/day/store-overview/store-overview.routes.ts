import type { App } from '../../core/http/app.ts'
import { storeContract } from '../../../contracts/store/store.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { sendFile } from '../day-end/documents.ts'
import { type StoreOverview, storeOverviewOf } from './store-overview.ts'
import type { Ctx } from '../../core/context.ts'

/** All lanes of the store, for a manager at one of them. */
export function storeOverviewRoutes(ctx: Ctx, app: App): void {
  const overview = storeOverviewOf(ctx)
  serve(app, storeContract['GET /store/lanes'], () => overview.lanes())
  serve(app, storeContract['GET /store/days/today'], () => overview.day(overview.today()))
  serve(app, storeContract['GET /store/days/:day'], (request) => overview.day(request.params.day))
  serve(app, storeContract['POST /store/days/:day/exports'], async (request) =>
    overview.exportDay(request.params.day, signedIn(request)),
  )
  serve(app, storeContract['GET /store/z/:stream/:number'], (request) =>
    overview.z(request.params.stream, request.params.number, signedIn(request).locale),
  )
  serve(app, storeContract['GET /store/z/:stream/:number/report.pdf'], async (request, reply) => {
    const { stream, number } = request.params
    return sendFile(reply, await overview.zFile(stream, number, signedIn(request).locale))
  })
  serve(app, storeContract['GET /store/queue'], () => overview.queue())
  reconciliationRoutes(overview, app)
}

function reconciliationRoutes(overview: StoreOverview, app: App): void {
  serve(app, storeContract['GET /store/reconciliation'], () => overview.reconciliationDays())
  serve(app, storeContract['GET /store/reconciliation/:day'], (request) => overview.reconciliation(request.params.day))
  serve(app, storeContract['GET /store/reconciliation/:day/original'], (request) =>
    overview.original(request.params.day),
  )
  serve(app, storeContract['POST /store/reconciliation/:day/exports'], async (request) =>
    overview.export(request.params.day, signedIn(request)),
  )
}
