import { z } from 'zod'
import { MemberSessionNow } from '../../../contracts/api/member-session.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import type { MemberSessions } from './service.ts'

const byId = z.object({ id: SaleId })
const answer = { 200: MemberSessionNow }

/** The collector's sign-in with their own phone. */
export const memberSessionRoutes =
  (sessions: Pick<MemberSessions, 'current' | 'begin' | 'cancel'>): Routes =>
  (app) => {
    app.get(
      '/api/member-session',
      {
        schema: { summary: 'The sign-in of the collector of the open sale; null when there is none', response: answer },
      },
      () => sessions.current(),
    )

    app.post(
      '/api/sales/:id/member-session',
      {
        schema: {
          summary: 'Ask the collector of the sale to sign in with their own phone',
          params: byId,
          body: z.strictObject({}),
          response: answer,
        },
        config: { command: 'awaited' },
      },
      async (request) => sessions.begin(request.params.id),
    )

    app.post(
      '/api/sales/:id/member-session/cancel',
      {
        schema: {
          summary: 'End the sign-in, and forget whoever has signed in',
          params: byId,
          body: z.strictObject({}),
          response: answer,
        },
        config: { command: 'awaited' },
      },
      async (request) => sessions.cancel(request.params.id),
    )
  }
