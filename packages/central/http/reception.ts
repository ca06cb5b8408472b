import type { FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import { leave, strikeBefore, type OutageAnswer } from '../faults/faults.ts'
import type { Bearer } from '../identity/artifacts.ts'
import { NO_TOKEN_BODY, tokenOf } from '../identity/bearer.ts'
import type { Flaw } from './answer.ts'
import { type CallDependencies, parseBody } from './call.ts'

/** A request to a service that is read or that keeps states: who speaks, and the way in which its answer leaves. */
export interface Visit {
  /** `none`: no Authorization header. `invalid`: one whose token does not stand. */
  readonly bearer: Bearer | 'none' | 'invalid'
  /** Sends the answer as the faults let it. Without a body: none is sent. */
  answer(status: number, body?: unknown): Promise<void>
}

/**
 * Meets a request: journal, faults, token. Undefined: a fault has ended it. `path` is what rules and journal know it
 * by.
 */
export async function meet(
  dependencies: CallDependencies,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  outage: OutageAnswer,
): Promise<Visit | undefined> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const processed = dependencies.requests.receive(
    request.method,
    path,
    request.headers,
    bytes,
    bytes.length > 0 ? parseBody(bytes) : request.query,
  )
  const token = tokenOf(request)
  const known = token === undefined ? undefined : dependencies.artifacts.findToken(token)
  const fault = dependencies.faults.strike(path, collectorOf(request, known), dependencies.clock.now())
  if (strikeBefore(fault, reply, outage)) return undefined
  if (fault?.kind === 'delay') await delay(fault.ms)
  if (token !== undefined && fault?.kind === 'expire-token') dependencies.artifacts.revoke(token)
  const standing =
    token === undefined || fault?.kind === 'no-token' ? undefined : dependencies.artifacts.findToken(token)
  const bearer = request.headers.authorization === undefined ? 'none' : (standing ?? 'invalid')
  return {
    bearer,
    async answer(status, body) {
      processed()
      await leave(fault, reply, status, body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)))
      if (fault?.kind === 'cancel-after') reply.raw.socket?.destroy()
    },
  }
}

function collectorOf(request: FastifyRequest, bearer: Bearer | undefined): string | undefined {
  if (bearer?.kind === 'member') return bearer.collectorNumber
  const named = request.headers['collector-number'] ?? (request.query as Record<string, unknown>).collectorNumber
  return typeof named === 'string' ? named : undefined
}

export const flawsOf = (error: z.ZodError): Flaw[] =>
  error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

/**
 * The body of a request that breaks the rules of the services whose error bodies are not shown (specifications 1 §7, 2
 * §7).
 */
export const flawedBody = (flaws: readonly Flaw[], status: number | string = 400, message = 'Bad request') => ({
  message,
  errors: flaws.map(({ path, message: reason }) => ({
    errorCode: String(status),
    errorReason: path === '' ? reason : `${path}: ${reason}`,
  })),
})

/** A call without a valid token: the answer and the challenge. */
export function refuseToken(visit: Visit, reply: FastifyReply): Promise<void> {
  void reply.header('www-authenticate', 'Bearer error="invalid_token"')
  return visit.answer(401, NO_TOKEN_BODY)
}
