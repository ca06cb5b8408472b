import { z } from 'zod'
import {
  Closing,
  ClosingList,
  ClosingPaper,
  ClosingPaperId,
  ClosingPeriod,
  ClosingSpan,
  XReport,
  ZReport,
  ZReportList,
} from '../../../contracts/day/day-end.ts'
import { ReceiptView } from '../../../contracts/sales/sales.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { sendFile } from './documents.ts'
import { dayEndOf } from './day-end.ts'
import type { Ctx } from '../../core/context.ts'
import { closingsOf } from './closings.ts'

const number = z.coerce.number().pipe(z.int().min(1))
const byNumber = z.object({ number })
const config = { access: 'manager' } as const
const tags = ['day-end']
const PAGE = 50

/** The end of the lane's day. */
export const dayEndRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const dayEnd = dayEndOf(ctx)
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

const byPeriod = z.object({ period: ClosingPeriod })
/** So many days or months at once. */
const CLOSINGS_PAGE = 31

/** Daily and monthly closings of the lane. */
export const closingRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const closings = closingsOf(ctx)
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
      (request) => closings.list(request.query.span, request.query.before ?? null, CLOSINGS_PAGE),
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
