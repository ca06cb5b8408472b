import type { FastifyRequest } from 'fastify'
import { signedIn } from '../../http/guards.ts'
import { onOwnWord, type Who } from './guard.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** On whose word a command is given, where a PIN came beside it; checked before its transaction opens. */
    approved: Who | null
  }
}

/** Who gives this command, and on whose word. */
export const whoOf = (request: FastifyRequest): Who => request.approved ?? onOwnWord(signedIn(request))
