import { z } from 'zod'
import {
  Closing,
  ClosingList,
  ClosingPaper,
  ClosingPaperId,
  ClosingPeriod,
  ClosingSpan,
} from '../../../contracts/api/day-end.ts'
import { ReceiptView } from '../../../contracts/api/sales.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { Closings } from './closings.ts'
import { sendFile } from './report-file.ts'

const byPeriod = z.object({ period: ClosingPeriod })
const config = { access: 'manager' } as const
const tags = ['day-end']
/** So many days or months at once. */
const PAGE = 31

/** Daily and monthly closings of the lane. */
export const closingRoutes =
  (closings: Closings): Routes =>
  (app) => {
    app.get(
      '/api/closings',
      {
        schema: {
          tags,
          summary: 'Days or months with their Zs, newest first',
          querystring: z.object({ span: ClosingSpan, before: ClosingPeriod.optional() }),
          response: { 200: ClosingList },
        },
        config,
      },
      (request) => closings.list(request.query.span, request.query.before ?? null, PAGE),
    )
    app.get(
      '/api/closings/:period',
      { schema: { tags, summary: 'A day or a month', params: byPeriod, response: { 200: Closing } }, config },
      (request) => closings.get(request.params.period),
    )
    app.get(
      '/api/closings/:period/paper',
      {
        schema: { tags, summary: 'A day or a month on paper', params: byPeriod, response: { 200: ClosingPaper } },
        config,
      },
      (request) => closings.paper(request.params.period),
    )
    app.get(
      '/api/closings/:period/report.pdf',
      {
        schema: { tags, summary: 'A day or a month as a file', params: byPeriod, produces: ['application/pdf'] },
        config,
      },
      async (request, reply) => sendFile(reply, await closings.file(request.params.period)),
    )
    app.post(
      '/api/closings/:period/print',
      {
        schema: {
          tags,
          summary: 'Print a day or a month; again, as a copy',
          params: z.object({
            period: z
              .union([ClosingPeriod, ClosingPaperId])
              .describe('or the paper of it that was asked for before, whatever came to it since'),
          }),
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
        config,
      },
      (request) => closings.print(request.params.period, signedIn(request).id),
    )
  }
