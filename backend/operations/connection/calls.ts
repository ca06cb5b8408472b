import { randomUUID } from 'node:crypto'
import type { ConnectionCause, ConnectionPeriod, ConnectionSums } from '../../../contracts/operations/connection.ts'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { IssuanceResponse } from '../../../contracts/central/issuance.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { createHistoryClient } from '../../loyalty/services/history.ts'
import { issuanceClientOf } from '../../loyalty/services/issuance.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { createOfferStateClient } from '../../loyalty/services/offer-state.ts'
import { createOffersClient } from '../../loyalty/services/offers.ts'
import {
  type Failure,
  type FailureCause,
  type ServiceResult,
  codeIn,
  failureOf as serviceFailureOf,
} from '../../core/central/service-result.ts'
import type { Answer } from '../../core/central/transport.ts'
import { causeOfCode } from './probes.ts'
import { Temporal } from 'temporal-polyfill/implementation'
import { epochOf, localDateTimeAt } from '../../core/zone.ts'
import type { HourRow } from '../diagnostics/diagnostics.sql.ts'
import { centralOf } from '../../core/central/services.ts'
import { diagnosticsOf } from '../diagnostics/diagnostics.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export interface Called {
  readonly cause: ConnectionCause | null
  readonly code: string | null
  readonly trace: string | null
}

export type ConnectionCalls = ReturnType<typeof connectionCallsOf>

/**
 * A collector number that is not assigned: 11 digits that start with 8 (specification 3 §8). CALCULATE needs a number,
 * and "no such collector" proves that the service answers.
 */
const UNASSIGNED = CollectorNumber.parse('80000000000')
/** Response codes about the sponsor and its locations, not the collector (specification 3 §7.1). */
const STORE_CODES: ReadonlySet<string> = new Set(['202', '205', '221', '225', '230'])

const connectionCallsStateOf = perLane((ctx: Ctx) => {
  /** Duration of a call in ms from which the service counts as slow, because customers have to wait. */
  const slowMs = ctx.profile.limits.cashTimeoutMs / 2
  // Without circuit breakers, which could suppress the call that a manager requested.
  return {
    slowMs,
    offersClient: createOffersClient(ctx),
    offerStateClient: createOfferStateClient(ctx),
    historyClient: createHistoryClient(ctx),
  }
})

const now = (ctx: Ctx) => ctx.clock.now()

const latencyCauseOf = (ctx: Ctx, latencyMs: number | null): ConnectionCause | null =>
  latencyMs !== null && latencyMs > connectionCallsStateOf(ctx).slowMs ? 'slow' : null

const calledOf = <Body>(
  ctx: Ctx,
  result: ServiceResult<Body>,
  causeOf: (body: Body) => ConnectionCause | null,
): Called =>
  result.kind === 'failed'
    ? { cause: connectionCauseOf(result), code: result.code, trace: result.correlationId }
    : {
        cause: causeOf(result.body) ?? latencyCauseOf(ctx, result.latencyMs),
        code: `HTTP ${result.status}`,
        trace: result.correlationId,
      }

const healthCauseOf = (healthy: boolean): ConnectionCause | null => (healthy ? null : 'unhealthy')

/** Requests a new token, because a cached one does not prove that the token service works. */
async function token(ctx: Ctx): Promise<Called> {
  const tokens = centralOf(ctx).tokens
  const held = await tokens.current('now')
  const token = held.kind === 'token' ? await tokens.renew(held.value) : held
  if (token.kind === 'token') return { cause: null, code: null, trace: null }
  return {
    cause: token.cause === 'refused' ? 'token-refused' : 'token-no-answer',
    code: codeIn(token.reason),
    trace: null,
  }
}

async function echo(ctx: Ctx): Promise<Called> {
  const result = await diagnosticsOf(ctx).runEcho()
  const code =
    result.responseCode ?? (result.httpStatus === null ? codeIn(result.message) : `HTTP ${result.httpStatus}`)
  const cause =
    result.outcome === 'approved'
      ? latencyCauseOf(ctx, result.latencyMs)
      : result.outcome === 'unreachable'
        ? causeOfCode(code)
        : ECHO_CAUSES[result.outcome]
  return { cause, code, trace: result.traceId }
}

async function issuance(ctx: Ctx): Promise<Called> {
  const saleId = `CHECK-${randomUUID()}`
  const answer = await issuanceClientOf(ctx).calculateNow(
    {
      saleId,
      collectorNumber: UNASSIGNED,
      atMs: now(ctx),
      totals: { subtotalCents: cents(0), taxes: [], totalCents: cents(0) },
      lines: [],
      tenders: [],
      locale: ctx.profile.locales.default,
    },
    ctx.profile.locales.default,
  )
  const body = answer.kind === 'answer' ? IssuanceResponse.safeParse(jsonOf(answer.bytes)).data : undefined
  const trace = body?.transactionId ?? saleId
  const code = body?.errors?.[0]?.errorCode ?? null
  if (code !== null) return { cause: STORE_CODES.has(code) ? 'store-codes' : null, code, trace }
  const failed = failureOf(answer)
  if (failed) return { ...failed, trace }
  if (answer.kind !== 'answer' || !body) return { ...MALFORMED, trace }
  return { cause: latencyCauseOf(ctx, answer.latencyMs), code: `HTTP ${answer.status}`, trace }
}

const offers = async (ctx: Ctx): Promise<Called> =>
  calledOf(
    ctx,
    await connectionCallsStateOf(ctx).offersClient.list(
      { region: ctx.profile.region, limit: 1 },
      { locale: ctx.profile.locales.default },
    ),
    () => null,
  )

const history = async (ctx: Ctx): Promise<Called> =>
  calledOf(
    ctx,
    await connectionCallsStateOf(ctx).historyClient.health({ locale: ctx.profile.locales.default }),
    healthCauseOf,
  )

/**
 * Calls of the connection check, none of which has effects by its specification: a fresh token; ECHO, "like a ping" (3
 * §4.5); CALCULATE, which "issues nothing" (3 §4.2); GET /offers, a public read (1 §1); and the health of offer states
 * and history (2 §4.1, §4.2). Not RECORD: it issues no miles, but leaves a transaction in the program's books (3 §4.3).
 */
export const connectionCallsOf = perLane((ctx: Ctx) => {
  connectionCallsStateOf(ctx)
  return {
    ...bound(ctx, {
      token,
      echo,
      issuance,
      offers,
      history,
    }),

    'offer-state': async (): Promise<Called> =>
      calledOf(
        ctx,
        await connectionCallsStateOf(ctx).offerStateClient.health({ locale: ctx.profile.locales.default }),
        healthCauseOf,
      ),
  }
})

const MALFORMED = { cause: 'malformed', code: null } as const

const ECHO_CAUSES = {
  timeout: 'timeout',
  refused: 'request-refused',
  outage: 'maintenance',
  'server-error': 'server-error',
  'no-token': 'token-refused',
  'token-unreachable': 'token-no-answer',
  malformed: 'malformed',
} as const satisfies Partial<Record<EchoResult['outcome'], ConnectionCause>>

function failureOf(answer: Answer): Omit<Called, 'trace'> | null {
  const failure = serviceFailureOf(answer)
  return failure && { cause: connectionCauseOf(failure), code: failure.code }
}

function connectionCauseOf({ cause, code }: Failure): ConnectionCause {
  return cause === 'unreachable' ? causeOfCode(code) : CAUSES[cause]
}

const CAUSES = {
  timeout: 'timeout',
  refused: 'token-refused',
  'token-unreachable': 'token-no-answer',
  'not-found': 'wrong-address',
  'bad-request': 'request-refused',
  maintenance: 'maintenance',
  'server-error': 'server-error',
  malformed: 'malformed',
  'collector-refused': 'request-refused',
  'breaker-open': 'no-answer',
} as const satisfies Record<Exclude<FailureCause, 'unreachable'>, ConnectionCause>

/** How the connection page divides a period: 24 hours, 28 quarters of a day, 30 days, 53 weeks. */
const CUTS = {
  day: { count: 24, step: { hours: 1 } },
  week: { count: 28, step: { hours: 6 } },
  month: { count: 30, step: { days: 1 } },
  year: { count: 53, step: { days: 7 } },
} as const satisfies Record<ConnectionPeriod, { count: number; step: Temporal.DurationLike }>

/**
 * Boundaries (epoch ms) of a period's intervals, oldest first, one more than intervals. They follow store time, in
 * which a day may have 23 or 25 hours. The last interval is not over yet.
 */
export function edgesOf(period: ConnectionPeriod, nowMs: number, timeZone: string): number[] {
  const { count, step } = CUTS[period]
  const local = localDateTimeAt(nowMs, timeZone)
  if (period === 'day') {
    // Elapsed hours are counted, so that an hour that the clock repeats appears twice.
    const sinceHour = (local.minute * 60 + local.second) * 1_000 + local.millisecond
    const end = nowMs - sinceHour + 3_600_000
    return Array.from({ length: count + 1 }, (_, index) => end - (count - index) * 3_600_000)
  }
  const end = local.round({ smallestUnit: 'day', roundingMode: 'floor' }).add({ days: 1 })
  const back = Temporal.Duration.from(step)
  return Array.from({ length: count + 1 }, (_, index) => {
    const steps = count - index
    return epochOf(end.subtract({ days: back.days * steps, hours: back.hours * steps }), timeZone)
  })
}

const NOTHING = { checks: 0, failures: 0, onMs: 0, downMs: 0, timed: 0, sum: 0, least: Infinity, most: -Infinity }

export function sumsOf(hours: readonly HourRow[]): ConnectionSums {
  const added = { ...NOTHING }
  for (const hour of hours) {
    added.checks += hour.checks
    added.failures += hour.failures
    added.onMs += hour.onMs
    added.downMs += hour.downMs
    added.timed += hour.timed
    added.sum += hour.latencySum
    added.least = Math.min(added.least, hour.latencyLeast ?? Infinity)
    added.most = Math.max(added.most, hour.latencyMost ?? -Infinity)
  }
  const { checks, failures, onMs, downMs, timed, sum, least, most } = added
  return {
    checks,
    failures,
    onMs,
    downMs,
    latencyMeanMs: timed === 0 ? null : Math.round(sum / timed) / 10,
    latencyMinMs: timed === 0 ? null : least / 10,
    latencyMaxMs: timed === 0 ? null : most / 10,
  }
}

/** Groups hours by the interval in which they start. `hours` and `edges` are in order, oldest first. */
export function hoursByInterval(hours: readonly HourRow[], edges: readonly number[]): HourRow[][] {
  const intervals: HourRow[][] = edges.slice(1).map(() => [])
  let index = 0
  for (const hour of hours) {
    while (index < intervals.length - 1 && hour.fromMs >= (edges[index + 1] ?? Infinity)) index += 1
    intervals[index]?.push(hour)
  }
  return intervals
}
