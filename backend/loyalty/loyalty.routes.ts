import type { App } from '../core/http/app.ts'
import { memberContract } from '../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../core/http/serve.ts'
import { memberSessionsOf } from './member/member-session.ts'
import { signInSlipOf } from './member/sign-in-slip.ts'
import type { Ctx } from '../core/context.ts'
import { queueContract } from '../../contracts/loyalty/queue.routes.ts'
import { signedIn } from '../core/http/guards.ts'
import { queueOf } from './queue/queue.ts'
import { queueSummaryOf } from './queue/queue-facts.ts'
import { memberRoutes } from './member/member.ts'
import { memberHistoryRoutes } from './member/member-history.ts'
import { offersRoutes } from './offers/offers.ts'
import { managerOffersRoutes } from './offers/manager-offers.ts'
import { offerImagesRoutes } from './offer-images/offer-images.ts'
import { basketOffersRoutes } from './basket-offers/basket-offers.routes.ts'
import { memberOffersRoutes } from './basket-offers/offer-changes.ts'
import { reconciliationRoutes } from './reconciliation/reconciliation.ts'

export function loyaltyRoutes(ctx: Ctx, app: App): void {
  memberRoutes(ctx, app)
  offersRoutes(ctx, app)
  offerImagesRoutes(ctx, app)
  basketOffersRoutes(ctx, app)
  memberOffersRoutes(ctx, app)
  memberSessionRoutes(ctx, app)
  memberHistoryRoutes(ctx, app)
  managerOffersRoutes(ctx, app)
  queueRoutes(ctx, app)
  reconciliationRoutes(ctx, app)
}

function memberSessionRoutes(ctx: Ctx, app: App): void {
  const sessions = memberSessionsOf(ctx)
  const slip = signInSlipOf(ctx)
  serve(app, memberContract['GET /member-session'], () => sessions.current())

  serve(app, memberContract['POST /sales/:id/member-session'], async (request) => sessions.begin(request.params.id))

  serve(app, memberContract['POST /sales/:id/member-session/cancel'], async (request) =>
    sessions.cancel(request.params.id),
  )

  serve(app, memberContract['POST /sales/:id/member-session/print'], async (request) => slip.print(request.params.id))
}

function queueRoutes(ctx: Ctx, app: App): void {
  const queue = queueOf(ctx)
  const news = queueSummaryOf(ctx)
  serve(app, queueContract['GET /queue/summary'], () => news.summary())

  serve(app, queueContract['GET /queue'], (request) => queue.list(request.query))
  serve(app, queueContract['GET /queue/corrections'], (request) => queue.corrections(request.query.before))
  serve(app, queueContract['POST /queue/send-again'], (request) => queue.sendAllAgain(signedIn(request).id))
  serve(app, queueContract['GET /queue/:id'], (request) => queue.detail(request.params.id))

  serve(app, queueContract['POST /queue/:id/send-again'], (request) =>
    queue.sendAgain(request.params.id, signedIn(request).id),
  )
  serve(app, queueContract['POST /queue/:id/credit'], (request) =>
    queue.credit(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/:id/resolve'], (request) =>
    queue.resolve(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/:id/correct'], (request) =>
    queue.correct(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/:id/take-back'], (request) =>
    queue.takeBack(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/:id/give'], (request) =>
    queue.give(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/notices/:id/settle'], (request) =>
    queue.resolveNotice(request.params.id, signedIn(request).id, request.body),
  )
  serve(app, queueContract['POST /queue/slips/:id/settle'], (request) =>
    queue.resolveSlip(request.params.id, signedIn(request).id, request.body),
  )
}
