import type { Readable } from 'node:stream'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  CancelPlanned,
  CatalogElsewhere,
  CatalogImport,
  CatalogState,
  DifferenceList,
  DifferenceQuery,
  ImportChoice,
  ImportQuery,
  PlannedList,
  PlannedQuery,
  PlanPrice,
} from '../../contracts/catalog/catalog.ts'
import type { Routes } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import { MOST_BYTES, catalogImportsOf } from './imports.ts'
import { plannedPricesOf } from './planned-prices.ts'
import { catalogViewsOf } from './catalog-views.ts'
import type { Ctx } from '../core/context.ts'

const tags = ['catalog']
const config = { access: 'manager' } as const
/** What is sold changes with the commit, after the handler: the page asks again. */
const done = { 204: z.undefined() }

/** What a manager does with the catalog of the lane. */
export const catalogManagerRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const imports = catalogImportsOf(ctx)
    const planned = plannedPricesOf(ctx)
    const views = catalogViewsOf(ctx)
    app.get(
      '/api/catalog/state',
      {
        schema: {
          tags,
          summary: 'Where the catalog came from, and the import that waits',
          response: { 200: CatalogState },
        },
        config,
      },
      () => imports.state(),
    )

    app.get(
      '/api/catalog/elsewhere',
      {
        schema: {
          tags,
          summary: 'What other lanes of the store changed last of the catalog',
          response: { 200: CatalogElsewhere },
        },
        config,
      },
      () => views?.list() ?? { isOfStore: false, items: [], barcodes: [] },
    )

    app.get(
      '/api/catalog/import/differences',
      {
        schema: {
          tags,
          summary: 'What the import that waits would change',
          querystring: DifferenceQuery,
          response: { 200: DifferenceList },
        },
        config,
      },
      (request) => imports.differences(request.query.kind, request.query.after),
    )

    app.post(
      '/api/catalog/import/apply',
      {
        schema: { tags, summary: 'Apply the import, as a whole', body: ImportChoice, response: done },
        config,
      },
      (request, reply) => {
        imports.apply(request.body.id, signedIn(request).id)
        void reply.code(204)
      },
    )

    app.post(
      '/api/catalog/import/drop',
      {
        schema: { tags, summary: 'Drop the import that waits', body: ImportChoice, response: done },
        config: { ...config, command: 'reading' },
      },
      async (request, reply) => {
        imports.drop(request.body.id)
        return reply.code(204).send()
      },
    )

    app.post(
      '/api/catalog/undo-import',
      {
        schema: { tags, summary: 'Bring back the catalog before the last import', response: { 200: CatalogState } },
        config: { ...config, command: 'awaited', interrupted: () => imports.state() },
      },
      async (request) => {
        await imports.undo(signedIn(request).id, request.claim)
        return imports.state()
      },
    )

    app.get(
      '/api/catalog/planned-prices',
      {
        schema: {
          tags,
          summary: 'Prices to come, the next first',
          querystring: PlannedQuery,
          response: { 200: PlannedList },
        },
        config,
      },
      (request) => planned.list(request.query.after),
    )
    app.post(
      '/api/catalog/planned-prices',
      { schema: { tags, summary: 'Plan a price', body: PlanPrice, response: done }, config },
      (request, reply) => {
        planned.plan(request.body, signedIn(request).id)
        void reply.code(204)
      },
    )
    app.post(
      '/api/catalog/planned-prices/cancel',
      {
        schema: { tags, summary: 'Cancel a price to come', body: CancelPlanned, response: done },
        config,
      },
      (request, reply) => {
        planned.cancel(request.body, signedIn(request).id)
        void reply.code(204)
      },
    )

    void app.register(async (plain) => {
      const scope = plain.withTypeProvider<ZodTypeProvider>()
      // A file is no JSON and is not held: it goes to the disk as it comes.
      scope.addContentTypeParser('application/octet-stream', { bodyLimit: MOST_BYTES }, (_request, body, done) => {
        done(null, body)
      })
      scope.post(
        '/api/catalog/import',
        {
          schema: {
            tags,
            summary: 'Read a CSV file and compare it; changes nothing',
            querystring: ImportQuery,
            response: { 202: CatalogImport },
          },
          bodyLimit: MOST_BYTES,
          config: { ...config, command: 'reading' },
        },
        async (request, reply) =>
          reply.code(202).send(await imports.take(request.query.name, request.body as Readable)),
      )
    })
  }
