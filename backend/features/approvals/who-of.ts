import type { FastifyRequest } from 'fastify'
import { signedIn } from '../../http/guards.ts'
import { onOwnWord, type Who } from './guard.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who gives a command with whose PIN, where one came beside it; checked before its transaction opens. */
    approved: Who | null
  }
}

/** Who gives this command, and with whose PIN beside it. */
export const whoOf = (request: FastifyRequest): Who => request.approved ?? onOwnWord(signedIn(request))
