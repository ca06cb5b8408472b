import { randomUUID } from 'node:crypto'
import type { ConnectionCause } from '../../../contracts/api/connection.ts'
import type { EchoResult } from '../../../contracts/api/diagnostics.ts'
import { HISTORY_PATHS, HistoryHealthResponse } from '../../../contracts/central/history.ts'
import { IssuanceResponse } from '../../../contracts/central/issuance.ts'
import { OFFER_STATE_PATHS, StateHealthResponse } from '../../../contracts/central/offer-state.ts'
import { CollectorNumber } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import { createIssuanceClient } from '../../central/issuance.ts'
import { jsonOf } from '../../central/json.ts'
import { createOffersClient } from '../../central/offers.ts'
import {
  codeIn,
  failureOf as serviceFailureOf,
  type Failed,
  type Failure,
  type FailureCause,
} from '../../central/service-result.ts'
import type { TokenSource } from '../../central/token.ts'
import type { Answer, CentralCall, Transport } from '../../central/transport.ts'
import { causeOfCode } from './probes.ts'

/** What a call of the check came to. */
export interface Called {
  readonly cause: ConnectionCause | null
  /** A response code, a status, or a system's name of the cause. */
  readonly code: string | null
  /** What to quote to the program's support. */
  readonly trace: string | null
}

export interface ConnectionCallsOptions {
  readonly profile: Profile
  readonly lane: Lane
  readonly transport: Transport
  readonly tokens: TokenSource
  readonly runEcho: () => Promise<EchoResult>
  readonly now: () => number
}

export type ConnectionCalls = ReturnType<typeof createConnectionCalls>

/**
 * Nobody's number: 11 digits that start with 8 (specification 3 §8). CALCULATE asks for one, and an answer that there
 * is no such collector is an answer of the service.
 */
const NOBODY = CollectorNumber.parse('80000000000')
/** Of the sponsor and its locations, not of the collector (specification 3 §7.1). */
const STORE_CODES: ReadonlySet<string> = new Set(['202', '205', '221', '225', '230'])
const READ_TIMEOUT_MS = 8_000

/**
 * The calls of the connection check. Each moves nothing by its specification: a fresh token; ECHO, "like a ping"
 * (3 §4.5); CALCULATE, which "issues nothing" (3 §4.2); GET /offers, a read for the public (1 §1); and the health of
 * the offer states and of the history (2 §4.1, §4.2). RECORD is none of them: it issues no miles, and yet leaves a
 * transaction in the program's books (3 §4.3).
 */
export function createConnectionCalls(options: ConnectionCallsOptions) {
  const { profile, lane, transport, tokens, runEcho, now } = options
  const issuanceClient = createIssuanceClient({ profile, lane, transport })
  /** An answer that took so long makes a customer wait. */
  const slowMs = profile.limits.cashTimeoutMs / 2
  const unlessSlow = (latencyMs: number | null): ConnectionCause | null =>
    latencyMs !== null && latencyMs > slowMs ? 'slow' : null

  const offersClient = createOffersClient({ transport, originClient: profile.program.originClient })

  const read = (call: Omit<CentralCall, 'method' | 'timeoutMs'>): Promise<Answer> =>
    transport.send({ ...call, method: 'GET', timeoutMs: READ_TIMEOUT_MS })

  async function health(
    service: 'offerState' | 'history',
    path: string,
    isHealthy: (body: unknown) => boolean | null,
  ): Promise<Called> {
    const answer = await read({
      service,
      path,
      // The specification lists them for health too (2 §4.1, §4.2); which channels there are is not shown.
      headers: {
        'content-type': 'application/json',
        'channel-code': profile.program.originClient.split(':')[1] ?? 'pos',
        'accept-language': 'EN',
      },
      authenticate: true,
    })
    const failed = failureOf(answer)
    if (failed || answer.kind !== 'answer') return { ...(failed ?? MALFORMED), trace: null }
    const healthy = isHealthy(jsonOf(answer.bytes))
    const code = `HTTP ${answer.status}`
    if (healthy === null) return { cause: 'malformed', code, trace: null }
    return { cause: healthy ? unlessSlow(answer.latencyMs) : 'unhealthy', code, trace: null }
  }

  return {
    /** A token that was not held before: a token of an hour ago proves nothing. */
    async token(): Promise<Called> {
      const held = await tokens.current()
      const token = held.kind === 'token' ? await tokens.renew(held.value) : held
      if (token.kind === 'token') return { cause: null, code: null, trace: null }
      return {
        cause: token.cause === 'refused' ? 'token-refused' : 'token-no-answer',
        code: codeIn(token.reason),
        trace: null,
      }
    },

    async echo(): Promise<Called> {
      const result = await runEcho()
      const code =
        result.responseCode ?? (result.httpStatus === null ? codeIn(result.message) : `HTTP ${result.httpStatus}`)
      const cause =
        result.outcome === 'approved'
          ? unlessSlow(result.latencyMs)
          : result.outcome === 'unreachable'
            ? causeOfCode(code)
            : ECHO_CAUSES[result.outcome]
      return { cause, code, trace: result.traceId }
    },

    async issuance(): Promise<Called> {
      const saleId = `CHECK-${randomUUID()}`
      const answer = await issuanceClient.calculate(
        {
          saleId,
          collectorNumber: NOBODY,
          atMs: now(),
          totals: { subtotalCents: cents(0), taxes: [], totalCents: cents(0) },
          lines: [],
          tenders: [],
          locale: profile.locales.default,
        },
        profile.locales.default,
      )
      const body = answer.kind === 'answer' ? IssuanceResponse.safeParse(jsonOf(answer.bytes)).data : undefined
      const trace = body?.transactionId ?? saleId
      const code = body?.errors?.[0]?.errorCode ?? null
      if (code !== null) return { cause: STORE_CODES.has(code) ? 'store-codes' : null, code, trace }
      const failed = failureOf(answer)
      if (failed) return { ...failed, trace }
      if (answer.kind !== 'answer' || !body) return { ...MALFORMED, trace }
      return { cause: unlessSlow(answer.latencyMs), code: `HTTP ${answer.status}`, trace }
    },

    async offers(): Promise<Called> {
      const listed = await offersClient.list({ region: profile.region, limit: 1 }, { locale: profile.locales.default })
      return listed.kind === 'failed' ? calledOf(listed) : wellUnless(unlessSlow(listed.latencyMs), listed)
    },

    /** `[{healthy, timestamp}]` (specification 2 §2.2). */
    'offer-state': (): Promise<Called> =>
      health('offerState', OFFER_STATE_PATHS.health, (body) => {
        const states = StateHealthResponse.safeParse(body).data
        return states === undefined || states.length === 0 ? null : states.every(({ healthy }) => healthy)
      }),

    /** `{status}`, "up" when healthy (specification 2 §2.2); values are case-insensitive (§1). */
    history: (): Promise<Called> =>
      health('history', HISTORY_PATHS.health, (body) => {
        const status = HistoryHealthResponse.safeParse(body).data?.status
        return status === undefined ? null : status.toLowerCase() === 'up'
      }),
  }
}

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

const calledOf = (failed: Failed): Called => ({
  cause: connectionCauseOf(failed),
  code: failed.code,
  trace: failed.correlationId,
})

const wellUnless = (
  cause: ConnectionCause | null,
  { status, correlationId }: { readonly status: number; readonly correlationId: string | null },
): Called => ({ cause, code: `HTTP ${status}`, trace: correlationId })

/** Why there is no answer that could be read; null where there is one. */
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
} as const satisfies Record<Exclude<FailureCause, 'unreachable'>, ConnectionCause>
