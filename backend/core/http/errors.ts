import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { Problem, ProblemCode } from '../../../contracts/core/errors.ts'
import { CARD_NUMBER_PROBLEMS } from '../../../contracts/core/text.ts'
import { traceOfCommand } from '../trace.ts'
import { keyOf } from './commands.ts'
import { SECURITY_HEADERS } from './static.ts'
import { PROBLEM_TYPE, problemBody, ProblemError, type ProblemDetail } from '../problem.ts'

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  // A malformed URL never reaches the hooks that give a call its id, so it gets its id here.
  const correlationId = request.correlationId || request.id
  void reply.headers(SECURITY_HEADERS).header('x-correlation-id', correlationId)
  if (refusal.code === 'internal') request.log.error({ err: error, ...idsOf(request, correlationId) }, 'a call failed')
  else request.log.debug({ code: refusal.code, ...idsOf(request, correlationId) }, 'a call was refused')
  sendProblem(reply, problemBody(refusal.code, correlationId, refusal.details, refusal.approval))
}

function idsOf(request: FastifyRequest, correlationId: string): object {
  const key = keyOf(request)
  return {
    correlationId,
    route: request.routeOptions.url,
    ...(key === null ? {} : { trace: traceOfCommand(key) }),
  }
}

export function sendProblem(reply: FastifyReply, problem: Problem): void {
  void reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(problem)
}

interface Refusal {
  readonly code: ProblemCode
  readonly details?: readonly ProblemDetail[] | undefined
  readonly approval?: ApprovalRequest | undefined
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ProblemError) return { code: error.code, details: error.details, approval: error.approval }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const cardNumber = CARD_NUMBER_PROBLEMS.find((code) => error.validation.some(({ message }) => message === code))
    if (cardNumber !== undefined) return { code: cardNumber }
    return {
      code: 'body-invalid',
      details: error.validation.map((issue) => ({ path: issue.instancePath, message: issue.message ?? '' })),
    }
  }
  if (!isFastifyError(error)) return { code: 'internal' }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { code: 'body-too-large' }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { code: 'not-json' }
  // Causes: a path outside the folder of the screens, a hidden file or a missing file.
  if (error.code === 'FST_ERR_BAD_URL' || error.statusCode === 403 || error.statusCode === 404)
    return { code: 'not-found' }
  // Causes: malformed or empty JSON, a body shorter than announced, prototype poisoning.
  if (error.statusCode === 400)
    return { code: 'body-invalid', details: [{ path: '', message: 'The body is not valid JSON' }] }
  return { code: 'internal' }
}

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error && ('code' in error || 'statusCode' in error)
