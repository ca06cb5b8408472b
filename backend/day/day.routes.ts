import type { App } from '../core/http/app.ts'
import { shiftsContract, dayEndContract } from '../../contracts/day/day.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { whoOf } from '../sales/approvals/approvals.ts'
import { shiftsOf } from './shifts.ts'
import type { Ctx } from '../core/context.ts'
import { sendFile } from './day-end/documents.ts'
import { dayEndOf } from './day-end/day-end.ts'
import { closingsOf } from './day-end/closings.ts'
import { earlierSalesRoutes } from './search/earlier-sales.ts'
import { journalSearchRoutes } from './search/journal-search.ts'
import { reportsRoutes } from './reports/reports.ts'
import { storeOverviewRoutes } from './store-overview.ts'

export function dayRoutes(ctx: Ctx, app: App): void {
  shiftsRoutes(ctx, app)
  dayEndRoutes(ctx, app)
  closingRoutes(ctx, app)
  earlierSalesRoutes(ctx, app)
  reportsRoutes(ctx, app)
  journalSearchRoutes(ctx, app)
  storeOverviewRoutes(ctx, app)
}

const SHIFTS_PAGE = 50

function shiftsRoutes(ctx: Ctx, app: App): void {
  const shifts = shiftsOf(ctx)
  serve(app, shiftsContract['GET /shifts/current'], (request) => shifts.current(signedIn(request)))
  serve(app, shiftsContract['GET /shifts'], (request) =>
    shifts.list(request.query.before ?? Number.MAX_SAFE_INTEGER, SHIFTS_PAGE),
  )
  serve(app, shiftsContract['POST /shifts'], (request) => ({ shift: shifts.open(request.body.float, whoOf(request)) }))
  serve(app, shiftsContract['POST /shifts/current/movements'], (request) => ({
    movement: shifts.move(request.body, whoOf(request)),
  }))
  serve(app, shiftsContract['POST /cash-movements/:id/reprint'], (request) =>
    shifts.reprintMovement(request.params.id, whoOf(request)),
  )
  serve(app, shiftsContract['POST /shifts/:id/counts'], (request) => ({
    shift: shifts.count(request.params.id, signedIn(request), request.body),
  }))
  serve(app, shiftsContract['POST /shifts/:id/reprint'], (request) =>
    shifts.reprint(request.params.id, signedIn(request).id),
  )
  serve(app, shiftsContract['POST /shifts/:id/close'], (request) => ({
    shift: shifts.close(request.params.id, request.body, whoOf(request)),
  }))
}

const Z_PAGE = 50

function dayEndRoutes(ctx: Ctx, app: App): void {
  const dayEnd = dayEndOf(ctx)
  serve(app, dayEndContract['GET /x-report'], () => dayEnd.x())
  serve(app, dayEndContract['GET /x-report.pdf'], async (request, reply) =>
    sendFile(reply, await dayEnd.xFile(signedIn(request).id)),
  )
  serve(app, dayEndContract['GET /z-reports'], (request) =>
    dayEnd.list(request.query.before ?? Number.MAX_SAFE_INTEGER, Z_PAGE),
  )
  serve(app, dayEndContract['GET /z-reports/:number'], (request) => dayEnd.get(request.params.number))
  serve(app, dayEndContract['GET /z-reports/:number/receipt'], (request) => dayEnd.receipt(request.params.number))
  serve(app, dayEndContract['GET /z-reports/:number/report.pdf'], async (request, reply) =>
    sendFile(reply, await dayEnd.zFile(request.params.number)),
  )
  serve(app, dayEndContract['POST /z-reports'], (request) => ({ report: dayEnd.close(signedIn(request).id) }))
  serve(app, dayEndContract['POST /z-reports/:number/reprint'], (request) =>
    dayEnd.reprint(request.params.number, signedIn(request).id),
  )
}
const CLOSINGS_PAGE = 31

function closingRoutes(ctx: Ctx, app: App): void {
  const closings = closingsOf(ctx)
  serve(app, dayEndContract['GET /closings'], (request) =>
    closings.list(request.query.span, request.query.before ?? null, CLOSINGS_PAGE),
  )
  serve(app, dayEndContract['GET /closings/:period'], (request) => closings.get(request.params.period))
  serve(app, dayEndContract['GET /closings/:period/paper'], (request) => closings.paper(request.params.period))
  serve(app, dayEndContract['GET /closings/:period/report.pdf'], async (request, reply) =>
    sendFile(reply, await closings.file(request.params.period)),
  )
  serve(app, dayEndContract['POST /closings/:period/print'], (request) =>
    closings.print(request.params.period, signedIn(request).id),
  )
}
