import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { nestsTooDeep } from '../../contracts/core/json-depth.ts'
import { CollectorNumber } from '../../contracts/core/ids.ts'
import { FaultRules } from './faults/faults.ts'
import type { CallDependencies } from './http/call.ts'
import type { Ledger } from './ledger.ts'
import type { ProgramRepository } from './program.ts'

export interface ControlOptions {
  readonly dependencies: CallDependencies
  readonly ledger: Ledger
  /** Confirms pending issuances; runs in a transaction. */
  readonly settle: (now: number) => number
  /** A collector's phone at the sign-in page; answers the page's status. */
  readonly phone: (act: PhoneAct) => Promise<number>
}

const Path = z.string().startsWith('/')
const WaitQuery = z.object({
  path: Path,
  count: z.coerce.number().int().min(1),
  stage: z.enum(['received', 'processed']).default('received'),
  timeoutMs: z.coerce.number().int().min(1).max(300_000).default(30_000),
})

/** The port of whoever rehearses: faults, ledger, received requests, the clock. Not part of any specification. */
export function createControlServer({ dependencies, ledger, settle, phone }: ControlOptions): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (nestsTooDeep(body)) done(Object.assign(new Error('the body is nested too deep'), { statusCode: 400 }))
    else void parseJson(request, body, done)
  })
  // Commands without a body need no content type.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => {
    done(null, undefined)
  })
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof z.ZodError)
      return reply.code(400).send({
        message: 'Bad request',
        errors: error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
      })
    const status = typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500
    return reply.code(status).send({ message: error instanceof Error ? error.message : 'failed' })
  })

  app.get('/faults', () => ({ rules: dependencies.faults.list() }))
  app.post('/faults', (request) => {
    dependencies.faults.add(FaultRules.parse(request.body).rules)
    return { rules: dependencies.faults.list() }
  })
  app.delete('/faults', () => {
    dependencies.faults.clear()
    return { rules: [] }
  })

  app.get('/ledger', (request) => {
    const { collectorNumber } = z.object({ collectorNumber: CollectorNumber }).parse(request.query)
    return { collectorNumber, balances: ledger.balances(collectorNumber), entries: ledger.entries(collectorNumber) }
  })
  app.get('/ledger/check', () => ledger.check())

  app.get('/requests', (request) => {
    const { path } = z.object({ path: Path.optional() }).parse(request.query)
    return { requests: dependencies.requests.list(path) }
  })
  app.delete('/requests', () => {
    dependencies.requests.clear()
    return { requests: [] }
  })
  app.get('/wait', async (request, reply) => {
    const { path, count, stage, timeoutMs } = WaitQuery.parse(request.query)
    const gone = new AbortController()
    request.raw.socket.once('close', () => gone.abort())
    const reached = await dependencies.requests.reached(
      stage,
      path,
      count,
      AbortSignal.any([AbortSignal.timeout(timeoutMs), gone.signal]),
    )
    return reply
      .code(reached ? 200 : 408)
      .send({ path, stage, count: dependencies.requests.total(stage, path), reached })
  })

  app.get('/clock', () => ({
    now: new Date(dependencies.clock.now()).toISOString(),
    offsetMs: dependencies.clock.offsetMs,
  }))
  app.post('/clock', (request) => {
    dependencies.clock.move(z.strictObject({ offsetMs: z.int() }).parse(request.body).offsetMs)
    return { now: new Date(dependencies.clock.now()).toISOString(), offsetMs: dependencies.clock.offsetMs }
  })
  app.put('/tokens', (request) => {
    dependencies.artifacts.accepting = z.strictObject({ accepted: z.boolean() }).parse(request.body).accepted
    return { accepted: dependencies.artifacts.accepting }
  })
  app.post('/tokens/revoke', () => ({ revoked: dependencies.artifacts.revokeAll() }))
  app.post('/phone', async (request) => ({ status: await phone(PhoneAct.parse(request.body)) }))
  app.post('/issuances/settle', async () => ({
    settled: await dependencies.commit(() => settle(dependencies.clock.now())),
  }))
  return app
}

/** What a phone is to do with the code that a lane shows for this collector. */
export const PhoneAct = z.strictObject({
  userCode: z.string().min(1).max(40),
  collectorNumber: CollectorNumber,
  does: z.enum(['sign-in', 'someone-else', 'decline']),
})
export type PhoneAct = z.infer<typeof PhoneAct>

export interface PhoneOptions {
  /** The page where a member enters the code. */
  readonly page: () => string
  readonly program: Pick<ProgramRepository, 'findCollector' | 'findOtherActive'>
}

/** Less than a terminal waits for the control port: it hears of a page that is silent. */
const PATIENCE_MS = 1_500

/**
 * The phone of a made-up collector: fills in the member's page and sends it, as a browser does (RFC 8628 §3.3).
 * Answers the page's status. Rejects when the page does not answer.
 */
export const createPhone =
  ({ page, program }: PhoneOptions) =>
  async ({ userCode, collectorNumber, does }: PhoneAct): Promise<number> => {
    const holder =
      does === 'someone-else' ? program.findOtherActive(collectorNumber) : program.findCollector(collectorNumber)
    const answer = await fetch(page(), {
      method: 'POST',
      signal: AbortSignal.timeout(PATIENCE_MS),
      body: new URLSearchParams({
        user_code: userCode,
        collector_number: holder?.number ?? '',
        pin: holder?.pin ?? '',
        decision: does === 'decline' ? 'deny' : 'approve',
      }),
    })
    await answer.body?.cancel()
    return answer.status
  }
