import type { App } from '../core/http/app.ts'
import { catalogContract } from '../../contracts/catalog/catalog.routes.ts'
import { serve } from '../core/http/serve.ts'
import { quickKeysOf } from './quick-key-lists.ts'
import { catalogOf } from './catalog.ts'
import type { Ctx } from '../core/context.ts'

export function catalogRoutes(ctx: Ctx, app: App): void {
  const catalog = { ...quickKeysOf(ctx), search: catalogOf(ctx).search }
  serve(app, catalogContract['GET /catalog/quick-keys'], async () => ({ departments: catalog.quickKeys() }))

  serve(app, catalogContract['POST /catalog/items/search'], async (request) => ({
    items: catalog.search(request.body.q, request.body.limit),
  }))
}
