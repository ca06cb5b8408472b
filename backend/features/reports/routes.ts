import { Readable } from 'node:stream'
import { z } from 'zod'
import { ReportExport, ReportExportRequest, ReportRange, ReportRun } from '../../../contracts/api/reports.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { Reports } from './service.ts'

const config = { access: 'manager' } as const
const tags = ['reports']
const byId = z.object({ id: z.coerce.number().pipe(z.int().min(1)) })
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

/** What the lane sold and did, over days, for its manager. */
export const reportsRoutes =
  (reports: Reports): Routes =>
  (app) => {
    app.post(
      '/api/reports/runs',
      {
        schema: { tags, summary: 'Begin to read a report', body: ReportRange, response: { 200: ReportRun } },
        // What it does is in no table.
        config: { ...config, command: 'awaited' },
      },
      async (request) => reports.start(request.body),
    )
    app.get(
      '/api/reports/runs/:id',
      {
        schema: { tags, summary: 'How far it is, and the report', params: byId, response: { 200: ReportRun } },
        config: { ...config, byItself: true },
      },
      (request) => reports.run(request.params.id),
    )
    app.post(
      '/api/reports/runs/:id/cancel',
      {
        schema: { tags, summary: 'Give a report up', params: byId, response: { 200: ReportRun } },
        config: { ...config, command: 'awaited' },
      },
      async (request) => reports.cancel(request.params.id),
    )
    app.post(
      '/api/reports/exports',
      {
        schema: {
          tags,
          summary: 'Order a file; stands in the audit trail',
          body: ReportExportRequest,
          response: { 200: ReportExport },
        },
        config,
      },
      (request) => reports.order(request.body, signedIn(request)),
    )
    app.get(
      '/api/reports/exports/:id',
      {
        schema: {
          tags,
          summary: 'The ordered file, once, for whoever ordered it',
          params: byId,
          produces: Object.values(TYPES),
        },
        config,
      },
      (request, reply) => {
        const { format, fileName, pieces } = reports.fetch(request.params.id, signedIn(request).id)
        return reply
          .type(TYPES[format])
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .send(Readable.from(pieces))
      },
    )
  }
