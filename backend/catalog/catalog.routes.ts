import type { App } from '../core/http/app.ts'
import { catalogContract } from '../../contracts/catalog/catalog.routes.ts'
import { serve } from '../core/http/serve.ts'
import { quickKeysOf } from './quick-key-lists.ts'
import { catalogOf } from './catalog.ts'
import { packTyped } from './editions/search-terms.ts'
import { bookFileRoutes } from './book-files.ts'
import { chargeRoutes } from './charges.ts'
import type { Ctx } from '../core/context.ts'
import type { Readable } from 'node:stream'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { signedIn } from '../core/http/guards.ts'
import { MAX_BYTES, catalogImportsOf } from './imports.ts'
import { plannedPricesOf } from './planned-prices.ts'
import { catalogViewsOf } from './catalog-views.ts'
import { catalogEditorRoutes } from './items-editor.ts'

export function catalogRoutes(ctx: Ctx, app: App): void {
  lookupRoutes(ctx, app)
  catalogManagerRoutes(ctx, app)
  catalogEditorRoutes(ctx, app)
  chargeRoutes(ctx, app)
  bookFileRoutes(ctx, app)
}

export function lookupRoutes(ctx: Ctx, app: App): void {
  const catalog = { ...quickKeysOf(ctx), search: catalogOf(ctx).search }
  serve(app, catalogContract['GET /catalog/quick-keys'], async () => ({ departments: catalog.quickKeys() }))

  serve(app, catalogContract['POST /catalog/items/search'], async (request) => {
    const { q, limit } = request.body
    const exact = catalogOf(ctx).findTyped(q)
    const pack = exact ? packTyped(exact, q) : null
    return {
      items: catalog.search(q, limit),
      ...(exact ? { exact: { sku: exact.sku, pack: pack?.barcode ?? null } } : {}),
    }
  })
}

function catalogManagerRoutes(ctx: Ctx, app: App): void {
  const imports = catalogImportsOf(ctx)
  const planned = plannedPricesOf(ctx)
  const views = catalogViewsOf(ctx)
  serve(app, catalogContract['GET /catalog/state'], () => imports.state())

  serve(app, catalogContract['GET /catalog/elsewhere'], () => views.list())

  serve(app, catalogContract['GET /catalog/import/differences'], (request) =>
    imports.differences(request.query.kind, request.query.after),
  )

  serve(app, catalogContract['POST /catalog/import/apply'], (request) => {
    imports.apply(request.body.id, signedIn(request).id)
  })

  serve(app, catalogContract['POST /catalog/import/drop'], async (request) => {
    imports.drop(request.body.id)
  })

  serve(
    app,
    catalogContract['POST /catalog/undo-import'],
    async (request) => {
      await imports.undo(signedIn(request).id, request.storeKey)
      return imports.state()
    },
    { interrupted: () => imports.state() },
  )

  serve(app, catalogContract['GET /catalog/planned-prices'], (request) => planned.list(request.query.after))
  serve(app, catalogContract['POST /catalog/planned-prices'], (request) => {
    planned.plan(request.body, signedIn(request).id)
  })
  serve(app, catalogContract['POST /catalog/planned-prices/cancel'], (request) => {
    planned.cancel(request.body, signedIn(request).id)
  })

  void app.register(async (plain) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>()
    // The body is a catalog file of any size, so it is streamed to disk.
    scope.addContentTypeParser('application/octet-stream', { bodyLimit: MAX_BYTES }, (_request, body, done) => {
      done(null, body)
    })
    serve(
      scope,
      catalogContract['POST /catalog/import'],
      (request) => imports.take(request.query.name, request.body as Readable),
      { bodyLimit: MAX_BYTES },
    )
  })
}
