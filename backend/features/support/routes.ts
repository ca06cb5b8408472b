import { z } from 'zod'
import { SupportExport, SupportExportRequest, SupportPreview } from '../../../contracts/api/support.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { Support } from './service.ts'

const tags = ['support']
const config = { access: 'manager' } as const
const byNumber = z.object({ number: z.coerce.number().pipe(z.int().min(1)) })
const TYPE = 'application/gzip'

/** The file that a store sends to support, for its manager. */
export const supportRoutes =
  (support: Support): Routes =>
  (app) => {
    app.post(
      '/api/support-file/previews',
      {
        schema: { tags, summary: 'What a support file would hold', response: { 200: SupportPreview } },
        // What it does is in no table.
        config: { ...config, command: 'awaited' },
      },
      (request) => support.preview(signedIn(request).id),
    )
    app.post(
      '/api/support-file/exports',
      {
        schema: {
          tags,
          summary: 'Order exactly what was shown; stands in the audit trail',
          body: SupportExportRequest,
          response: { 200: SupportExport },
        },
        config,
      },
      (request) => support.order(request.body.preview, signedIn(request).id),
    )
    app.get(
      '/api/support-file/exports/:number',
      {
        schema: { tags, summary: 'The ordered file, once, for whoever ordered it', params: byNumber, produces: [TYPE] },
        config,
      },
      (request, reply) => {
        const { fileName, bytes } = support.fetch(request.params.number, signedIn(request).id)
        return reply.type(TYPE).header('content-disposition', `attachment; filename="${fileName}"`).send(bytes)
      },
    )
  }
