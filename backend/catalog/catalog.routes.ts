import { ItemList, ItemQuery, QuickKeys } from '../../contracts/catalog/catalog.ts'
import type { Routes } from '../core/http/app.ts'
import type { QuickKeysOfLane } from './quick-key-lists.ts'
import type { CatalogService } from './catalog.ts'

export const catalogRoutes =
  (catalog: Pick<CatalogService, 'search'> & Pick<QuickKeysOfLane, 'quickKeys'>): Routes =>
  (app) => {
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
