import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import { type Miles, miles } from '../../../contracts/core/money.ts'
import { maskNumbers } from '../../core/masking.ts'
import { z } from 'zod'
import type { EntryStatus, IssuedEntry } from '../../core/outbox/notices.ts'

/** Miles by what became of them; null where the answer does not say how many. Of what takes miles back: negative. */
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

/** What an answer to a call of the issuance service means (specification 3 §4.2, §7.1). */
export type IssueMeaning =
  /** 200 and every entry stands. */
  | ({ readonly kind: 'confirmed' } & Answered)
  /** Some entries were rejected, under 200 or 202: they earned nothing, and a person must see the reason. */
  | ({ readonly kind: 'rejected-entries' } & Answered)
  /**
   * 202, or a pending entry under 200: final for the sender, since resubmitting has no effect, and nothing earned yet.
   */
  | ({ readonly kind: 'accepted' } & Answered)
  /** 400: "resubmit only with a corrected record" (§4.2 rule 3), with or without a code of §7.1. */
  | { readonly kind: 'dead'; readonly code: string | null; readonly message: string }
  /** The answer that the profile names as a parallel transaction (§4.2 rule 5): the same bytes and key again later. */
  | { readonly kind: 'parallel'; readonly code: string | null; readonly message: string }
  /**
   * 500, or an answer that cannot be read or is not to this request: the same bytes and key again; uses up an attempt.
   */
  | { readonly kind: 'retry'; readonly code: string | null; readonly message: string }
  /** The service is not there to look at it: waits, and uses up no attempt. */
  | { readonly kind: 'outage' }

/**
 * A gateway in front of the service says that the service is not there, or asks to come back later; or no service is at
 * that path (404, 405, 410).
 */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([404, 405, 410, 429, 502, 503, 504])
const SCHEDULED_OUTAGE = '0092'

export interface IssueEcho {
  readonly checkoutTransactionId?: string
  /** The partner's own id of an event (§4.4). */
  readonly clientTransactionId?: string
  readonly collectorNumber?: string
}

/** How the service says that another transaction of the collector is being processed; a field left out may be any. */
export interface ParallelError {
  readonly status?: number | undefined
  readonly code?: string | undefined
}

interface Call {
  /** With the request, an answer that echoes another sale or another collector is not taken for this one's. */
  readonly request?: IssueEcho
  /** The call takes miles back; whether its answer names them with a minus is not shown, so both mean the same. */
  readonly takes?: boolean
  readonly parallelError?: ParallelError | undefined
}

/**
 * `body` is the answer's JSON value, undefined when its bytes were no JSON. Unlike the cash service, the status decides
 * here: the error codes of §7.1 explain it.
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
  // "Accepted but issuances are pending" (§4.2 rule 2), and the answer names none: how many is not known.
  const miles = { earned, rejected, pending: status === 202 && entries.length === 0 ? null : pending }
  const isRefused = entries.some((entry) => entry.status === 'REJECTED')
  const waits = status === 202 || entries.some((entry) => entry.status === 'PENDING')
  const told = { miles, entries, transactionId: response.transactionId ?? null }
  if (!isRefused)
    return { kind: waits ? 'accepted' : 'confirmed', ...told, ...(waits ? reasonOf(response) : NO_REASON) }
  const errors = [...rejectedErrors(response, status), ...(response.errors ?? [])]
  const { code, message } = reasonOf({ ...response, errors })
  return { kind: 'rejected-entries', ...told, code, message: message ?? 'REJECTED' }
}

/** Of those entries that were rejected; what is said of the whole answer comes after them. */
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
 * A status that the specification does not know has earned nothing yet. Without one, errors under 200 are a rejection,
 * and under 202 why it waits.
 */
function statusOf({ status, errors }: AnsweredEntry, answer: 200 | 202): EntryStatus {
  if (status === 'CONFIRMED' || status === 'REJECTED') return status
  if (status !== undefined || answer === 202) return 'PENDING'
  return (errors?.length ?? 0) > 0 ? 'REJECTED' : 'CONFIRMED'
}

/** An entry of a CALCULATE: what would be moved, and under which offer; an offer code that was left out is empty. */
export interface CalculatedEntry {
  readonly issuanceOfferCode: string
  readonly milesAmount: number
  readonly offerDescription?: string
  readonly contributingItemIds?: string[]
}

/**
 * The entries of a CALCULATE that was answered 200. None where nothing is earned: "empty data elements are left out"
 * (specification 3 §1). Null where the body is no answer of the service, or does not say how many miles.
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
 * Why a body is not the service's answer to this request; null when it is. "Every response also carries transactionId
 * and echoes the request fields" (§2.3): a page of a gateway in between has neither.
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

/**
 * Null when an entry does not say how many; undefined when the sum is no whole number that a computer can hold: then
 * the answer is nonsense.
 */
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
 * The first code and words of an error body. The shape of error bodies is not shown: `errors[]` (of the answer or of
 * its entries), `responseCode` and `message` are read where present. Numbers in the words are masked and control
 * characters dropped, since a person will read them.
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
 * Why the issuance service refused: the same reading for the body of a CALCULATE. Nulls when it is no body of the
 * service.
 */
export function reasonOfRefusal(body: unknown): Reason {
  const parsed = RefusedIssuance.safeParse(body)
  return parsed.success ? reasonOf(parsed.data) : NO_REASON
}

const isIssuanceCode = (code: string): code is IssuanceErrorCode => Object.hasOwn(ISSUANCE_ERROR_CODES, code)

const printable = (text: string): string => maskNumbers(text.replace(/\p{C}/gu, ' ').trim()).slice(0, 200)

/**
 * An answer of the issuance service as the lane reads it: what decides (who, which transaction, how many miles, what
 * became of them) is read as it is meant, and nothing else can make an answer unreadable, since the miles were issued
 * all the same. "Null or empty data elements are left out" (specification 3 §1): null is absent.
 */
const Text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
/** What only describes: of another type it is as good as absent. */
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

/** One entry (§2.3). Everything but its miles and its status is optional to a reader. */
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
  /** PENDING, CONFIRMED or REJECTED; "response values are case-insensitive" (§1). */
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

/** What a body says of a refusal, whatever else stands in it. */
export const RefusedIssuance = z.object({
  ...reason,
  issuances: z
    .array(z.object({ errors: Errors }))
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined),
})
export type RefusedIssuance = z.infer<typeof RefusedIssuance>

/** The entries of the answer to a POST; null where it had none. */
type AnsweredPost = readonly Pick<IssuedEntry, 'issuanceOfferCode' | 'status'>[] | null

const Draft = z.looseObject({ issuances: z.array(z.looseObject({ issuanceOfferCode: z.string() })).min(1) })

/**
 * The REVERSE of a draft, once the POST has been answered: it names the POST's transactionId (specification 3 §4.4) and
 * takes back only what the POST gave, or may still give. `answered`: the entries of that answer, null where it had
 * none. Null when every offer of the draft was rejected: then there is nothing to take back.
 */
export function completeReverse(draft: unknown, originalTransactionId: string, answered: AnsweredPost): object | null {
  const request = Draft.parse(draft)
  const issuances = request.issuances.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, answered))
  return issuances.length === 0 ? null : { ...request, issuances, originalTransactionId }
}

/** Whether miles under an offer stand, or may come to stand: an offer that the answer does not speak of may. */
export function wasGiven(offerCode: string, answered: AnsweredPost): boolean {
  const ofOffer = (answered ?? []).filter(({ issuanceOfferCode }) => issuanceOfferCode === offerCode)
  return ofOffer.length === 0 || ofOffer.some(({ status }) => status !== 'REJECTED')
}
