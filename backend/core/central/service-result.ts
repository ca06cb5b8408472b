import { z } from 'zod'
import { gatewaySays, jsonOf } from './wire.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import type { Answer, CentralCall, CentralService, Transport } from './transport.ts'
import type { Clock } from '../clock.ts'

/**
 * Why a call of the offers, offer-state or history service came to nothing:
 * - `unreachable`: no byte left the lane. `timeout`: nobody answered in time, and a write may have arrived.
 * - `refused`: this token is not taken (401, 403), or the lane gets none. `token-unreachable`: nobody gives one now.
 * - `not-found`: 404, 405, 410, a record or an address. `bad-request`: another 4xx.
 * - `maintenance`: 503, or 425 and 429: no call is taken now. `server-error`: another 5xx.
 * - `malformed`: an answer that is none of this service.
 * - `collector-refused`: the account is not active, or the number is none (specification 2 §7).
 * - `breaker-open`: the service did not answer the last times, and is not asked for some seconds.
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
  /** An HTTP status, or a system's own name of the cause, which is of no language: `HTTP 503`, `ECONNREFUSED`. */
  readonly code: string | null
}

export interface Failed extends Failure {
  readonly kind: 'failed'
  /** What the service itself calls it, e.g. `err-expired` (specification 1 §7); null where it says nothing. */
  readonly errorCode: string | null
  readonly correlationId: string | null
}

/** What a call came to: a body that was read, or a cause by its name. */
export type ServiceResult<Body> =
  | {
      readonly kind: 'ok'
      readonly body: Body
      readonly status: number
      /** What to quote to the program's support; null from a service that has no such header. */
      readonly correlationId: string | null
      readonly latencyMs: number
    }
  | Failed

/** Whether a member's token is of no use any more. Who is forbidden one thing (403) is signed in all the same. */
export const isTokenRefused = ({ cause, code }: Failure): boolean => cause === 'refused' && code !== 'HTTP 403'

/** What one attempt asks of a service: how long a person or a job waits for it. */
export interface CallTiming {
  readonly timeoutMs?: number | undefined
  /** Aborted when nobody waits any more: the call comes to a `timeout` at once. */
  readonly signal?: AbortSignal | undefined
}

/** How long a read may take where nobody says. */
export const READ_TIMEOUT_MS = 8_000

/** The services of specifications 1 and 2. What moves miles does not go this way: its rules are specification 3's. */
export type ReadService = Extract<CentralService, 'offers' | 'offerState' | 'history'>

/**
 * Sends a call once and reads its answer. `read` is given the JSON of an answer with a good status, undefined where it
 * is none, and the status, and answers undefined for what is no answer of this service. `breaker`: for reads. Never
 * throws.
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
  // Whoever gave up has heard nothing of the service.
  if (call.signal?.aborted !== true) breaker?.heard(result.kind === 'ok' || !AWAY.has(result.cause))
  return result
}

/** A change that was made is answered by 204 (specification 1 §4.4, 2 §7): what something on the way says is not. */
export const nothingRead = (_json: unknown, status: number): null | undefined => (status === 204 ? null : undefined)

/** What says that the service is not there; a refusal is an answer. */
const AWAY: ReadonlySet<FailureCause> = new Set(['unreachable', 'timeout', 'maintenance', 'server-error'])

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

/** The answer's own, which support finds in its logs; what was sent where there is no answer. */
function correlationOf(call: CentralCall, answer: Answer): string | null {
  const told = answer.kind === 'answer' ? answer.headers.get('x-correlation-id') : null
  return (told !== null && TRACE.test(told) ? told : call.headers?.['x-correlation-id']) ?? null
}

/** What a person can read out. A UUID by the specification; services have their own. */
const TRACE = /^[\x21-\x7e]{1,64}$/

const Named = z.object({ errors: z.array(z.object({ errorCode: z.string().regex(/^[\w-]{1,64}$/) })).min(1) })

/** The shape of an error's body is not shown (specification 1 §7, 2 §7): read where it is as in specification 3. */
const errorCodeOf = (answer: Answer): string | null =>
  (answer.kind === 'answer' ? Named.safeParse(jsonOf(answer.bytes)).data?.errors[0]?.errorCode : undefined) ?? null

const NO_TOKEN_CAUSES = {
  refused: 'refused',
  unreachable: 'token-unreachable',
} as const satisfies Record<string, FailureCause>

/** Why there is no answer that could be read; null where there is one. */
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

/** The statuses of the services that are read (specification 1 §7, 2 §7), and of what stands before them. */
function causeOfStatus(status: number): FailureCause | null {
  if (status >= 200 && status < 300) return null
  const gateway = gatewaySays(status)
  if (gateway !== null) return gateway === 'outage' ? 'maintenance' : 'timeout'
  if (status === 408) return 'timeout'
  if (status === 425 || status === 429) return 'maintenance'
  if (status === 401 || status === 403) return 'refused'
  if (status === 404 || status === 405 || status === 410) return 'not-found'
  if (status >= 500) return 'server-error'
  return status >= 400 ? 'bad-request' : 'malformed'
}

/** A reason that is a name of a system's or of OAuth's: the first of several. A sentence is for the log. */
export const codeIn = (reason: string | null): string | null =>
  /^([A-Za-z][A-Za-z0-9_]*)(?:, [A-Za-z0-9_]+)*$/.exec(reason ?? '')?.[1] ?? null

/** The breakers of a lane: each reader of a service has its own. */
export interface Breakers {
  of(service: ReadService): Breaker
  /** Whether any reader of the service has found it away. */
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
