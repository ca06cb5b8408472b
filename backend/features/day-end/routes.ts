import { z } from 'zod'
import { XReport, ZReport, ZReportList } from '../../../contracts/api/day-end.ts'
import { ReceiptView } from '../../../contracts/api/sales.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import { sendFile } from './report-file.ts'
import type { DayEnd } from './service.ts'

const number = z.coerce.number().pipe(z.int().min(1))
const byNumber = z.object({ number })
const config = { access: 'manager' } as const
const tags = ['day-end']
const PAGE = 50

/** The end of the lane's day. */
export const dayEndRoutes =
  (dayEnd: DayEnd): Routes =>
  (app) => {
    app.get(
      '/api/x-report',
      { schema: { tags, summary: 'Totals since the last Z', response: { 200: XReport } }, config },
      () => dayEnd.x(),
    )
    app.get(
      '/api/x-report.pdf',
      { schema: { tags, summary: 'The X as a file', produces: ['application/pdf'] }, config },
      async (request, reply) => sendFile(reply, await dayEnd.xFile(signedIn(request).id)),
    )
    app.get(
      '/api/z-reports',
      {
        schema: {
          tags,
          summary: 'Z reports, newest first',
          querystring: z.object({ before: number.optional() }),
          response: { 200: ZReportList },
        },
        config,
      },
      (request) => dayEnd.list(request.query.before ?? Number.MAX_SAFE_INTEGER, PAGE),
    )
    app.get(
      '/api/z-reports/:number',
      { schema: { tags, summary: 'A Z report', params: byNumber, response: { 200: ZReport } }, config },
      (request) => dayEnd.get(request.params.number),
    )
    app.get(
      '/api/z-reports/:number/receipt',
      {
        schema: { tags, summary: 'The paper of a Z report', params: byNumber, response: { 200: ReceiptView } },
        config,
      },
      (request) => dayEnd.receipt(request.params.number),
    )
    app.get(
      '/api/z-reports/:number/report.pdf',
      {
        schema: {
          tags,
          summary: 'A Z as a file, which says that it is a copy',
          params: byNumber,
          produces: ['application/pdf'],
        },
        config,
      },
      async (request, reply) => sendFile(reply, await dayEnd.zFile(request.params.number)),
    )
    app.post(
      '/api/z-reports',
      { schema: { tags, summary: 'Close the day', response: { 200: z.object({ report: ZReport }) } }, config },
      (request) => ({ report: dayEnd.close(signedIn(request).id) }),
    )
    app.post(
      '/api/z-reports/:number/reprint',
      {
        schema: {
          tags,
          summary: 'Print a Z report again',
          params: byNumber,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
        config,
      },
      (request) => dayEnd.reprint(request.params.number, signedIn(request).id),
    )
  }
