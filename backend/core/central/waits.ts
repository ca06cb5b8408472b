/** What of an answer says when to come again: an `Answer` of the transport. */
type Said =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers }
  | { readonly kind: 'never-sent' | 'unknown' | 'no-token'; readonly reason: string }

/** What is asked for beyond this is taken for a mistake: no queue stands still for longer by one header. */
const LONGEST_MS = 6 * 3_600_000
/** Statuses that say: not now (RFC 9110 §15.6.4, RFC 6585 §4). With any other the header is of no concern here. */
export const NOT_NOW: ReadonlySet<number> = new Set([429, 503])

/**
 * How long a service asks to be left alone (RFC 9110 §10.2.3: seconds, or a date), in ms; null where it does not ask.
 * `now`: wall time, epoch ms.
 */
export const retryAfterOf = (answer: Said, now: number): number | null =>
  answer.kind === 'answer' ? retryAfterIn(answer, now) : null

export function retryAfterIn({ status, headers }: Pick<Response, 'status' | 'headers'>, now: number): number | null {
  if (!NOT_NOW.has(status)) return null
  const said = headers.get('retry-after')?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_MS) : null
}

/** Whether the service turned the call away unread for now: there are too many, or it is closed. */
export const isTurnedAway = (answer: Said): boolean => answer.kind === 'answer' && NOT_NOW.has(answer.status)

/**
 * How long is waited before a call that was not taken goes again. Pure: the lane and the simulation of a fleet ask the
 * same functions.
 */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** By how much the longest wait grows with each try; 2 where nothing is said. */
  readonly factor?: number
}

/**
 * Full jitter: anywhere between now and the exponential cap, so that lanes that failed together do not return
 * together. `tries`: failures in a row; `fraction` in [0, 1).
 */
export const fullJitter = ({ baseMs, capMs, factor = 2 }: Backoff, tries: number, fraction: number): number =>
  Math.round(fraction * Math.min(capMs, baseMs * factor ** Math.min(tries, 20)))

/** The same, and at least half of it: for what a manager sees waiting, of which a lane has a few at most. */
export const equalJitter = (backoff: Backoff, tries: number, fraction: number): number =>
  fullJitter(backoff, tries, 0.5 + fraction / 2)

/**
 * A wait that a service asked for, and up to half as much after it, so that lanes that were asked together come back
 * apart: never earlier than asked. In ms; 0 where nothing was asked.
 */
export const afterAsked = (retryAfterMs: number | null, fraction: number): number =>
  Math.ceil((retryAfterMs ?? 0) * (1 + fraction / 2))

/** An interval of this length on average, so that lanes that were started together do not stay together. */
export const spread = (intervalMs: number, fraction: number): number => Math.round(intervalMs * (0.75 + fraction / 2))
