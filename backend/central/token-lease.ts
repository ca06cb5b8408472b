import { afterAsked, fullJitter } from './waits.ts'

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
