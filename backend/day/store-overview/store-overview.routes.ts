import { z } from 'zod'
import { BusinessDay } from '../../../contracts/loyalty/reconciliation.ts'
import {
  StoreDayFile,
  StoreDayReport,
  StoreLanes,
  StoreReconciliationFile,
  StoreZPaper,
} from '../../../contracts/day/store-overview.ts'
import { StoreQueue, StoreReconciliation, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { sendFile } from '../day-end/documents.ts'
import { type StoreOverview, storeOverviewOf } from './store-overview.ts'
import type { Ctx } from '../../core/context.ts'

const config = { access: 'manager' } as const
const tags = ['store']
const byDay = z.object({ day: BusinessDay })
const byZ = z.object({
  stream: z.string().regex(/^[0-9a-f]{32}$/),
  number: z.coerce.number().pipe(z.int().min(1)),
})

/** All lanes of the store, for a manager at one of them. */
export const storeOverviewRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const overview = storeOverviewOf(ctx)
    app.get(
      '/api/store/lanes',
      { schema: { tags, summary: 'Every lane of the store', response: { 200: StoreLanes } }, config },
      () => overview.lanes(),
    )
    app.get(
      '/api/store/days/today',
      { schema: { tags, summary: 'The store’s day so far', response: { 200: StoreDayReport } }, config },
      () => overview.day(overview.today()),
    )
    app.get(
      '/api/store/days/:day',
      {
        schema: { tags, summary: 'A day of all lanes', params: byDay, response: { 200: StoreDayReport } },
        config,
      },
      (request) => overview.day(request.params.day),
    )
    app.post(
      '/api/store/days/:day/exports',
      {
        schema: { tags, summary: 'The totals of a day as CSV', params: byDay, response: { 200: StoreDayFile } },
        // The store is waited for, and nothing is done but read.
        config: { ...config, command: 'awaited' },
      },
      async (request) => overview.exportDay(request.params.day, signedIn(request)),
    )
    app.get(
      '/api/store/z/:stream/:number',
      {
        schema: { tags, summary: 'A Z of any lane, as it was printed', params: byZ, response: { 200: StoreZPaper } },
        config,
      },
      (request) => overview.z(request.params.stream, request.params.number, signedIn(request).locale),
    )
    app.get(
      '/api/store/z/:stream/:number/report.pdf',
      {
        schema: {
          tags,
          summary: 'A Z of any lane as a file, which says that it is a copy',
          params: byZ,
          produces: ['application/pdf'],
        },
        config,
      },
      async (request, reply) => {
        const { stream, number } = request.params
        return sendFile(reply, await overview.zFile(stream, number, signedIn(request).locale))
      },
    )
    app.get(
      '/api/store/queue',
      {
        schema: { tags, summary: 'Calls of all lanes that need a person', response: { 200: StoreQueue } },
        config,
      },
      () => overview.queue(),
    )
    reconciliationRoutes(overview)(app)
  }

const reconciliationRoutes =
  (overview: StoreOverview): Routes =>
  (app) => {
    app.get(
      '/api/store/reconciliation',
      {
        schema: {
          tags,
          summary: 'Days of the store with approvals of a retry',
          response: { 200: StoreReconciliationDays },
        },
        config,
      },
      () => overview.reconciliationDays(),
    )
    app.get(
      '/api/store/reconciliation/:day',
      {
        schema: {
          tags,
          summary: 'The store’s report of a day, to look at',
          params: byDay,
          response: { 200: StoreReconciliation },
        },
        config,
      },
      (request) => overview.reconciliation(request.params.day),
    )
    app.get(
      '/api/store/reconciliation/:day/original',
      {
        schema: {
          tags,
          summary: 'The store’s original of a day as it was made',
          params: byDay,
          response: { 200: StoreReconciliationFile },
        },
        config,
      },
      (request) => overview.original(request.params.day),
    )
    app.post(
      '/api/store/reconciliation/:day/exports',
      {
        schema: {
          tags,
          summary: 'Export a day of the store that is over: the original the first time, then copies',
          params: byDay,
          response: { 200: StoreReconciliationFile },
        },
        // The store is waited for, and it is what makes the original once.
        config: { ...config, command: 'awaited' },
      },
      async (request) => overview.export(request.params.day, signedIn(request)),
    )
  }
