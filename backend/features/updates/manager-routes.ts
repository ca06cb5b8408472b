import { OrderUpdate, Updates } from '../../../contracts/api/updates.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { ManagerUpdates } from './manager-updates.ts'

const tags = ['updates']
const config = { access: 'manager' } as const
const response = { 200: Updates }

/** New versions of the program, for a manager. */
export const managerUpdatesRoutes =
  (updates: ManagerUpdates): Routes =>
  (app) => {
    app.get(
      '/api/updates',
      { config, schema: { tags, summary: 'What runs, what comes next and when', response } },
      () => updates.read(),
    )
    app.post(
      '/api/updates/order',
      { config, schema: { tags, summary: 'When the next version is installed', body: OrderUpdate, response } },
      (request) => updates.order(request.body, signedIn(request).id),
    )
  }
