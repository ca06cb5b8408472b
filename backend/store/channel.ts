import { request } from 'node:https'
import { getCACertificates } from 'node:tls'
import { storableJson } from '../../contracts/store/bounds.ts'
import { StoreRefusal } from '../../contracts/store/protocol.ts'
import { traceparentOf } from '../../contracts/core/trace.ts'
import {
  type LaneCredentials,
  NONCE_HEADER,
  NONCE_REFUSED,
  createProver,
} from '../../packages/delivery/enrolment/proof.ts'
import { outgoingAgent } from '../../packages/delivery/outgoing.ts'
import { spanOf, traceNow } from '../core/trace.ts'
import type { z } from 'zod'
import type { Logger } from '../core/log.ts'
import type { Clock, Rng } from '../core/clock.ts'

/** Result of a request to the store server. Without an answer it is unknown whether the server received the request. */
export type StoreAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown; readonly ms: number }
  | { readonly kind: 'no-answer'; readonly reason: string; readonly isReached?: boolean }

/**
 * Result of a request for which the checkout waits. Without an answer it is unknown whether the server received the
 * request.
 */
export type StoreResult<Answer> =
  | { readonly kind: 'answer'; readonly body: Answer }
  | { readonly kind: 'refused'; readonly why: string; readonly body: unknown }
  | { readonly kind: 'no-answer'; readonly isReached?: boolean }

export interface StoreChannel {
  /**
   * Posts JSON; sends it again only if the server refuses the nonce. Never throws; without an answer by the deadline
   * the server counts as unavailable.
   */
  post(path: string, body: unknown, deadlineMs: number, signal?: AbortSignal): Promise<StoreAnswer>
  trust(ca: string): void
  close(): void
}

export interface StorePlace extends LaneCredentials {
  readonly url: string
  /**
   * Certificate (PEM) of the authority that signs the server's certificate; null when an authority of the operating
   * system does.
   */
  readonly ca: string | null
}

/** Deadline of background requests, in ms. */
export const CALL_MS = 10_000
const MAX_BYTES = 16 * 1024 * 1024
/** Maximum number of connections: a push and a heartbeat take one each, and the checkout needs some too. */
const CONNECTIONS = 8

/**
 * Creates the channel to the store's server, with the lane's proxy and kept-alive connections. A request without a free
 * connection waits within its deadline. A call whose nonce is refused is signed and sent again within the same
 * deadline; `ms` of the answer then measures only the second call.
 */
export function createStoreChannel({ url, ca, ...lane }: StorePlace, connections = CONNECTIONS): StoreChannel {
  const prover = createProver(lane)
  const agent = outgoingAgent({
    keepAlive: true,
    keepAliveMsecs: 5_000,
    maxSockets: connections,
    ca: ca === null ? [...getCACertificates('default'), ...getCACertificates('system')] : [ca],
    allowPartialTrustChain: ca !== null,
    rejectUnauthorized: true,
  })
  const send = (place: URL, text: string, signal: AbortSignal): Promise<StoreAnswer> =>
    new Promise((resolve) => {
      const startedAt = performance.now()
      const path = place.pathname + place.search
      const reportUnavailable = (error: unknown): void => {
        resolve({ kind: 'no-answer', reason: reasonOf(error) })
      }
      const call = request(
        place,
        {
          agent,
          method: 'POST',
          signal,
          headers: {
            ...prover.headers({ method: 'POST', path, body: text }),
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
            ...traced(path),
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          let length = 0
          prover.take(response.headers[NONCE_HEADER])
          response.on('data', (chunk: Buffer) => {
            length += chunk.byteLength
            if (length > MAX_BYTES) call.destroy(new Error('the response is too large'))
            else chunks.push(chunk)
          })
          response.on('error', reportUnavailable)
          response.on('end', () => {
            if (!response.complete)
              return reportUnavailable(new Error('the connection closed before the end of the response'))
            resolve({
              kind: 'answer',
              status: response.statusCode ?? 0,
              body: parsed(Buffer.concat(chunks)),
              ms: performance.now() - startedAt,
            })
          })
        },
      )
      call.on('error', reportUnavailable)
      call.end(text)
    })
  return {
    async post(path, body, deadlineMs, signal) {
      const deadline = AbortSignal.timeout(deadlineMs)
      const ending = signal ? AbortSignal.any([signal, deadline]) : deadline
      const [place, text] = [new URL(path, url), storableJson(body)]
      const first = await send(place, text, ending)
      if (!isNonceRefused(first)) return first
      const second = await send(place, text, ending)
      if (second.kind === 'no-answer') return { ...second, isReached: true }
      // A second refused nonce counts as no answer: servers behind one address then disagree on the time.
      return isNonceRefused(second) ? { kind: 'no-answer', reason: NONCE_REFUSED, isReached: true } : second
    },
    trust(pins) {
      agent.options.ca = [pins]
    },
    close: () => {
      agent.destroy()
    },
  }
}

const isNonceRefused = (answer: StoreAnswer): boolean =>
  answer.kind === 'answer' &&
  answer.status === 401 &&
  StoreRefusal.safeParse(answer.body).data?.refused === NONCE_REFUSED

/** The trace of the window's command, so that the server's log has it too. */
function traced(path: string): { traceparent?: string } {
  const trace = traceNow()
  return trace === null ? {} : { traceparent: traceparentOf(trace, spanOf(trace, path)) }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** Parses the answer to a request by its schema; `ms` is how long the request took. */
export const createReadAnswer =
  (log: Pick<Logger, 'warn'>) =>
  <T>(path: string, answer: StoreAnswer, schema: z.ZodType<T>): StoreResult<T> & { ms?: number } => {
    if (answer.kind === 'no-answer') return { kind: 'no-answer', isReached: answer.isReached === true }
    if (answer.status !== 200) {
      const refusal = StoreRefusal.safeParse(answer.body)
      // A busy server, or another program at its address, counts as unavailable and not as refusing.
      if (!refusal.success || answer.status >= 500 || answer.status === 429) return { kind: 'no-answer' }
      return { kind: 'refused', why: refusal.data.refused, body: answer.body }
    }
    const parsed = schema.safeParse(answer.body)
    if (parsed.success) return { kind: 'answer', body: parsed.data, ms: answer.ms }
    log.warn({ path }, 'the answer of the store cannot be parsed')
    return { kind: 'no-answer' }
  }

const FIRST_MS = 500
const LONGEST_MS = 10_000

/** Random exponential wait between tries, so that thirty lanes do not retry at once. */
export function createBackOff({ clock, rng }: { clock: Pick<Clock, 'after'>; rng: Pick<Rng, 'fraction'> }) {
  let tries = 0
  return {
    reset: (): void => {
      tries = 0
    },
    wait(signal: AbortSignal): Promise<void> {
      const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries)
      tries += 1
      return pause(clock, Math.max(50, most * rng.fraction()), signal)
    },
  }
}

export function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
