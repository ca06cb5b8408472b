import { z } from 'zod'
import { MemberSessionNow, SignInSlipAnswer } from '../../../contracts/loyalty/member.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { memberLaneOf } from './member-lane.ts'
import { signInSlipOf } from './sign-in-slip.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })
const answer = { 200: MemberSessionNow }

/** The collector's sign-in with their own phone. */
export const memberSessionRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const sessions = memberLaneOf(ctx).sessions
    const slip = signInSlipOf(ctx)
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

    app.post(
      '/api/sales/:id/member-session/print',
      {
        schema: {
          summary: 'Print the code that waits for the collector’s phone; it is no document and is not kept',
          params: byId,
          body: z.strictObject({}),
          response: { 200: SignInSlipAnswer },
        },
        config: { command: 'awaited' },
      },
      async (request) => slip.print(request.params.id),
    )
  }
