import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { nestsTooDeep } from '../../contracts/core/json-depth.ts'
import { CollectorNumber } from '../../contracts/core/ids.ts'
import type { Context } from './context.ts'
import { FaultRules } from './faults.ts'
import { settlePending } from './issuance/settlement.ts'

const Path = z.string().startsWith('/')
const WaitQuery = z.object({
  path: Path,
  count: z.coerce.number().int().min(1),
  stage: z.enum(['received', 'processed']).default('received'),
  timeoutMs: z.coerce.number().int().min(1).max(300_000).default(30_000),
})

const PhoneAct = z.strictObject({
  userCode: z.string().min(1).max(40),
  collectorNumber: CollectorNumber,
  does: z.enum(['sign-in', 'someone-else', 'decline']),
})
type PhoneAct = z.infer<typeof PhoneAct>

/**
 * Serves the control port for tests and rehearsals: faults, ledger, received requests, clock. No specification contains
 * it.
 */
export function createControlServer(ctx: Context, memberPage: () => string): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (nestsTooDeep(body)) done(Object.assign(new Error('the body is nested too deep'), { statusCode: 400 }))
    else void parseJson(request, body, done)
  })
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
  addFaultRoutes(app, ctx)
  addRequestRoutes(app, ctx)
  addAccountRoutes(app, ctx)
  app.get('/clock', () => ({ now: new Date(ctx.clock.now()).toISOString(), offsetMs: ctx.clock.offsetMs }))
  app.post('/clock', (request) => {
    ctx.clock.move(z.strictObject({ offsetMs: z.int() }).parse(request.body).offsetMs)
    return { now: new Date(ctx.clock.now()).toISOString(), offsetMs: ctx.clock.offsetMs }
  })
  app.post('/phone', async (request) => ({ status: await actAsPhone(ctx, memberPage(), PhoneAct.parse(request.body)) }))
  return app
}

function addFaultRoutes(app: FastifyInstance, { faults }: Context): void {
  app.get('/faults', () => ({ rules: faults.list() }))
  app.post('/faults', (request) => {
    faults.add(FaultRules.parse(request.body).rules)
    return { rules: faults.list() }
  })
  app.delete('/faults', () => {
    faults.clear()
    return { rules: [] }
  })
}

function addAccountRoutes(app: FastifyInstance, ctx: Context): void {
  app.get('/ledger', (request) => {
    const { collectorNumber } = z.object({ collectorNumber: CollectorNumber }).parse(request.query)
    return {
      collectorNumber,
      balances: ctx.ledger.balances(collectorNumber),
      entries: ctx.ledger.entries(collectorNumber),
    }
  })
  app.get('/ledger/check', () => ctx.ledger.check())
  app.put('/tokens', (request) => {
    ctx.artifacts.accepting = z.strictObject({ accepted: z.boolean() }).parse(request.body).accepted
    return { accepted: ctx.artifacts.accepting }
  })
  app.post('/tokens/revoke', () => ({ revoked: ctx.artifacts.revokeAll() }))
  app.post('/issuances/settle', async () => ({
    settled: await ctx.commit(() => settlePending(ctx, ctx.clock.now(), ctx.clock.now())),
  }))
}

function addRequestRoutes(app: FastifyInstance, { requests }: Context): void {
  app.get('/requests', (request) => {
    const { path } = z.object({ path: Path.optional() }).parse(request.query)
    return { requests: requests.list(path) }
  })
  app.delete('/requests', () => {
    requests.clear()
    return { requests: [] }
  })
  app.get('/wait', async (request, reply) => {
    const { path, count, stage, timeoutMs } = WaitQuery.parse(request.query)
    const disconnected = new AbortController()
    request.raw.socket.once('close', () => disconnected.abort())
    const reached = await requests.reached(
      stage,
      path,
      count,
      AbortSignal.any([AbortSignal.timeout(timeoutMs), disconnected.signal]),
    )
    return reply.code(reached ? 200 : 408).send({ path, stage, count: requests.total(stage, path), reached })
  })
}

/**
 * Timeout of the member page, shorter than the terminal's timeout for the control port, so that the terminal gets an
 * error for an unresponsive page.
 */
const PAGE_TIMEOUT_MS = 1_500

/**
 * Fills in and submits the member page as a phone's browser does (RFC 8628 §3.3). Returns the page's status; rejects
 * when the page does not answer.
 */
async function actAsPhone(
  { program }: Context,
  page: string,
  { userCode, collectorNumber, does }: PhoneAct,
): Promise<number> {
  const holder =
    does === 'someone-else' ? program.findOtherActive(collectorNumber) : program.findCollector(collectorNumber)
  const answer = await fetch(page, {
    method: 'POST',
    signal: AbortSignal.timeout(PAGE_TIMEOUT_MS),
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
