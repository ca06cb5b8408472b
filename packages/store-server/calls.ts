import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ENROLMENT_PATHS } from '../../contracts/operations/enrolment.ts'
import type { Decision } from '../../contracts/store/metrics.ts'
import { HOLD_PATHS } from '../../contracts/store/holds.ts'
import { STORE_PATHS } from '../../contracts/store/protocol.ts'
import { RECEIPT_PATHS } from '../../contracts/store/receipts.ts'
import { LOCK_PATHS } from '../../contracts/store/collector-locks.ts'
import { VOUCHER_PATHS } from '../../contracts/store/vouchers.ts'
import { NONCE_REFUSED } from '../delivery/enrolment/proof.ts'
import { CHANNEL_FILE, REPORTS_PLACE } from '../delivery/updates/formats.ts'
import type { StoreCounts } from './metrics/counts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    feature: string | null
    /** Outcome of a request in the log: a fixed value of this program, never request data. */
    outcome: string | null
  }
}

/**
 * Reads the outcome of a route that grants a draw, reservation or lock to one lane: the kind of its answer, or for a
 * return the reason of the refusal (`granted` without one).
 */
const KIND = z.object({ kind: z.string() }).transform(({ kind }) => kind)
const REFUSED = z.object({ refused: z.string().nullable() }).transform(({ refused }) => refused ?? 'granted')
const DECIDED: ReadonlyMap<string, { readonly what: Decision; readonly answer: z.ZodType<string> }> = new Map([
  [LOCK_PATHS.take, { what: 'turn', answer: KIND }],
  [VOUCHER_PATHS.draw, { what: 'draw', answer: KIND }],
  [RECEIPT_PATHS.reserve, { what: 'claim', answer: REFUSED }],
  [HOLD_PATHS.reserve, { what: 'hold', answer: KIND }],
])
const GRANTED: readonly string[] = ['yours', 'granted']

/** Outcome of a request that a full queue rejected (503); the client retries. */
export const BUSY = 'busy'

const SERVED = {
  [`GET /updates/${CHANNEL_FILE}`]: 'channel',
  'GET /updates/*': 'files',
  [`POST /updates/${REPORTS_PLACE}`]: 'reports',
} as const satisfies Readonly<Record<string, string>>
const SERVED_BY = new Map(Object.entries(SERVED))

/** Returns the route pattern of a request, because its URL may contain data that must not be logged. */
const routeOf = ({ routeOptions: { url } }: FastifyRequest): string => url ?? ''

type CallCounts = Pick<StoreCounts, 'answered' | 'decided' | 'enrolled' | 'served'>

export function logCalls(app: FastifyInstance, counts: CallCounts): void {
  for (const name of ['feature', 'caller', 'outcome'] as const) app.decorateRequest(name, null)
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const decided = reply.statusCode === 200 ? DECIDED.get(routeOf(request)) : undefined
    if (decided) request.outcome = decided.answer.safeParse(payload).data ?? null
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, caller, outcome } = request
    const { statusCode: status, elapsedTime } = reply
    const path = routeOf(request) || 'none'
    const ms = Math.round(elapsedTime * 10) / 10
    request.log.info(
      { method, path, status, ms, store: caller?.store, lane: caller?.lane, outcome: outcome ?? undefined },
      'answered',
    )
    count(counts, request, status, elapsedTime / 1_000)
    done()
  })
}

function count(counts: CallCounts, request: FastifyRequest, status: number, seconds: number): void {
  const route = routeOf(request)
  const { method, feature, outcome } = request
  // Leave a request with a refused nonce out of the metrics: the lane repeats it with a new nonce at once.
  if (outcome === NONCE_REFUSED) return
  const isHeld = route === STORE_PATHS.heartbeat
  counts.answered({ feature, status, seconds, isHeld, isBusy: outcome === BUSY })
  const decided = DECIDED.get(route)
  if (decided && outcome !== null) counts.decided(decided.what, GRANTED.includes(outcome))
  if (route === ENROLMENT_PATHS.exchange && [200, 403].includes(status)) counts.enrolled(status === 200)
  const served = SERVED_BY.get(`${method} ${route}`)
  if (served && status < 300) counts.served(served)
}

export function nameFeature(scope: FastifyInstance, name: string): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    request.feature = name
    done()
  })
}
