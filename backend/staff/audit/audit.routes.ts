import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  AuditExport,
  AuditExportRequest,
  AuditPage,
  AuditQuery,
  AuditVerification,
} from '../../../contracts/staff/audit.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { auditOf, verificationOf } from './audit-page.ts'
import type { Ctx } from '../../core/context.ts'

const config = { access: 'manager' } as const
const tags = ['audit']
const byNumber = z.object({ number: z.coerce.number().pipe(z.int().min(1)) })
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

/** Who did what at this lane, for its manager. */
export const auditRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const audit = auditOf(ctx)
    const verification = verificationOf(ctx)
    app.get(
      '/api/audit',
      {
        schema: {
          tags,
          summary: 'The audit trail, newest first',
          querystring: AuditQuery,
          response: { 200: AuditPage },
        },
        config,
      },
      (request) => audit.page(request.query),
    )
    app.post(
      '/api/audit/exports',
      {
        schema: {
          tags,
          summary: 'Order an export; stands in the trail',
          body: AuditExportRequest,
          response: { 200: AuditExport },
        },
        config,
      },
      (request) => audit.order(request.body.format, request.body.filter, signedIn(request).id),
    )
    app.get(
      '/api/audit/exports/:number',
      {
        schema: {
          tags,
          summary: 'The ordered export, once, for whoever ordered it',
          params: byNumber,
          produces: Object.values(TYPES),
        },
        config,
      },
      (request, reply) => {
        const { format, fileName, pieces } = audit.fetch(request.params.number, signedIn(request).id)
        return reply
          .type(TYPES[format])
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .send(Readable.from(pieces))
      },
    )
    app.get(
      '/api/audit/verification',
      {
        schema: { tags, summary: 'Whether the trail is as it was written', response: { 200: AuditVerification } },
        config: { ...config, byItself: true },
      },
      () => verification.state(),
    )
    app.post(
      '/api/audit/verification',
      {
        schema: { tags, summary: 'Read the whole trail and its chain', response: { 200: AuditVerification } },
        // What it does is in no table until it ends.
        config: { ...config, command: 'awaited' },
      },
      async (request) => verification.start(signedIn(request).id),
    )
  }
