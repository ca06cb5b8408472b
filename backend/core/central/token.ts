import * as oidc from 'openid-client'
import { type Clock, type Rng, systemRng } from '../clock.ts'
import type { Logger } from '../log.ts'
import { afterAsked, fullJitter, retryAfterIn } from './waits.ts'

/**
 * Why there is no token: `refused` when the identity provider answered that this lane gets none, `unreachable` when
 * nobody gave an answer that says so.
 */
export type NoTokenCause = 'refused' | 'unreachable'
export type Token =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'failed'; readonly cause: NoTokenCause; readonly reason: string }

export interface TokenSource {
  /**
   * A token that is believed to be valid; asks for one when there is none or it is about to expire. While none is given
   * it asks with growing pauses, and says at once that there is none; `now`: a person waits, and it asks in any case.
   */
  current(urgency?: 'now'): Promise<Token>
  /** A token other than the one that a service has just refused. */
  renew(refused: string): Promise<Token>
}

/** Asks the identity provider for one fresh token; throws when there is none to be had. */
export type Grant = () => Promise<{ readonly value: string; readonly expiresInSeconds: number | undefined }>

/**
 * OAuth 2.0 client credentials at the configured token endpoint (an assumption: specification 3 §5 shows no flow).
 * The client secret goes as HTTP Basic, as RFC 6749 §2.3.1 recommends.
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
    // Put into a call it would fail there, and look like one that may have been sent.
    if (!IN_A_HEADER.test(grant.access_token))
      throw new Error('the token service gave a token that no header can carry')
    return { value: grant.access_token, expiresInSeconds: grant.expires_in }
  }
}

/**
 * The identity provider, as this lane's client asks it: answers are bounded in time and size. `signal`: aborted when
 * nobody waits for an answer any more.
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

/** RFC 6750 §2.1 allows less; a service may read more. */
export const IN_A_HEADER = /^[\x21-\x7e]+$/

const endedBy = (init: RequestInit, signal: AbortSignal | undefined): RequestInit =>
  signal && init.signal ? { ...init, signal: AbortSignal.any([init.signal, signal]) } : init

/** A token is a few hundred letters; what is longer is none. */
const MOST_BYTES = 64 * 1024

/**
 * Reads the answer to its end within the bound. The deadline of the request is the library's, and holds over the whole
 * answer.
 */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body) {
    length += part.byteLength
    // Leaving the loop ends the connection.
    if (length > MOST_BYTES) throw new Error(`the token service's answer is larger than ${MOST_BYTES} bytes`)
    parts.push(part)
  }
  return new Response(Buffer.concat(parts), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}

/** A time-out or "too many requests" says nothing about the lane's secret. */
const TRY_LATER = new Set([408, 429])

function causeOf(error: unknown): NoTokenCause {
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 && !TRY_LATER.has(status) ? 'refused' : 'unreachable'
}

/** The HTTP status that a failed grant came with; undefined when nobody answered. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError)
    return error.status
  return error instanceof Error && error.cause instanceof Response ? error.cause.status : undefined
}

/** How long a token service asked to be left alone, in ms; null where it did not. */
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
  /** Left out: the system's. */
  readonly rng?: Pick<Rng, 'fraction'>
  readonly log: Logger
  /** Hears of each answer of the identity provider whether it refused the lane's secret. */
  readonly onSecret?: (refused: boolean) => void
}

/**
 * One request at a time: callers that arrive while a token is being asked for share its answer. Tokens live in memory
 * only.
 */
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
      // The library's own words say nothing where it was our bound or the network that ended the answer.
      const said = error instanceof Error && error.cause instanceof Error ? error.cause : error
      const reason = said instanceof Error ? said.message : String(said)
      const cause = causeOf(error)
      log.warn({ reason, cause }, 'no token from the identity provider')
      if (cause === 'refused') onSecret?.(true)
      lease = notGranted(lease, clock.monotonic(), rng.fraction(), askedOf(error))
      failed = { kind: 'failed', cause, reason }
      return failed
    }
  }

  function askOnce(): Promise<Token> {
    asking ??= ask().finally(() => {
      asking = null
    })
    return asking
  }

  return {
    async current(urgency) {
      const now = clock.monotonic()
      const isThere = isHeld(lease, now)
      const asked = shouldAsk(lease, now) || (!isThere && urgency === 'now') ? askOnce() : asking
      // The next one is asked for while this one serves: nobody waits for it.
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
 * When a lane asks for a token. Pure; times are monotonic, in ms: a clock that is set while the terminal runs must not
 * keep a dead token alive. `fraction` is a random number in [0, 1).
 */
export interface TokenLease {
  /** When the token that is held is of no use any more; -Infinity: none is held. */
  readonly expiresAt: number
  /** From when on the next one is asked for while this one still serves. */
  readonly renewAt: number
  /** Times in a row that none was given. */
  readonly failures: number
  /** Nobody is asked before: whoever needs a token until then hears at once that there is none. */
  readonly askAt: number
}

/** A token is not used so shortly before it expires that it could expire on the way. */
const EARLY_MS = 5_000
/** How long a token is trusted whose answer does not say. */
const UNSAID_SECONDS = 60
/** Lanes that got their tokens in the same minute do not come for the next in the same minute. */
const RENEW_FROM = 0.5
const RENEW_UNTIL = 0.9
/** Ten thousand lanes that wait for the token service ask some two hundred times a second. */
const BACKOFF = { baseMs: 1_000, capMs: 90_000 } as const
/** So many failures in a row cost no pause: a hiccup is over by the next call. */
const FREE_FAILURES = 2

export const NO_TOKEN_YET: TokenLease = {
  expiresAt: -Infinity,
  renewAt: -Infinity,
  failures: 0,
  askAt: -Infinity,
}

export const isHeld = ({ expiresAt }: TokenLease, now: number): boolean => now < expiresAt

/** Whether the token service is asked now, by whoever needs a token or for the time when this one expires. */
export const shouldAsk = ({ renewAt, askAt }: TokenLease, now: number): boolean => now >= renewAt && now >= askAt

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

/** None was given. `retryAfterMs`: how long the token service asked to be left alone. */
export function notGranted(lease: TokenLease, now: number, fraction: number, retryAfterMs: number | null): TokenLease {
  const failures = lease.failures + 1
  const ownMs = failures <= FREE_FAILURES ? 0 : fullJitter(BACKOFF, failures, fraction)
  return { ...lease, failures, askAt: now + ownMs + afterAsked(retryAfterMs, fraction) }
}

/** A service refused the token: it is held no more, and another is asked for at once. */
export const refusedToken = (lease: TokenLease): TokenLease => ({ ...lease, expiresAt: -Infinity, renewAt: -Infinity })
