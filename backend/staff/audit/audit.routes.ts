import { Readable } from 'node:stream'
import type { App } from '../../core/http/app.ts'
import { auditContract } from '../../../contracts/staff/staff.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { auditOf, verificationOf } from './audit-page.ts'
import type { Ctx } from '../../core/context.ts'
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

/** Who did what at this lane, for its manager. */
export function auditRoutes(ctx: Ctx, app: App): void {
  const audit = auditOf(ctx)
  const verification = verificationOf(ctx)
  serve(app, auditContract['GET /audit'], (request) => audit.page(request.query))
  serve(app, auditContract['POST /audit/exports'], (request) =>
    audit.order(request.body.format, request.body.filter, signedIn(request).id),
  )
  serve(app, auditContract['GET /audit/exports/:number'], (request, reply) => {
    const { format, fileName, pieces } = audit.fetch(request.params.number, signedIn(request).id)
    return reply
      .type(TYPES[format])
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(pieces))
  })
  serve(app, auditContract['GET /audit/verification'], () => verification.state())
  serve(app, auditContract['POST /audit/verification'], async (request) => verification.start(signedIn(request).id))
}
