import { ItemList, ItemQuery, QuickKeys } from '../../contracts/catalog/catalog.ts'
import type { Routes } from '../core/http/app.ts'
import { quickKeysOf } from './quick-key-lists.ts'
import { catalogOf } from './catalog.ts'
import type { Ctx } from '../core/context.ts'

export const catalogRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const catalog = { ...quickKeysOf(ctx), search: catalogOf(ctx).search }
    app.get(
      '/api/catalog/quick-keys',
      {
        schema: {
          tags: ['catalog'],
          description: 'What the store rings by touch, department by department.',
          response: { 200: QuickKeys },
        },
        config: { access: 'staff' },
      },
      async () => ({ departments: catalog.quickKeys() }),
    )

    app.post(
      '/api/catalog/items/search',
      {
        schema: {
          tags: ['catalog'],
          description: 'Finds items by name in any language, SKU, or a part of the barcode. Best first.',
          body: ItemQuery,
          response: { 200: ItemList },
        },
        config: { access: 'staff', command: 'reading' },
      },
      async (request) => ({ items: catalog.search(request.body.q, request.body.limit) }),
    )
  }
