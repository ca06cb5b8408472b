import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { leave, strikeBefore, type OutageAnswer } from '../faults.ts'
import { type Bearer, NO_TOKEN_BODY, tokenOf } from '../identity/artifacts.ts'
import { type Flaw, flawsOf } from './answer.ts'
import { parseBody } from './call.ts'
import { type DeclaredAnswers, FLAWED, MEMBER, NO_TOKEN } from './declare.ts'

/** Status and body of an answer; without a body, none is sent. */
export type Reply = readonly [status: number, body?: unknown]

/** One operation of the services that are read or that keep states: its route, its description and its rules. */
export interface Operation<Who, Input> {
  readonly method: 'GET' | 'PUT'
  /** As Fastify writes it: a parameter is `:id`. */
  readonly path: string
  readonly summary: string
  /** `MEMBER`: only a collector's own token may call it. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly headers: z.ZodObject
  readonly params?: z.ZodObject
  /** The query of a GET, the body of a PUT. Left out: it is not looked at. */
  readonly input?: z.ZodType<Input>
  /** Takes the place of the query as it was sent. */
  readonly sent?: (ctx: Context, request: FastifyRequest) => unknown
  /** Beside those that every operation has. */
  readonly answers: DeclaredAnswers
  /** The answer to an input that breaks its schema, where that is not 400 with every flaw. */
  readonly refuse?: (error: z.ZodError, request: FastifyRequest) => Reply | undefined
  readonly perform: (ctx: Context, who: Who, input: Input, request: FastifyRequest) => Reply | Promise<Reply>
}

/** What the operations of a service have in common. */
export interface Service<Who> {
  readonly tag: string
  /** What it says while it is away on purpose. */
  readonly outage: OutageAnswer
  readonly answers: DeclaredAnswers
  /** Sets the headers that every answer carries. */
  readonly greet?: (request: FastifyRequest, reply: FastifyReply) => void
  /** Decides who calls and checks the headers. */
  readonly admit: (
    ctx: Context,
    operation: Declared,
    bearer: Visit['bearer'],
    request: FastifyRequest,
  ) => { readonly who: Who } | { readonly refused: Reply }
}
export type Declared = Pick<Operation<never, never>, 'headers' | 'security'>

/** The answer to a call without a valid token; the challenge goes with it. */
export const NO_VALID_TOKEN: Reply = [401, NO_TOKEN_BODY]

/** Adds the route of an operation. */
export function addOperation<Who, Input>(
  app: FastifyInstance,
  ctx: Context,
  service: Service<Who>,
  operation: Operation<Who, Input>,
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
      service.greet?.(request, reply)
      const visit = await meet(ctx, pathOf(path, request), request, reply, service.outage)
      if (!visit) return reply
      const admission = service.admit(ctx, operation, visit.bearer, request)
      const answer = 'refused' in admission ? admission.refused : await decide(ctx, operation, admission.who, request)
      if (answer === NO_VALID_TOKEN) void reply.header('www-authenticate', 'Bearer error="invalid_token"')
      await visit.answer(...answer)
      return reply
    },
  })
}

async function decide<Who, Input>(
  ctx: Context,
  { method, sent, input, refuse, perform }: Operation<Who, Input>,
  who: Who,
  request: FastifyRequest,
): Promise<Reply> {
  const given = method === 'PUT' ? parseBody(request.body) : (sent?.(ctx, request) ?? request.query)
  const parsed = (input ?? (z.unknown() as z.ZodType<Input>)).safeParse(given)
  if (parsed.success) return perform(ctx, who, parsed.data, request)
  return refuse?.(parsed.error, request) ?? [400, flawedBody(flawsOf(parsed.error))]
}

/** What rules of faults and the journal know a request by. */
const pathOf = (path: string, { params }: FastifyRequest): string =>
  path.replace(/:(\w+)/, (_, name: string) => String((params as Record<string, unknown>)[name]))

/** Whether an operation is for collectors alone. */
export const isForMembers = ({ security }: Declared): boolean => security === MEMBER

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
async function meet(
  ctx: Context,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  outage: OutageAnswer,
): Promise<Visit | undefined> {
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
  if (strikeBefore(fault, reply, outage)) return undefined
  if (fault?.kind === 'delay') await delay(fault.ms)
  if (token !== undefined && fault?.kind === 'expire-token') ctx.artifacts.revoke(token)
  const standing = token === undefined || fault?.kind === 'no-token' ? undefined : ctx.artifacts.findToken(token)
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
