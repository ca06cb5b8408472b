import { z } from 'zod'
import { ClaimInput, TouchWindow } from '../../contracts/api/input.ts'
import type { Routes } from '../http/app.ts'
import type { ActingWindow } from './acting-window.ts'
import type { InputClaims } from './claims.ts'

/** Which window has the gestures of the lane's devices. */
export const inputRoutes =
  ({ claims, acting }: { readonly claims: InputClaims; readonly acting: ActingWindow }): Routes =>
  (app) => {
    app.post(
      '/api/input/acting',
      {
        schema: {
          summary: 'A person touches this window: it is asked what a gesture asks of a person',
          body: TouchWindow,
          response: { 204: z.undefined() },
        },
        config: { access: 'window', byItself: true, command: 'awaited' },
      },
      async (request, reply) => {
        // A window at which nobody is signed in asks nobody anything: what a gesture asks would be lost there.
        if (request.staff !== null) acting.touch(request.body.stream)
        void reply.code(204)
      },
    )
    app.post(
      '/api/input/claims',
      {
        schema: {
          summary: 'The next cards or items are for this window, or the sale’s again',
          body: ClaimInput,
          response: { 204: z.undefined() },
        },
        config: { byItself: true, command: 'awaited' },
      },
      async (request, reply) => {
        const { what, claimed, stream } = request.body
        if (claimed) claims.claim(what, stream)
        else claims.release(what, stream)
        void reply.code(204)
      },
    )
  }
