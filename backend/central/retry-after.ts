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
