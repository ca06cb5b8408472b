import type { IncomingHttpHeaders } from 'node:http'
import { createGunzip } from 'node:zlib'
import { request, type Dispatcher } from 'undici'
import { traceparentOf, type TraceId } from '../../../contracts/core/trace.ts'
import type { Logger } from '../log.ts'
import { spanOf, traceNow } from '../trace.ts'
import { namesCode } from './wire.ts'
import type { NoTokenCause, TokenSource } from './token.ts'

export type CentralService = 'cash' | 'issuance' | 'offers' | 'offerState' | 'history'
export type ServiceAddresses = Readonly<
  Record<'cash' | 'issuance' | 'offers', string> & Partial<Record<'offerState' | 'history', string | undefined>>
>

export interface CentralCall {
  readonly service: CentralService
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Exact bytes of the body. A call that is sent again uses the stored bytes, which are never serialised again. */
  readonly body?: Uint8Array<ArrayBuffer>
  readonly timeoutMs: number
  readonly authenticate: boolean
  /**
   * Whether to request a fresh token before sending, because the identical call was refused before without a response
   * code.
   */
  readonly renewToken?: boolean
  /** Trace of the call; default: the current trace, if any. */
  readonly trace?: TraceId
  /**
   * Token of a signed-in member, used instead of the lane's. The transport does not renew it: the component that passed
   * it drops it after a 401.
   */
  readonly memberToken?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Result of one call. `never-sent`: certainly no byte left this machine (name lookup or connection refused). `unknown`:
 * the call may have arrived. `no-token`: the lane has no token that the service accepts, so the call had no effect. The
 * caller interprets the status and bytes of an answer.
 */
export type Answer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Headers
      readonly bytes: Uint8Array
      readonly latencyMs: number
      readonly requestHeaders: Record<string, string>
    }
  | { readonly kind: 'never-sent'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'no-token'; readonly cause: NoTokenCause; readonly reason: string }

export interface Transport {
  /**
   * Sends the call once. Never throws and never retries, except once with a fresh token after a refused one
   * (specification 3 §7.2, last row).
   */
  send(call: CentralCall): Promise<Answer>
}

export type Exchange = (call: CentralCall, token: string | null) => Promise<Answer>

export interface TransportOptions {
  readonly exchange: Exchange
  readonly tokens: TokenSource
  /** Services that accept the header `traceparent`; default: none, because no specification names it. */
  readonly traceparent?: readonly CentralService[]
  readonly log: Logger
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export function createHttpExchange(endpoints: ServiceAddresses): Exchange {
  return async (call, token) => {
    const { body } = call
    const address = endpoints[call.service]
    if (address === undefined) return { kind: 'never-sent', reason: `no address of ${call.service} is configured` }
    const headers: Record<string, string> = {
      'accept-encoding': 'gzip',
      ...call.headers,
      ...(body ? { 'content-length': String(body.byteLength) } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    }
    const startedAt = performance.now()
    // One deadline covers connecting, waiting and reading; when it passes, the socket is closed before the promise
    // resolves. The timer is cleared at the end of the exchange, because a pending timer would retain request and
    // answer in memory.
    const ending = new AbortController()
    const deadline = ending.signal
    const end = (): void => {
      ending.abort()
    }
    const timer = setTimeout(end, call.timeoutMs)
    if (call.signal?.aborted) end()
    call.signal?.addEventListener('abort', end, { once: true })
    try {
      // `fetch` is not used: it adds Accept-Language, which specification 1 §4.4 does not have, and retries by itself
      // after 421. Only the journal decides how often a redemption is sent.
      const response = await request(address.replace(/\/$/, '') + call.path, {
        method: call.method,
        headers,
        ...(body ? { body } : {}),
        signal: deadline,
      })
      const bytes = await readBounded(unpacked(response))
      return {
        kind: 'answer',
        status: response.statusCode,
        headers: headersOf(response.headers),
        bytes,
        latencyMs: performance.now() - startedAt,
        requestHeaders: { ...headers, ...(token ? { authorization: 'Bearer •••' } : {}) },
      }
    } catch (error) {
      if (call.signal?.aborted) return { kind: 'unknown', reason: 'called off' }
      return deadline.aborted ? { kind: 'unknown', reason: `no answer within ${call.timeoutMs} ms` } : failureOf(error)
    } finally {
      clearTimeout(timer)
      call.signal?.removeEventListener('abort', end)
    }
  }
}

export function createTransport({ exchange, tokens, traceparent = [], log }: TransportOptions): Transport {
  /** The header `traceparent` depends only on the call, so that a repeated call has the same one. */
  function traced(call: CentralCall): CentralCall {
    const trace = call.trace ?? traceNow()
    if (trace === null) return call
    if (!traceparent.includes(call.service)) return { ...call, trace }
    const header = traceparentOf(trace, spanOf(trace, pathOf(call)))
    return { ...call, trace, headers: { ...call.headers, traceparent: header } }
  }

  async function send(call: CentralCall): Promise<Answer> {
    if (call.memberToken !== undefined) return exchange(call, call.memberToken)
    if (!call.authenticate) return exchange(call, null)
    const held = await tokens.current()
    const token = held.kind === 'token' && call.renewToken === true ? await tokens.renew(held.value) : held
    if (token.kind === 'failed') return { kind: 'no-token', cause: token.cause, reason: token.reason }
    const first = await exchange(call, token.value)
    if (!isTokenRefusal(call, first)) return first
    if (call.renewToken === true) return REFUSED
    // The service refused the token without reading the body. The same bytes are sent again with a fresh token, which
    // does not count as the one retry.
    log.info({ path: pathOf(call) }, 'token refused, asking for a fresh one')
    const fresh = await tokens.renew(token.value)
    if (fresh.kind === 'failed') return { kind: 'no-token', cause: fresh.cause, reason: fresh.reason }
    const second = await exchange(call, fresh.value)
    return isTokenRefusal(call, second) ? REFUSED : second
  }

  return {
    async send(given) {
      const call = traced(given)
      const answer = await send(call)
      log[given.trace === undefined ? 'debug' : 'info'](factsOf(call, answer), 'called the program')
      return answer
    },
  }
}

/**
 * Path of the call for the log, without its query, which contains a collector number for the history service
 * (specification 2 §4.2).
 */
const pathOf = ({ path }: CentralCall): string => path.split('?')[0] ?? ''

function factsOf(call: CentralCall, answer: Answer): object {
  const correlationId = call.headers?.['x-correlation-id']
  return {
    service: call.service,
    path: pathOf(call),
    outcome: answer.kind,
    ...(answer.kind === 'answer' ? { status: answer.status, latencyMs: Math.round(answer.latencyMs) } : {}),
    ...(call.trace === undefined ? {} : { trace: call.trace }),
    ...(correlationId === undefined ? {} : { correlationId }),
  }
}

const REFUSED: Answer = { kind: 'no-token', cause: 'refused', reason: 'the service refuses a fresh token' }

/**
 * "A missing or invalid token yields no response code and no status code in the tables" (specification 3 §5): 401 or
 * 403 without a code is a refusal of the token. Any other status without a code may come from a service that processed
 * the call. For the services of specifications 1 and 2 only 401 is about the token (specification 1 §7, 2 §7).
 */
function isTokenRefusal({ service }: CentralCall, answer: Answer): boolean {
  if (answer.kind !== 'answer') return false
  const reads = service === 'offers' || service === 'offerState' || service === 'history'
  if (answer.status !== 401 && (reads || answer.status !== 403)) return false
  return !namesCode(service === 'cash' ? 'responseCode' : 'any', answer.bytes)
}

/** Unpacks gzip (RFC 9110 §8.4), the only coding that the request accepts. */
function unpacked({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Uint8Array> {
  const coding = headers['content-encoding']
  if (coding === undefined || coding === 'identity') return body
  if (coding !== 'gzip') throw new Error(`the answer has a content coding that was not requested: ${String(coding)}`)
  return body.compose(createGunzip())
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer exceeds the size limit')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function headersOf(received: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(received))
    for (const value of [values ?? []].flat()) headers.append(name, value)
  return headers
}

/** Codes of errors that prove that no byte of the request left this machine: no connection, or no valid certificate. */
const NEVER_SENT = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Error code when the proxy opened no tunnel to the service.
  'ERR_PROXY_TUNNEL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])
/**
 * Codes that prove this only if they occur while connecting: an open connection can fail with the same code after the
 * request was sent.
 */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

export function failureOf(error: unknown): Answer {
  const causes = causesOf(error)
  const neverSent =
    causes.length > 0 &&
    causes.every(({ code, syscall }) => NEVER_SENT.has(code) || (syscall === 'connect' && NEVER_CONNECTED.has(code)))
  const reason = causes.map(({ code }) => code).join(', ') || (error instanceof Error ? error.message : String(error))
  return neverSent ? { kind: 'never-sent', reason } : { kind: 'unknown', reason }
}

/**
 * Collects the causes of an error: of `cause`, and of AggregateError with one error per address. A call counts as never
 * sent only if all of them agree.
 */
function causesOf(error: unknown, depth = 0): { code: string; syscall: unknown }[] {
  if (!(error instanceof Error) || depth > 5) return []
  if (error instanceof AggregateError) return error.errors.flatMap((inner) => causesOf(inner, depth + 1))
  if ('code' in error && typeof error.code === 'string')
    return [{ code: error.code, syscall: 'syscall' in error ? error.syscall : undefined }]
  return causesOf(error.cause, depth + 1)
}
