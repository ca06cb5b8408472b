import * as oidc from 'openid-client'
import { type Clock, type Rng, systemRng } from '../clock.ts'
import type { Logger } from '../log.ts'
import { waitAfterRetryAfter, fullJitter, retryAfterIn } from './waits.ts'

export type NoTokenCause = 'refused' | 'unreachable'
export type Token =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'failed'; readonly cause: NoTokenCause; readonly reason: string }

export interface TokenSource {
  /**
   * Returns a valid token; requests a new one when none is cached or it is about to expire. After failures it fails at
   * once during the backoff, unless `now` is given, for calls for which a person waits.
   */
  current(urgency?: 'now'): Promise<Token>
  renew(refused: string): Promise<Token>
}

/** Requests one token from the identity provider; throws on failure. */
export type Grant = () => Promise<{ readonly value: string; readonly expiresInSeconds: number | undefined }>

/**
 * OAuth 2.0 client credentials at the configured token endpoint (an assumption: specification 3 §5 shows no flow). The
 * client secret is sent by HTTP Basic, as RFC 6749 §2.3.1 recommends.
 */
export function clientCredentials(options: {
  tokenUrl: string
  clientId: string
  clientSecret: string
  scope?: string | undefined
  timeoutMs: number
}): Grant {
  const { tokenUrl, scope } = options
  const configuration = providerOf({ issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }, options)
  return async () => {
    const grant = await oidc.clientCredentialsGrant(configuration, scope ? { scope } : {})
    // A token that a header cannot contain is rejected here: a call with it would fail as if it might have been sent.
    if (!IN_A_HEADER.test(grant.access_token))
      throw new Error('the token service returned a token that no header can carry')
    return { value: grant.access_token, expiresInSeconds: grant.expires_in }
  }
}

/**
 * Client configuration of the identity provider: limits its answers in time and size. `signal` aborts when the answer
 * is no longer needed.
 */
export function providerOf(
  server: oidc.ServerMetadata & { readonly token_endpoint: string },
  client: { readonly clientId: string; readonly clientSecret: string; readonly timeoutMs: number },
  signal?: AbortSignal,
): oidc.Configuration {
  const { clientId, clientSecret, timeoutMs } = client
  const configuration = new oidc.Configuration(server, clientId, {}, oidc.ClientSecretBasic(clientSecret))
  configuration.timeout = Math.ceil(timeoutMs / 1000)
  configuration[oidc.customFetch] = (url, init) => boundedFetch(url, endedBy(init as RequestInit, signal))
  if (server.token_endpoint.startsWith('http:')) oidc.allowInsecureRequests(configuration)
  return configuration
}

/** Characters that a header can carry. RFC 6750 §2.1 allows fewer in a token, but a service may accept more. */
export const IN_A_HEADER = /^[\x21-\x7e]+$/

const endedBy = (init: RequestInit, signal: AbortSignal | undefined): RequestInit =>
  signal && init.signal ? { ...init, signal: AbortSignal.any([init.signal, signal]) } : init

/** Maximum size of a token answer in bytes; a token has a few hundred characters. */
const MAX_BYTES = 64 * 1024

/**
 * Reads the whole answer of the token service within the size limit. The library's request deadline covers the body as
 * well.
 */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.byteLength
    if (length > MAX_BYTES) throw new Error(`the token service's answer is larger than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}

/** Statuses that do not mean that the lane's secret is wrong: a timeout and "too many requests". */
const TRY_LATER = new Set([408, 429])

function causeOf(error: unknown): NoTokenCause {
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 && !TRY_LATER.has(status) ? 'refused' : 'unreachable'
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError)
    return error.status
  return error instanceof Error && error.cause instanceof Response ? error.cause.status : undefined
}

function askedOf(error: unknown): number | null {
  const response =
    error instanceof oidc.ResponseBodyError
      ? error.response
      : error instanceof Error && error.cause instanceof Response
        ? error.cause
        : undefined
  return response === undefined ? null : retryAfterIn(response, Date.now())
}

export interface TokenSourceOptions {
  readonly grant: Grant
  readonly clock: Pick<Clock, 'monotonic'>
  readonly rng?: Pick<Rng, 'fraction'>
  readonly log: Logger
  readonly onSecret?: (refused: boolean) => void
}

/** Caches the token in memory. Callers that need a token at the same time share one request. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { grant, clock, rng = systemRng, log, onSecret } = options
  let lease = NO_TOKEN_YET
  let held = ''
  let failed: Token = { kind: 'failed', cause: 'unreachable', reason: 'no token yet' }
  let asking: Promise<Token> | null = null

  async function ask(): Promise<Token> {
    try {
      const { value, expiresInSeconds } = await grant()
      held = value
      lease = granted(clock.monotonic(), expiresInSeconds, rng.fraction())
      onSecret?.(false)
      return { kind: 'token', value }
    } catch (error) {
      // When our size limit or the network ended the answer, only the underlying error explains it.
      const underlying = error instanceof Error && error.cause instanceof Error ? error.cause : error
      const reason = underlying instanceof Error ? underlying.message : String(underlying)
      const cause = causeOf(error)
      log.warn({ reason, cause }, 'the identity provider returned no token')
      if (cause === 'refused') onSecret?.(true)
      lease = notGranted(lease, clock.monotonic(), rng.fraction(), askedOf(error))
      failed = { kind: 'failed', cause, reason }
      return failed
    }
  }

  function requestOnce(): Promise<Token> {
    asking ??= ask().finally(() => {
      asking = null
    })
    return asking
  }

  return {
    async current(urgency) {
      const now = clock.monotonic()
      const isThere = isHeld(lease, now)
      const asked = isRenewalDue(lease, now) || (!isThere && urgency === 'now') ? requestOnce() : asking
      if (isThere) return { kind: 'token', value: held }
      return asked ?? failed
    },
    async renew(refused) {
      if (held === refused) lease = refusedToken(lease)
      return this.current()
    },
  }
}

/**
 * Decides when a lane requests a token. Pure; times are monotonic, in ms, because setting the clock must not extend a
 * token. `fraction` is a random number in [0, 1).
 */
export interface TokenLease {
  /** When the current token stops being used; -Infinity without a token. */
  readonly expiresAt: number
  readonly renewAt: number
  readonly failures: number
  /** End of the wait after failures; until then a caller without a valid token fails at once. */
  readonly askAt: number
}

/** Time before the expiry of a token, in ms, at which it is no longer used, so that it does not expire in transit. */
const EARLY_MS = 5_000
const UNSAID_SECONDS = 60
/**
 * Share of a token's lifetime from which a new one is requested. The exact time is random, so that lanes that got
 * tokens together do not renew them together.
 */
const RENEW_FROM = 0.5
const RENEW_UNTIL = 0.9
/** Maximum backoff in ms. Ten thousand lanes in backoff then send about 200 requests per second. */
const BACKOFF = { baseMs: 1_000, capMs: 90_000 } as const
/** Number of failures in a row that are retried without a pause, because brief errors are common. */
const FREE_FAILURES = 2

export const NO_TOKEN_YET: TokenLease = {
  expiresAt: -Infinity,
  renewAt: -Infinity,
  failures: 0,
  askAt: -Infinity,
}

export const isHeld = ({ expiresAt }: TokenLease, now: number): boolean => now < expiresAt

/** Whether to request a token now: the current one is missing, has expired, or is due for renewal. */
export const isRenewalDue = ({ renewAt, askAt }: TokenLease, now: number): boolean => now >= renewAt && now >= askAt

export function granted(now: number, expiresInSeconds: number | undefined, fraction: number): TokenLease {
  const lifeMs = (expiresInSeconds ?? UNSAID_SECONDS) * 1_000
  const renewAt = now + lifeMs * (RENEW_FROM + (RENEW_UNTIL - RENEW_FROM) * fraction)
  return {
    expiresAt: now + lifeMs - EARLY_MS,
    renewAt: Math.min(renewAt, now + lifeMs - EARLY_MS),
    failures: 0,
    askAt: -Infinity,
  }
}

/** Records a failed request for a token. `retryAfterMs`: wait that the token service asked for. */
export function notGranted(lease: TokenLease, now: number, fraction: number, retryAfterMs: number | null): TokenLease {
  const failures = lease.failures + 1
  const ownMs = failures <= FREE_FAILURES ? 0 : fullJitter(BACKOFF, failures, fraction)
  return { ...lease, failures, askAt: now + ownMs + waitAfterRetryAfter(retryAfterMs, fraction) }
}

/** Drops a token that a service refused; the next token is requested at once. */
export const refusedToken = (lease: TokenLease): TokenLease => ({ ...lease, expiresAt: -Infinity, renewAt: -Infinity })
