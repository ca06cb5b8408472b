import { z } from 'zod'
import { gatewayState, jsonOf } from './wire.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import type { Answer, CentralCall, CentralService, Transport } from './transport.ts'
import type { Clock } from '../clock.ts'

/**
 * Why a call of the offers, offer-state or history service failed:
 * - `unreachable`: no byte left the lane. `timeout`: no answer in time, 408, 502 or 504; a write may have arrived.
 * - `refused`: the token is rejected (401, 403), or the lane gets none. `token-unreachable`: no token service answers.
 * - `not-found`: 404, 405, 410, a record or an address. `bad-request`: another 4xx.
 * - `maintenance`: 503, or 425 and 429: no calls accepted now. `server-error`: another 5xx.
 * - `malformed`: not an answer of this service.
 * - `collector-refused`: the account is not active, or the number is invalid (specification 2 §7).
 * - `breaker-open`: the circuit breaker sent no call.
 */
export type FailureCause =
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'token-unreachable'
  | 'not-found'
  | 'bad-request'
  | 'maintenance'
  | 'server-error'
  | 'malformed'
  | 'collector-refused'
  | 'breaker-open'

export interface Failure {
  readonly cause: FailureCause
  readonly code: string | null
}

export interface Failed extends Failure {
  readonly kind: 'failed'
  /** The service's own error code, e.g. `err-expired` (specification 1 §7); null when it sends none. */
  readonly errorCode: string | null
  readonly correlationId: string | null
}

export type ServiceResult<Body> =
  | {
      readonly kind: 'ok'
      readonly body: Body
      readonly status: number
      /** Id by which the program's support finds the call; null when neither the answer nor the call has one. */
      readonly correlationId: string | null
      readonly latencyMs: number
    }
  | Failed

/** Whether a refusal means that a member's token is no longer valid (401). After 403 the member is still signed in. */
export const isTokenRefused = ({ cause, code }: Failure): boolean => cause === 'refused' && code !== 'HTTP 403'

export interface CallTiming {
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export const READ_TIMEOUT_MS = 8_000

/** Services of specifications 1 and 2. Calls that move miles follow specification 3 and do not use this module. */
export type ReadService = Extract<CentralService, 'offers' | 'offerState' | 'history'>

/**
 * Sends a call once and parses its answer. `read` gets the status and the JSON body of a 2xx answer (undefined if
 * invalid); it returns undefined when the answer is not of this service. `breaker` is for reads. Never throws.
 */
export async function callService<Body>(
  transport: Transport,
  call: CentralCall & { readonly service: ReadService },
  read: (json: unknown, status: number) => Body | undefined,
  breaker?: Breaker,
): Promise<ServiceResult<Body>> {
  if (breaker && !breaker.admits())
    return { kind: 'failed', cause: 'breaker-open', code: null, errorCode: null, correlationId: null }
  const result = await attempt(transport, call, read)
  if (call.signal?.aborted !== true) breaker?.record(result.kind === 'ok' || !UNAVAILABLE.has(result.cause))
  return result
}

/** A successful change is answered by 204 (specification 1 §4.4, 2 §7); any other answer comes from an intermediary. */
export const parseNoContent = (_json: unknown, status: number): null | undefined => (status === 204 ? null : undefined)

/**
 * Failures that mean that the service is unavailable. A refusal of the token or the request is not one, because the
 * service answered.
 */
const UNAVAILABLE: ReadonlySet<FailureCause> = new Set(['unreachable', 'timeout', 'maintenance', 'server-error'])

async function attempt<Body>(
  transport: Transport,
  call: CentralCall,
  read: (json: unknown, status: number) => Body | undefined,
): Promise<ServiceResult<Body>> {
  const answer = await transport.send(call)
  const correlationId = correlationOf(call, answer)
  const failure = failureOf(answer)
  if (failure || answer.kind !== 'answer')
    return { kind: 'failed', ...(failure ?? MALFORMED), errorCode: errorCodeOf(answer), correlationId }
  const { status, latencyMs } = answer
  const body = read(jsonOf(answer.bytes), status)
  return body === undefined
    ? { kind: 'failed', cause: 'malformed', code: `HTTP ${status}`, errorCode: null, correlationId }
    : { kind: 'ok', body, status, correlationId, latencyMs }
}

const MALFORMED = { cause: 'malformed', code: null } as const

/**
 * Returns the answer's correlation id, by which the program's support finds the call in its logs; without one, the id
 * that the call sent.
 */
function correlationOf(call: CentralCall, answer: Answer): string | null {
  const header = answer.kind === 'answer' ? answer.headers.get('x-correlation-id') : null
  return (header !== null && TRACE.test(header) ? header : call.headers?.['x-correlation-id']) ?? null
}

/** The specification requires a UUID as correlation id, but services deviate, so any printable text is accepted. */
const TRACE = /^[\x21-\x7e]{1,64}$/

const Named = z.object({ errors: z.array(z.object({ errorCode: z.string().regex(/^[\w-]{1,64}$/) })).min(1) })

/** The form of an error body is not specified (specification 1 §7, 2 §7), so the form of specification 3 is assumed. */
const errorCodeOf = (answer: Answer): string | null =>
  (answer.kind === 'answer' ? Named.safeParse(jsonOf(answer.bytes)).data?.errors[0]?.errorCode : undefined) ?? null

const NO_TOKEN_CAUSES = {
  refused: 'refused',
  unreachable: 'token-unreachable',
} as const satisfies Record<string, FailureCause>

export function failureOf(answer: Answer): Failure | null {
  switch (answer.kind) {
    case 'never-sent':
      return { cause: 'unreachable', code: codeIn(answer.reason) }
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

function causeOfStatus(status: number): FailureCause | null {
  if (status >= 200 && status < 300) return null
  const gateway = gatewayState(status)
  if (gateway !== null) return gateway === 'outage' ? 'maintenance' : 'timeout'
  if (status === 408) return 'timeout'
  if (status === 425 || status === 429) return 'maintenance'
  if (status === 401 || status === 403) return 'refused'
  if (status === 404 || status === 405 || status === 410) return 'not-found'
  if (status >= 500) return 'server-error'
  return status >= 400 ? 'bad-request' : 'malformed'
}

/**
 * Returns the first error name, such as ECONNREFUSED or invalid_client, in the reason of a failure; null for a
 * sentence, which only the log contains.
 */
export const codeIn = (reason: string | null): string | null =>
  /^([A-Za-z][A-Za-z0-9_]*)(?:, [A-Za-z0-9_]+)*$/.exec(reason ?? '')?.[1] ?? null

export interface Breakers {
  of(service: ReadService): Breaker
  isOpen(service: ReadService): boolean
}

export function createBreakers(clock: Pick<Clock, 'monotonic'>): Breakers {
  const made: { readonly service: ReadService; readonly breaker: Breaker }[] = []
  return {
    of(service) {
      const breaker = createBreaker(clock)
      made.push({ service, breaker })
      return breaker
    },
    isOpen: (wanted) => made.some(({ service, breaker }) => service === wanted && breaker.isOpen),
  }
}
