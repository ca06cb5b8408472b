import { WaitingChangeKey, WaitingChanges } from '../../../contracts/api/waiting-changes.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { WaitingChangesService } from './service.ts'

const tags = ['staff']
const config = { access: 'manager' } as const
const response = { 200: WaitingChanges }

/** Changes of other lanes that wait for a manager. */
export const waitingChangesRoutes =
  (waiting: WaitingChangesService): Routes =>
  (app) => {
    app.get(
      '/api/waiting-changes',
      { schema: { tags, summary: 'Changes of other lanes that wait for a confirmation here', response }, config },
      () => waiting.list(),
    )
    app.post(
      '/api/waiting-changes/confirm',
      {
        schema: { tags, summary: 'Put a waiting change into effect at this lane', body: WaitingChangeKey, response },
        config,
      },
      (request) => {
        waiting.confirm(request.body, signedIn(request).id)
        return waiting.list()
      },
    )
    app.post(
      '/api/waiting-changes/refuse',
      {
        schema: { tags, summary: 'Keep what is in force at this lane', body: WaitingChangeKey, response },
        config,
      },
      (request) => {
        waiting.refuse(request.body, signedIn(request).id)
        return waiting.list()
      },
    )
  }
