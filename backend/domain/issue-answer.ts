import { ISSUANCE_ERROR_CODES, IssuanceResponse, type Issuance, type IssuanceErrorCode } from '../../contracts/central/issuance.ts'
import { miles, type Miles } from '../../contracts/miles.ts'
import { maskNumbers } from './masking.ts'

/** What an answer to ISSUE or RETURN means (specification 3 §4.2, §7.1). */
export type IssueMeaning =
  /** 200: done. `miles` leaves out nothing, since every entry stands. */
  | { readonly kind: 'confirmed'; readonly miles: Miles; readonly entries: readonly Issuance[]; readonly transactionId: string | null }
  /** 200, but some entries were rejected: the rest stands, and a person must see the reason. `miles` counts what stands. */
  | { readonly kind: 'rejected-entries'; readonly miles: Miles; readonly entries: readonly Issuance[]; readonly rejected: readonly Issuance[]; readonly transactionId: string | null; readonly code: string | null; readonly message: string }
  /** 202: pending, and final for the sender: resubmitting has no effect. `miles` is null when the answer names none. */
  | { readonly kind: 'accepted'; readonly miles: Miles | null; readonly entries: readonly Issuance[]; readonly transactionId: string | null; readonly code: string | null; readonly message: string | null }
  /** 400: never as it is; a corrected copy is a new transaction. */
  | { readonly kind: 'dead'; readonly code: string | null; readonly message: string }
  /** 500, or an answer that cannot be read or is not to this request: the same bytes and key again; uses up an attempt. */
  | { readonly kind: 'retry'; readonly code: string | null; readonly message: string }
  /** The service is not there to look at it: waits, and uses up no attempt. */
  | { readonly kind: 'outage' }

/** A gateway in front of the service says that the service is not there, or asks to come back later. */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const SCHEDULED_OUTAGE = '0092'

export interface IssueEcho {
  readonly checkoutTransactionId?: string
  /** The partner's own id of an event (§4.4). */
  readonly clientTransactionId?: string
  readonly collectorNumber?: string
}

/**
 * `body` is the answer's JSON value, undefined when its bytes were no JSON. With the request, an answer that echoes
 * another sale or another collector is not taken for this one's. Unlike the cash service, the status decides here:
 * the error codes of §7.1 explain it.
 */
export function meaningOfIssue(status: number, body: unknown, request?: IssueEcho): IssueMeaning {
  const parsed = IssuanceResponse.safeParse(body)
  const response = parsed.success ? parsed.data : undefined
  const reason = reasonOfRefusal(body)
  if (OUTAGE_STATUSES.has(status) || reason.code === SCHEDULED_OUTAGE) return { kind: 'outage' }
  switch (status) {
    case 200: return done(response, request)
    case 202: return accepted(response, request, reason)
    case 400: return { kind: 'dead', code: reason.code, message: reason.message ?? 'HTTP 400' }
    default: return { kind: 'retry', code: reason.code, message: reason.message ?? `HTTP ${status}` }
  }
}

const CANNOT_BE_READ = 'the answer cannot be read'
const unreadable = (what: string): IssueMeaning => ({ kind: 'retry', code: null, message: what })

function done(response: IssuanceResponse | undefined, request: IssueEcho | undefined): IssueMeaning {
  const doubt = doubtOf(response, request)
  if (doubt !== null || !response) return unreadable(doubt ?? CANNOT_BE_READ)
  const entries = response.issuances ?? []
  const rejected = entries.filter(isRejected)
  const transactionId = response.transactionId ?? null
  const standing = milesOf(entries.filter((entry) => !isRejected(entry)))
  if (standing === undefined) return unreadable(CANNOT_BE_READ)
  if (rejected.length === 0) return { kind: 'confirmed', miles: standing, entries, transactionId }
  const { code, message } = reasonOf({ errors: rejected.flatMap((entry) => entry.errors ?? []) })
  return { kind: 'rejected-entries', miles: standing, entries, rejected, transactionId, code, message: message ?? 'REJECTED' }
}

function accepted(response: IssuanceResponse | undefined, request: IssueEcho | undefined, reason: Reason): IssueMeaning {
  const doubt = doubtOf(response, request)
  if (doubt !== null || !response) return unreadable(doubt ?? CANNOT_BE_READ)
  const entries = response.issuances ?? []
  const pending = milesOf(entries)
  if (pending === undefined) return unreadable(CANNOT_BE_READ)
  return { kind: 'accepted', miles: entries.length === 0 ? null : pending, entries, transactionId: response.transactionId ?? null, ...reason }
}

/**
 * Why a body is not the service's answer to this request; null when it is. "Every response also carries transactionId
 * and echoes the request fields" (§2.3): a page of a gateway in between has neither.
 */
function doubtOf(response: IssuanceResponse | undefined, request: IssueEcho | undefined): string | null {
  if (!response) return CANNOT_BE_READ
  if (response.transactionId === undefined && response.checkoutTransactionId === undefined && response.issuances === undefined && reasonOf(response).code === null) {
    return 'the answer is not one of the issuance service'
  }
  const other = (echoed: string | undefined, sent: string | undefined): boolean => !!echoed && sent !== undefined && echoed.trim().toLowerCase() !== sent.trim().toLowerCase()
  if (other(response.checkoutTransactionId, request?.checkoutTransactionId) || other(response.clientTransactionId, request?.clientTransactionId) || other(response.collectorNumber, request?.collectorNumber)) {
    return 'the answer is to another request'
  }
  return null
}

/** REJECTED, or errors without a status that says otherwise. */
const isRejected = (entry: Issuance): boolean => entry.status === 'REJECTED' || (entry.status === undefined && (entry.errors?.length ?? 0) > 0)

/** Undefined when the sum is no whole number of miles that a computer can hold: then the answer is nonsense. */
function milesOf(entries: readonly Issuance[]): Miles | undefined {
  const sum = entries.reduce((total, { milesAmount }) => total + milesAmount, 0)
  return Number.isSafeInteger(sum) ? miles(sum) : undefined
}

interface Reason { readonly code: string | null; readonly message: string | null }

/**
 * The first code and words of an error body. The shape of error bodies is not shown: `errors[]` (of the answer or of
 * its entries), `responseCode` and `message` are read where present. Numbers in the words are masked and control
 * characters dropped, since a person will read them.
 */
function reasonOf(response: Pick<IssuanceResponse, 'errors' | 'issuances' | 'responseCode' | 'message'>): Reason {
  const error = response.errors?.[0] ?? response.issuances?.flatMap((entry) => entry.errors ?? [])[0]
  const code = (error?.errorCode ?? response.responseCode)?.trim().slice(0, 8) || null
  const words = error?.errorReason ?? response.message ?? (code !== null && isIssuanceCode(code) ? ISSUANCE_ERROR_CODES[code].message : undefined)
  return { code, message: words === undefined ? null : printable(words) || null }
}

/** Why the issuance service refused: the same reading for the body of a CALCULATE. Nulls when it is no body of the service. */
export function reasonOfRefusal(body: unknown): Reason {
  const parsed = IssuanceResponse.safeParse(body)
  return parsed.success ? reasonOf(parsed.data) : { code: null, message: null }
}

const isIssuanceCode = (code: string): code is IssuanceErrorCode => Object.hasOwn(ISSUANCE_ERROR_CODES, code)

const printable = (text: string): string => maskNumbers(text.replace(/\p{C}/gu, ' ').trim()).slice(0, 200)
