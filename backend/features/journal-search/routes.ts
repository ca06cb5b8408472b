import { JournalPage, JournalQuery } from '../../../contracts/api/journal-search.ts'
import type { Routes } from '../../http/app.ts'
import type { JournalSearch } from './service.ts'

/** The electronic journal of the lane, for its manager. */
export const journalSearchRoutes =
  (search: JournalSearch): Routes =>
  (app) => {
    app.get(
      '/api/journal',
      {
        schema: {
          tags: ['reports'],
          summary: 'Closed sales, returns and cash movements, newest first, found by what is known of them',
          querystring: JournalQuery,
          response: { 200: JournalPage },
        },
        config: { access: 'manager' },
      },
      (request) => search.page(request.query),
    )
  }
