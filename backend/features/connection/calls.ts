import { randomUUID } from 'node:crypto'
import type { ConnectionCause } from '../../../contracts/api/connection.ts'
import type { EchoResult } from '../../../contracts/api/diagnostics.ts'
import { HISTORY_PATHS, HistoryHealthResponse } from '../../../contracts/central/history.ts'
import { IssuanceResponse } from '../../../contracts/central/issuance.ts'
import { OFFER_STATE_PATHS, StateHealthResponse } from '../../../contracts/central/offer-state.ts'
import { OFFER_PATHS } from '../../../contracts/central/offers.ts'
import { CollectorNumber } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import { createIssuanceClient } from '../../central/issuance.ts'
import { jsonOf } from '../../central/json.ts'
import type { TokenSource } from '../../central/token.ts'
import type { Answer, CentralCall, Transport } from '../../central/transport.ts'
import { gatewaySays } from '../../domain/gateway.ts'
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
      const trace = randomUUID()
      const parameters = new URLSearchParams({ region: profile.region, limit: '1', offset: '0' })
      const answer = await read({
        service: 'offers',
        path: `${OFFER_PATHS.list}?${parameters.toString()}`,
        headers: { 'x-origin-client': profile.program.originClient, 'x-correlation-id': trace },
        authenticate: false,
      })
      const failed = failureOf(answer)
      if (failed || answer.kind !== 'answer') return { ...(failed ?? MALFORMED), trace }
      const body = jsonOf(answer.bytes)
      if (typeof body !== 'object' || body === null || !('offers' in body)) return { ...MALFORMED, trace }
      return { cause: unlessSlow(answer.latencyMs), code: `HTTP ${answer.status}`, trace }
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

const NO_TOKEN_CAUSES = {
  refused: 'token-refused',
  unreachable: 'token-no-answer',
  'no-such-call': 'wrong-address',
} as const

/** Why there is no answer that could be read; null where there is one. */
function failureOf(answer: Answer): Omit<Called, 'trace'> | null {
  switch (answer.kind) {
    case 'never-sent': {
      const code = codeIn(answer.reason)
      return { cause: causeOfCode(code), code }
    }
    case 'unknown':
      return { cause: 'timeout', code: codeIn(answer.reason) }
    case 'no-token':
      return { cause: NO_TOKEN_CAUSES[answer.cause], code: codeIn(answer.reason) }
    case 'answer': {
      const cause = causeOfStatus(answer.status)
      return cause === null ? null : { cause, code: `HTTP ${answer.status}` }
    }
  }
}

/** The statuses of the services that are read (specification 1 §7, 2 §7), and of what stands before them. */
function causeOfStatus(status: number): ConnectionCause | null {
  if (status >= 200 && status < 300) return null
  const gateway = gatewaySays(status)
  if (gateway !== null) return gateway === 'outage' ? 'maintenance' : 'timeout'
  if (status === 408) return 'timeout'
  if (status === 401 || status === 403) return 'token-refused'
  if (status === 404 || status === 405 || status === 410) return 'wrong-address'
  if (status >= 500) return 'server-error'
  return status >= 400 ? 'request-refused' : 'malformed'
}

/** A reason that is a name of a system's or of OAuth's: the first of several. A sentence is for the log. */
const codeIn = (reason: string | null): string | null =>
  /^([A-Za-z][A-Za-z0-9_]*)(?:, [A-Za-z0-9_]+)*$/.exec(reason ?? '')?.[1] ?? null
