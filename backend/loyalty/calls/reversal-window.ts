import { Temporal } from 'temporal-polyfill/implementation'
import { epochOf, localDateTimeAt, parseDateTime } from '../../core/zone.ts'
import { z } from 'zod'
import type { IssuedEntry } from '../../core/outbox/notices.ts'

const CLOSES_AT = Temporal.PlainTime.from('03:00')

/**
 * When a redemption can no longer be reversed: 03:00 store-local time on the day after the local date of its
 * `transDateTime`, in epoch ms (specification 3 §3, §8; the zone is not shown there and is taken to be the store's).
 * A redemption at 00:30 local has 26½ hours on an ordinary day. NaN when `transDateTime` is not a date-time.
 */
export function reversalDeadline(transDateTime: string, timeZone: string): number {
  // The redemption of the open sale is asked about at every look at it, and a calendar is slow.
  if (last.transDateTime !== transDateTime || last.timeZone !== timeZone)
    last = { transDateTime, timeZone, deadline: deadlineOf(transDateTime, timeZone) }
  return last.deadline
}

let last = { transDateTime: '', timeZone: '', deadline: Number.NaN }

function deadlineOf(transDateTime: string, timeZone: string): number {
  const redeemedAt = parseDateTime(transDateTime, timeZone)
  if (Number.isNaN(redeemedAt)) return Number.NaN
  const nextDay = localDateTimeAt(redeemedAt, timeZone).toPlainDate().add({ days: 1 })
  return epochOf(nextDay.toPlainDateTime(CLOSES_AT), timeZone)
}

/**
 * Open strictly before the deadline; closed for a `transDateTime` that cannot be read (the refund is then a store
 * credit).
 */
export const reversalOpen = (nowMs: number, transDateTime: string, timeZone: string): boolean =>
  nowMs < reversalDeadline(transDateTime, timeZone)

/** The entries of the answer to a POST; null where it had none. */
type Answered = readonly Pick<IssuedEntry, 'issuanceOfferCode' | 'status'>[] | null

const Draft = z.looseObject({ issuances: z.array(z.looseObject({ issuanceOfferCode: z.string() })).min(1) })

/**
 * The REVERSE of a draft, once the POST has been answered: it names the POST's transactionId (specification 3 §4.4) and
 * takes back only what the POST gave, or may still give. `answered`: the entries of that answer, null where it had
 * none. Null when every offer of the draft was rejected: then there is nothing to take back.
 */
export function completeReverse(draft: unknown, originalTransactionId: string, answered: Answered): object | null {
  const request = Draft.parse(draft)
  const issuances = request.issuances.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, answered))
  return issuances.length === 0 ? null : { ...request, issuances, originalTransactionId }
}

/** Whether miles under an offer stand, or may come to stand: an offer that the answer does not speak of may. */
export function wasGiven(offerCode: string, answered: Answered): boolean {
  const ofOffer = (answered ?? []).filter(({ issuanceOfferCode }) => issuanceOfferCode === offerCode)
  return ofOffer.length === 0 || ofOffer.some(({ status }) => status !== 'REJECTED')
}
