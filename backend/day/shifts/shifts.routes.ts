import type { App } from '../../core/http/app.ts'
import { shiftsContract } from '../../../contracts/day/day.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { shiftsOf } from './shifts.ts'
import type { Ctx } from '../../core/context.ts'
const PAGE = 50

/** The custody of the drawers. No answer says what a drawer should hold before its count is committed. */
export function shiftsRoutes(ctx: Ctx, app: App): void {
  const shifts = shiftsOf(ctx)
  serve(app, shiftsContract['GET /shifts/current'], (request) => shifts.current(signedIn(request)))
  serve(app, shiftsContract['GET /shifts'], (request) =>
    shifts.list(request.query.before ?? Number.MAX_SAFE_INTEGER, PAGE),
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
