import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { sendAnswer, applyBefore, type OutageAnswer } from '../faults.ts'
import { type Bearer, NO_TOKEN_BODY, tokenOf } from '../identity/artifacts.ts'
import { type Flaw, flawsOf } from './answer.ts'
import { parseBody } from './call.ts'
import { type DeclaredAnswers, FLAWED, MEMBER, NO_TOKEN } from './declare.ts'

export type Reply = readonly [status: number, body?: unknown]

export interface Operation<Principal, Input> {
  readonly method: 'GET' | 'PUT'
  readonly path: string
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly headers: z.ZodObject
  readonly params?: z.ZodObject
  readonly input?: z.ZodType<Input>
  readonly sent?: (ctx: Context, request: FastifyRequest) => unknown
  readonly answers: DeclaredAnswers
  readonly refuse?: (error: z.ZodError, request: FastifyRequest) => Reply | undefined
  readonly perform: (
    ctx: Context,
    principal: Principal,
    input: Input,
    request: FastifyRequest,
  ) => Reply | Promise<Reply>
}

export interface Service<Principal> {
  readonly tag: string
  readonly outage: OutageAnswer
  readonly answers: DeclaredAnswers
  readonly setHeaders?: (request: FastifyRequest, reply: FastifyReply) => void
  readonly admit: (
    ctx: Context,
    operation: Declared,
    bearer: Reception['bearer'],
    request: FastifyRequest,
  ) => { readonly principal: Principal } | { readonly refused: Reply }
}
export type Declared = Pick<Operation<never, never>, 'headers' | 'security'>

/** Answer to a missing or invalid token; sent with a `WWW-Authenticate` challenge. */
export const NO_VALID_TOKEN: Reply = [401, NO_TOKEN_BODY]

export function addOperation<Principal, Input>(
  app: FastifyInstance,
  ctx: Context,
  service: Service<Principal>,
  operation: Operation<Principal, Input>,
): void {
  const { method, path, summary, security, headers, params, input } = operation
  app.route({
    method,
    url: path,
    schema: {
      summary,
      tags: [service.tag],
      security,
      headers,
      ...(params && { params }),
      ...(input && (method === 'GET' ? { querystring: input } : { body: input })),
      response: { 400: FLAWED, 401: NO_TOKEN, ...service.answers, ...operation.answers },
    },
    handler: async (request, reply) => {
      service.setHeaders?.(request, reply)
      const reception = await receive(ctx, pathOf(path, request), request, reply, service.outage)
      if (!reception) return reply
      const admission = service.admit(ctx, operation, reception.bearer, request)
      const answer =
        'refused' in admission ? admission.refused : await decide(ctx, operation, admission.principal, request)
      if (answer === NO_VALID_TOKEN) void reply.header('www-authenticate', 'Bearer error="invalid_token"')
      await reception.answer(...answer)
      return reply
    },
  })
}

async function decide<Principal, Input>(
  ctx: Context,
  { method, sent, input, refuse, perform }: Operation<Principal, Input>,
  principal: Principal,
  request: FastifyRequest,
): Promise<Reply> {
  const given = method === 'PUT' ? parseBody(request.body) : (sent?.(ctx, request) ?? request.query)
  const parsed = (input ?? (z.unknown() as z.ZodType<Input>)).safeParse(given)
  if (parsed.success) return perform(ctx, principal, parsed.data, request)
  return refuse?.(parsed.error, request) ?? [400, flawedBody(flawsOf(parsed.error))]
}

const pathOf = (path: string, { params }: FastifyRequest): string =>
  path.replace(/:(\w+)/, (_, name: string) => String((params as Record<string, unknown>)[name]))

export const isForMembers = ({ security }: Declared): boolean => security === MEMBER

export interface Reception {
  /** Caller of the request; `none`: no Authorization header; `invalid`: unknown or expired token. */
  readonly bearer: Bearer | 'none' | 'invalid'
  answer(status: number, body?: unknown): Promise<void>
}

async function receive(
  ctx: Context,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  outage: OutageAnswer,
): Promise<Reception | undefined> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const processed = ctx.requests.receive(
    request.method,
    path,
    request.headers,
    bytes,
    bytes.length > 0 ? parseBody(bytes) : request.query,
  )
  const token = tokenOf(request)
  const known = token === undefined ? undefined : ctx.artifacts.findToken(token)
  const fault = ctx.faults.strike(path, collectorOf(request, known), ctx.clock.now())
  if (applyBefore(fault, reply, outage)) return undefined
  if (fault?.kind === 'delay') await delay(fault.ms)
  if (token !== undefined && fault?.kind === 'expire-token') ctx.artifacts.revoke(token)
  const valid = token === undefined || fault?.kind === 'no-token' ? undefined : ctx.artifacts.findToken(token)
  const bearer = request.headers.authorization === undefined ? 'none' : (valid ?? 'invalid')
  return {
    bearer,
    async answer(status, body) {
      processed()
      await sendAnswer(fault, reply, status, body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)))
      if (fault?.kind === 'cancel-after') reply.raw.socket?.destroy()
    },
  }
}

function collectorOf(request: FastifyRequest, bearer: Bearer | undefined): string | undefined {
  if (bearer?.kind === 'member') return bearer.collectorNumber
  const named = request.headers['collector-number'] ?? (request.query as Record<string, unknown>).collectorNumber
  return typeof named === 'string' ? named : undefined
}

/** Error body for an invalid request. The specifications do not show one (specification 1 §7, specification 2 §7). */
export const flawedBody = (flaws: readonly Flaw[], status: number | string = 400, message = 'Bad request') => ({
  message,
  errors: flaws.map(({ path, message: reason }) => ({
    errorCode: String(status),
    errorReason: path === '' ? reason : `${path}: ${reason}`,
  })),
})
