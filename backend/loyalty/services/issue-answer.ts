import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import { type Miles, miles } from '../../../contracts/core/money.ts'
import { maskNumbers } from '../../core/masking.ts'
import { z } from 'zod'
import type { EntryStatus, IssuedEntry } from '../../core/outbox/notices.ts'

/**
 * Miles by the status of their entries; null if the answer has no amount. Negative for a call that takes miles back.
 */
export interface AnsweredMiles {
  readonly earned: Miles | null
  readonly pending: Miles | null
  readonly rejected: Miles | null
}

interface Answered {
  readonly miles: AnsweredMiles
  readonly entries: readonly IssuedEntry[]
  readonly transactionId: string | null
  readonly code: string | null
  readonly message: string | null
}

/** Meaning of an answer to a call of the issuance service (specification 3 §4.2, §7.1). */
export type IssueMeaning =
  | ({ readonly kind: 'confirmed' } & Answered)
  /** Status 200 or 202 with some rejected entries, which earned nothing. A manager must see the reason. */
  | ({ readonly kind: 'rejected-entries' } & Answered)
  /**
   * Status 202, or a pending entry under 200: final for the sender, because resubmitting has no effect, but not earned
   * yet.
   */
  | ({ readonly kind: 'accepted' } & Answered)
  /**
   * Status 400: "resubmit only with a corrected record" (specification 3 §4.2 rule 3), with or without a code of §7.1.
   */
  | { readonly kind: 'dead'; readonly code: string | null; readonly message: string }
  /** The profile's parallel-transaction error (specification 3 §4.2 rule 5): send the same bytes and key later. */
  | { readonly kind: 'parallel'; readonly code: string | null; readonly message: string }
  /**
   * Status 500 or another status that is not listed here, an unreadable answer, or an answer to another request: send
   * the same bytes and key later; counts as an attempt.
   */
  | { readonly kind: 'retry'; readonly code: string | null; readonly message: string }
  /** The service is unavailable: wait; does not count as an attempt. */
  | { readonly kind: 'outage' }

/**
 * Statuses of a gateway whose service is unavailable or overloaded (429, 502, 503, 504), or that does not know the path
 * (404, 405, 410).
 */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([404, 405, 410, 429, 502, 503, 504])
const SCHEDULED_OUTAGE = '0092'

export interface IssueEcho {
  readonly checkoutTransactionId?: string
  /** The partner's own id of an event (specification 3 §4.4). */
  readonly clientTransactionId?: string
  readonly collectorNumber?: string
}

/**
 * The service's error for a parallel transaction of the collector. Without `status`, any status from 400 on matches;
 * without `code`, any code.
 */
export interface ParallelError {
  readonly status?: number | undefined
  readonly code?: string | undefined
}

interface Call {
  /** Echoed fields of the request. An answer that echoes another sale or collector counts as unreadable. */
  readonly request?: IssueEcho
  /**
   * True if the call takes miles back. The specification does not define the sign of the miles in its answer, so both
   * signs are accepted.
   */
  readonly takes?: boolean
  readonly parallelError?: ParallelError | undefined
}

/**
 * Interprets an answer. `body` is its JSON value, or undefined for bytes that are not JSON. Unlike in the cash service,
 * the HTTP status decides, and the error codes of specification 3 §7.1 explain it.
 */
export function meaningOfIssue(
  status: number,
  body: unknown,
  { request, takes = false, parallelError }: Call = {},
): IssueMeaning {
  const reason = reasonOfRefusal(body)
  if (isParallel(status, reason, parallelError))
    return { kind: 'parallel', code: reason.code, message: reason.message ?? `HTTP ${status}` }
  if (OUTAGE_STATUSES.has(status) || (status !== 400 && reason.code === SCHEDULED_OUTAGE)) return { kind: 'outage' }
  switch (status) {
    case 200:
    case 202:
      return answered(status, body, request, takes)
    case 400:
      return { kind: 'dead', code: reason.code, message: reason.message ?? 'HTTP 400' }
    default:
      return { kind: 'retry', code: reason.code, message: reason.message ?? `HTTP ${status}` }
  }
}

const CANNOT_BE_READ = 'the answer cannot be read'
const unreadable = (what: string): IssueMeaning => ({ kind: 'retry', code: null, message: what })

const isParallel = (status: number, { code }: Reason, error: ParallelError | undefined): boolean =>
  error !== undefined &&
  status >= 400 &&
  (error.status ?? status) === status &&
  (error.code === undefined || error.code === code)

function answered(status: 200 | 202, body: unknown, request: IssueEcho | undefined, takes: boolean): IssueMeaning {
  const parsed = AnsweredIssuance.safeParse(body)
  const response = parsed.success ? parsed.data : undefined
  const doubt = doubtOf(response, request)
  if (doubt !== null || !response) return unreadable(doubt ?? CANNOT_BE_READ)
  const entries = (response.issuances ?? []).map((entry) => issuedEntry(entry, status, takes))
  const of = (wanted: EntryStatus) => milesOf(entries.filter((entry) => entry.status === wanted))
  const [earned, pending, rejected] = [of('CONFIRMED'), of('PENDING'), of('REJECTED')]
  if (earned === undefined || pending === undefined || rejected === undefined) return unreadable(CANNOT_BE_READ)
  // "Accepted but issuances are pending" (specification 3 §4.2 rule 2): without entries, the number of pending miles is
  // unknown.
  const miles = { earned, rejected, pending: status === 202 && entries.length === 0 ? null : pending }
  const isRefused = entries.some((entry) => entry.status === 'REJECTED')
  const waits = status === 202 || entries.some((entry) => entry.status === 'PENDING')
  const answered = { miles, entries, transactionId: response.transactionId ?? null }
  if (!isRefused)
    return { kind: waits ? 'accepted' : 'confirmed', ...answered, ...(waits ? reasonOf(response) : NO_REASON) }
  const errors = [...rejectedErrors(response, status), ...(response.errors ?? [])]
  const { code, message } = reasonOf({ ...response, errors })
  return { kind: 'rejected-entries', ...answered, code, message: message ?? 'REJECTED' }
}

const rejectedErrors = ({ issuances }: AnsweredIssuance, status: 200 | 202) =>
  (issuances ?? []).filter((entry) => statusOf(entry, status) === 'REJECTED').flatMap(({ errors }) => errors ?? [])

function issuedEntry(entry: AnsweredEntry, status: 200 | 202, takes: boolean): IssuedEntry {
  const { issuanceOfferCode, offerId, milesAmount } = entry
  return {
    issuanceOfferCode: issuanceOfferCode?.trim() || null,
    offerId: offerId?.trim() || null,
    milesAmount: milesAmount === undefined ? null : miles(takes ? 0 - Math.abs(milesAmount) : milesAmount),
    status: statusOf(entry, status),
    errorCodes: (entry.errors ?? []).flatMap(({ errorCode }) => errorCode?.trim().slice(0, 8) || []),
  }
}

/**
 * Returns the status of an entry. An unknown status counts as not earned yet. Without a status, errors mean a rejection
 * under 200, and the reason for waiting under 202.
 */
function statusOf({ status, errors }: AnsweredEntry, answer: 200 | 202): EntryStatus {
  if (status === 'CONFIRMED' || status === 'REJECTED') return status
  if (status !== undefined || answer === 202) return 'PENDING'
  return (errors?.length ?? 0) > 0 ? 'REJECTED' : 'CONFIRMED'
}

/** An entry of the answer to CALCULATE. The code of its offer may be empty. */
export interface CalculatedEntry {
  readonly issuanceOfferCode: string
  readonly milesAmount: number
  readonly offerDescription?: string
  readonly contributingItemIds?: string[]
}

/**
 * Returns the entries of a CALCULATE answered with 200. Empty if nothing is earned: "empty data elements are left out"
 * (specification 3 §1). Null if the body is not an answer of the service or lacks the miles.
 */
export function calculatedEntries(body: unknown): CalculatedEntry[] | null {
  const parsed = AnsweredIssuance.safeParse(body)
  if (!parsed.success || doubtOf(parsed.data, undefined) !== null) return null
  const entries = parsed.data.issuances ?? []
  if (entries.some(({ milesAmount }) => milesAmount === undefined)) return null
  return entries.map(({ issuanceOfferCode, milesAmount = 0, offerDescription, contributingItemIds }) => ({
    issuanceOfferCode: issuanceOfferCode ?? '',
    milesAmount,
    ...(offerDescription === undefined ? {} : { offerDescription }),
    ...(contributingItemIds === undefined ? {} : { contributingItemIds }),
  }))
}

/**
 * Returns why a body is not the service's answer to this request, or null. "Every response also carries transactionId
 * and echoes the request fields" (specification 3 §2.3), which a gateway's error page does not.
 */
function doubtOf(response: AnsweredIssuance | undefined, request: IssueEcho | undefined): string | null {
  if (!response) return CANNOT_BE_READ
  if (
    response.transactionId === undefined &&
    response.checkoutTransactionId === undefined &&
    response.issuances === undefined &&
    reasonOf(response).code === null
  ) {
    return 'the answer is not one of the issuance service'
  }
  const other = (echoed: string | undefined, sent: string | undefined): boolean =>
    !!echoed && sent !== undefined && echoed.trim().toLowerCase() !== sent.trim().toLowerCase()
  if (
    other(response.checkoutTransactionId, request?.checkoutTransactionId) ||
    other(response.clientTransactionId, request?.clientTransactionId) ||
    other(response.collectorNumber, request?.collectorNumber)
  ) {
    return 'the answer is to another request'
  }
  return null
}

/** Sums the miles of entries. Null if an entry lacks its miles; undefined if the sum is not a safe integer. */
function milesOf(entries: readonly IssuedEntry[]): Miles | null | undefined {
  if (entries.some(({ milesAmount }) => milesAmount === null)) return null
  const sum = entries.reduce((total, { milesAmount }) => total + (milesAmount ?? 0), 0)
  return Number.isSafeInteger(sum) ? miles(sum) : undefined
}

interface Reason {
  readonly code: string | null
  readonly message: string | null
}
const NO_REASON: Reason = { code: null, message: null }

/**
 * Returns the first code and message of an error body. Its shape is not specified: `errors[]` (of the answer or its
 * entries), `responseCode` and `message` are read if present. The message is shown, so numbers are masked and control
 * characters removed.
 */
function reasonOf(response: RefusedIssuance): Reason {
  const error = response.errors?.[0] ?? response.issuances?.flatMap((entry) => entry.errors ?? [])[0]
  const code = (error?.errorCode ?? response.responseCode)?.trim().slice(0, 8) || null
  const words =
    error?.errorReason ??
    response.message ??
    (code !== null && isIssuanceCode(code) ? ISSUANCE_ERROR_CODES[code].message : undefined)
  return { code, message: words === undefined ? null : printable(words) || null }
}

/**
 * Returns code and message in a body of the issuance service, also of a CALCULATE; both null for a body without them.
 */
export function reasonOfRefusal(body: unknown): Reason {
  const parsed = RefusedIssuance.safeParse(body)
  return parsed.success ? reasonOf(parsed.data) : NO_REASON
}

const isIssuanceCode = (code: string): code is IssuanceErrorCode => Object.hasOwn(ISSUANCE_ERROR_CODES, code)

const printable = (text: string): string => maskNumbers(text.replace(/\p{C}/gu, ' ').trim()).slice(0, 200)

/**
 * A lenient schema of the service's answer. Only decisive fields (collector, transaction, miles, status) can make an
 * answer unreadable, because the miles were issued regardless. "Null or empty data elements are left out"
 * (specification 3 §1), so null counts as absent.
 */
const Text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
const Descriptive = Text.catch(undefined)
const Code = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value == null ? undefined : String(value)))
  .catch(undefined)

const Errors = z
  .array(z.object({ errorCode: Code, errorReason: Descriptive }))
  .nullish()
  .transform((value) => value ?? undefined)
  .catch(undefined)

/** Schema of one entry (specification 3 §2.3). Only its miles and status can be invalid. */
export const AnsweredEntry = z.object({
  issuanceOfferCode: Descriptive,
  offerId: Descriptive,
  offerDescription: Descriptive,
  milesAmount: z
    .int()
    .nullish()
    .transform((value) => value ?? undefined),
  contributingItemIds: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined),
  /**
   * Status of an entry: PENDING, CONFIRMED or REJECTED; "response values are case-insensitive" (specification 3 §1).
   */
  status: Text.transform((value) => value?.trim().toUpperCase() || undefined),
  errors: Errors,
})
export type AnsweredEntry = z.infer<typeof AnsweredEntry>

const reason = { responseCode: Code, message: Descriptive, errors: Errors }

export const AnsweredIssuance = z.object({
  transactionId: Text.transform((value) => value?.trim() || undefined),
  checkoutTransactionId: Text,
  clientTransactionId: Text,
  collectorNumber: Text,
  issuances: z
    .array(AnsweredEntry)
    .nullish()
    .transform((value) => value ?? undefined),
  ...reason,
})
export type AnsweredIssuance = z.infer<typeof AnsweredIssuance>

export const RefusedIssuance = z.object({
  ...reason,
  issuances: z
    .array(z.object({ errors: Errors }))
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined),
})
export type RefusedIssuance = z.infer<typeof RefusedIssuance>

type AnsweredPost = readonly Pick<IssuedEntry, 'issuanceOfferCode' | 'status'>[] | null

const Draft = z.looseObject({ issuances: z.array(z.looseObject({ issuanceOfferCode: z.string() })).min(1) })

/**
 * Completes the draft of a REVERSE from the answer to its POST: adds the POST's transactionId (specification 3 §4.4)
 * and leaves out the offers that the POST rejected. Returns null if every offer was rejected, so that there are no
 * miles to take back.
 */
export function completeReverse(draft: unknown, originalTransactionId: string, answered: AnsweredPost): object | null {
  const request = Draft.parse(draft)
  const issuances = request.issuances.filter(({ issuanceOfferCode }) => isIssued(issuanceOfferCode, answered))
  return issuances.length === 0 ? null : { ...request, issuances, originalTransactionId }
}

/**
 * Whether miles of an offer are confirmed or may still be confirmed; true for an offer that the answer does not
 * contain.
 */
export function isIssued(offerCode: string, answered: AnsweredPost): boolean {
  const ofOffer = (answered ?? []).filter(({ issuanceOfferCode }) => issuanceOfferCode === offerCode)
  return ofOffer.length === 0 || ofOffer.some(({ status }) => status !== 'REJECTED')
}
