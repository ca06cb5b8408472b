import { memberLaneOf } from './member-lane.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signInSlipOf } from './sign-in-slip.ts'
import type { Ctx } from '../../core/context.ts'

/** The collector's sign-in with their own phone. */
export function memberSessionRoutes(ctx: Ctx, app: App): void {
  const sessions = memberLaneOf(ctx).sessions
  const slip = signInSlipOf(ctx)
  serve(app, memberContract['GET /member-session'], () => sessions.current())

  serve(app, memberContract['POST /sales/:id/member-session'], async (request) => sessions.begin(request.params.id))

  serve(app, memberContract['POST /sales/:id/member-session/cancel'], async (request) =>
    sessions.cancel(request.params.id),
  )

  serve(app, memberContract['POST /sales/:id/member-session/print'], async (request) => slip.print(request.params.id))
}
