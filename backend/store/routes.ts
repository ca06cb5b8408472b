import { StoreState } from '../../contracts/api/store.ts'
import type { Routes } from '../http/app.ts'
import type { StoreLink } from './store-link.ts'

export const storeRoutes =
  (store: Pick<StoreLink, 'state'>): Routes =>
  (app) => {
    app.get(
      '/api/store',
      {
        schema: {
          tags: ['store'],
          summary: 'How the lane stands with its store’s server',
          response: { 200: StoreState },
        },
      },
      () => store.state(),
    )
  }
