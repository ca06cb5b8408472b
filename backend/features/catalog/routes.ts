import { ItemList, ItemQuery } from '../../../contracts/api/catalog.ts'
import type { Routes } from '../../http/app.ts'
import type { CatalogService } from './service.ts'

export const catalogRoutes = (catalog: Pick<CatalogService, 'search'>): Routes => (app) => {
  app.get('/api/catalog/items', {
    schema: { tags: ['catalog'], description: 'Finds items by name in either language, SKU, or a part of the barcode. Best first.', querystring: ItemQuery, response: { 200: ItemList } },
    config: { access: 'staff' },
  }, async (request) => ({ items: catalog.search(request.query.q, request.query.limit) }))
}
