import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import type { NoRedemptionReason } from '../../../contracts/sales/sales.ts'
import type {
  CashResponse,
  EchoRequest,
  InquireRequest,
  RedeemRequest,
  ReverseRequest,
} from '../../../contracts/central/cash.ts'
import { type Cents, DAILY_REDEMPTION_LIMIT_CENTS, type Miles, cents, miles } from '../../../contracts/core/money.ts'
import {
  type CashCall,
  type CodeMeaning,
  type RedemptionOutcome,
  centralMessage,
  knownCode,
  meaningOfCode,
} from '../../core/central/response-codes.ts'
import { dollarAmount, wholeNumber } from '../../core/central/wire.ts'
import { parseDateTime } from '../../core/zone.ts'

export { meaningOfIssue, type IssueMeaning } from './issue-answer.ts'

/**
 * Interprets the answers of the cash service (specification 3 §4.5, §7.2). Each function takes the parsed answer, or
 * `undefined` for bytes that cannot be parsed as one, and never throws. See docs/decisions/0013-outcomes-of-calls.md.
 */

export type Doubt = 'not-an-answer' | 'code-unknown' | 'not-our-echo' | 'not-our-amount' | 'said-unknown'

type Understood =
  | {
      readonly doubt: null
      readonly response: CashResponse
      readonly responseCode: string
      readonly meaning: CodeMeaning
    }
  | { readonly doubt: Exclude<Doubt, 'not-our-amount' | 'said-unknown'>; readonly responseCode: string | null }

const ECHOED = ['traceId', 'collectorNumber', 'deviceId', 'storeId', 'sponsorCode'] as const
type Echoed = { readonly [Field in (typeof ECHOED)[number]]?: string }

/**
 * Whether an answer echoes the request. "Null or empty data elements are left out of response bodies. Response values
 * are case-insensitive" (specification 3 §1).
 */
const echoes = (response: CashResponse, request: Echoed): boolean =>
  ECHOED.every((field) => {
    const echoed = response[field]?.trim()
    const sent = request[field]
    return !echoed || sent === undefined || echoed.toLowerCase() === sent.trim().toLowerCase()
  })

function understand(call: CashCall, response: CashResponse | undefined, request: Echoed | undefined): Understood {
  if (!response) return { doubt: 'not-an-answer', responseCode: null }
  const responseCode = response.responseCode.trim()
  const code = knownCode(responseCode)
  // An unknown code can be any text: store at most eight characters.
  if (code === undefined) return { doubt: 'code-unknown', responseCode: responseCode.slice(0, 8) || null }
  if (request && !echoes(response, request)) return { doubt: 'not-our-echo', responseCode }
  return { doubt: null, response, responseCode, meaning: meaningOfCode(call, code) }
}

export interface InquireMeaning extends CodeMeaning {
  readonly responseCode: string | null
}

/**
 * Meaning of an answer to INQUIRE. `noRedemption` is null only with code 0000 or 0001. With `request`, an answer that
 * echoes another request is unknown.
 */
export function meaningOfInquire(response: CashResponse | undefined, request?: InquireRequest): InquireMeaning {
  const understood = understand('inquire', response, request)
  if (understood.doubt !== null)
    return {
      kind: 'unknown',
      outcome: 'not-applied',
      noRedemption: 'central-refused',
      responseCode: understood.responseCode,
    }
  return { ...understood.meaning, responseCode: understood.responseCode }
}

/**
 * An approval that differs from its request. The miles may have been taken: REVERSE returns them by this confirmation
 * number (specification 3 §2.4).
 */
export interface ApprovalMismatch {
  readonly confirmationNumber: string
  readonly transDateTime: string
  /** True if the answer echoes the lane's request, so the confirmation number certainly belongs to it. */
  readonly ours: boolean
  readonly taken: TakenMiles | null
}

export interface TakenMiles {
  readonly amountCents: Cents
  readonly miles: Miles
}

export interface RequestedUnits {
  readonly units: number
  readonly miles: number
}

export type RedeemMeaning =
  | {
      readonly kind: 'approved'
      readonly responseCode: string
      readonly outcome: 'approved'
      readonly suppressed: boolean
      readonly units: number
      readonly unitCents: Cents
      /** `units × unitCents`: the amount applied to the sale, at most the requested amount. */
      readonly amountCents: Cents
      readonly miles: Miles
      readonly confirmationNumber: string
      /** Start of the reversal window: the answer's time, else the request's. */
      readonly transDateTime: string
      readonly response: CashResponse
    }
  | {
      readonly kind: 'declined'
      readonly responseCode: string
      readonly outcome: RedemptionOutcome
      readonly noRedemption: NoRedemptionReason | null
      readonly message: string | null
      /**
       * Whether the answer is about this redemption, so that it also settles an earlier send of the same bytes. False
       * if the service did not process the request (0067, 0092), or for a code that is not valid for REDEEM (0057,
       * 0080): an earlier send may have redeemed the miles.
       */
      readonly definitive: boolean
    }
  | {
      readonly kind: 'unknown'
      readonly responseCode: string | null
      readonly outcome: 'not-applied'
      readonly doubt: Doubt
      readonly mismatched: ApprovalMismatch | null
    }

/**
 * Codes of refusals that do not settle an earlier send of the same bytes. The last two codes are not valid answers to
 * REDEEM.
 */
const NOT_DEFINITIVE: ReadonlySet<string> = new Set(['0067', '0092', '0057', '0080'])

/**
 * Meaning of an answer to REDEEM. It is approved only if code, echo and amounts match: at least one unit, each worth
 * whole cents, in total at most the requested amount, with the confirmation number that the receipt and a reversal
 * require.
 */
export function meaningOfRedeem(
  response: CashResponse | undefined,
  request: RedeemRequest,
  asked: RequestedUnits,
): RedeemMeaning {
  const understood = understand('redeem', response, request)
  if (understood.doubt !== null) {
    const foreign =
      understood.doubt === 'not-our-echo' && response && isApproval(understood.responseCode)
        ? mismatched(response, request, asked, false)
        : null
    return inDoubt(understood.doubt, understood.responseCode, foreign)
  }
  const { meaning, responseCode } = understood
  switch (meaning.kind) {
    case 'approved':
    case 'approved-suppressed':
      return (
        approvalOf(understood.response, request, asked, meaning.kind === 'approved-suppressed') ??
        inDoubt('not-our-amount', responseCode, mismatched(understood.response, request, asked, true))
      )
    case 'declined':
    case 'outage':
      return {
        kind: 'declined',
        responseCode,
        outcome: meaning.outcome,
        noRedemption: meaning.noRedemption,
        message: centralMessage(understood.response),
        definitive: !NOT_DEFINITIVE.has(responseCode),
      }
    case 'unknown':
      return inDoubt('said-unknown', responseCode, null)
  }
}

const inDoubt = (doubt: Doubt, responseCode: string | null, given: ApprovalMismatch | null): RedeemMeaning => ({
  kind: 'unknown',
  responseCode,
  outcome: 'not-applied',
  doubt,
  mismatched: given,
})

function isApproval(responseCode: string | null): boolean {
  const code = knownCode(responseCode ?? '')
  return code !== undefined && meaningOfCode('redeem', code).outcome === 'approved'
}

const confirmationOf = (response: CashResponse): string => response.txnConfirmationNumber?.trim() ?? ''
/**
 * Returns the answer's time; if that is missing or not a date-time, the request's, from which the reversal window is
 * then calculated.
 */
function timeOf(response: CashResponse, request: RedeemRequest): string {
  const transDateTime = response.transDateTime?.trim() ?? ''
  return Number.isNaN(parseDateTime(transDateTime, 'UTC')) ? request.dateTime : transDateTime
}

function mismatched(
  response: CashResponse,
  request: RedeemRequest,
  asked: RequestedUnits,
  ours: boolean,
): ApprovalMismatch | null {
  const confirmationNumber = confirmationOf(response)
  return confirmationNumber === ''
    ? null
    : { confirmationNumber, transDateTime: timeOf(response, request), ours, taken: takenOf(response, request, asked) }
}

/**
 * Amount and miles that an approval reports as taken; null if they are unreadable or above the daily limit of any
 * collector (specification 3 §8).
 */
function takenOf(response: CashResponse, request: RedeemRequest, asked: RequestedUnits): TakenMiles | null {
  const takenUnits = wholeNumber(response.unitsRedeemed)
  if (takenUnits === 0 && !wholeNumber(response.milesRedeemed)) return { amountCents: cents(0), miles: miles(0) }
  const units = takenUnits || unitsOf(response, asked)
  const amount =
    units * (dollarAmount(response.unitValueDollars) ?? (dollarAmount(request.dollarRedeemRequest) ?? 0) / asked.units)
  const count = wholeNumber(response.milesRedeemed) ?? (units * asked.miles) / asked.units
  return amount > 0 &&
    amount <= DAILY_REDEMPTION_LIMIT_CENTS &&
    count > 0 &&
    Number.isSafeInteger(amount) &&
    Number.isSafeInteger(count)
    ? { amountCents: cents(amount), miles: miles(count) }
    : null
}

/**
 * Returns the value of a field, or the requested value if the answer omits the field: `unitValueDollars` is conditional
 * (specification 3 §2.4) and may be missing when the last unit is spent. NaN for an unreadable value.
 */
const valueOr = (
  text: string | undefined,
  read: (text: string | undefined) => number | undefined,
  asked: number,
): number => (text === undefined || text.trim() === '' ? asked : (read(text) ?? Number.NaN))

/**
 * Converts the miles of an answer, or the requested miles if the answer omits them, to units by the requested miles per
 * unit. NaN for a fraction of a unit, which cannot be applied.
 */
function unitsOf({ milesRedeemed }: CashResponse, asked: RequestedUnits): number {
  const units = ((wholeNumber(milesRedeemed) || asked.miles) * asked.units) / asked.miles
  return Number.isInteger(units) ? units : Number.NaN
}

function approvalOf(
  response: CashResponse,
  request: RedeemRequest,
  asked: RequestedUnits,
  suppressed: boolean,
): RedeemMeaning | null {
  const askedCents = dollarAmount(request.dollarRedeemRequest) ?? 0
  const unitMiles = wholeNumber(response.unitValueLoyaltyCash) ?? asked.miles / asked.units
  const units = valueOr(response.unitsRedeemed, wholeNumber, unitsOf(response, asked))
  const unitCents = valueOr(response.unitValueDollars, dollarAmount, askedCents / asked.units)
  const confirmationNumber = confirmationOf(response)
  const amount = units * unitCents
  const redeemed = wholeNumber(response.milesRedeemed) || units * unitMiles
  const echoedCents = valueOr(response.dollarRedeemRequest, dollarAmount, askedCents)
  if (
    !(amount > 0) ||
    amount > askedCents ||
    echoedCents !== askedCents ||
    confirmationNumber === '' ||
    !Number.isSafeInteger(redeemed) ||
    !Number.isSafeInteger(unitCents)
  )
    return null
  return {
    kind: 'approved',
    responseCode: response.responseCode.trim(),
    outcome: 'approved',
    suppressed,
    units,
    unitCents: cents(unitCents),
    amountCents: cents(amount),
    miles: miles(redeemed),
    confirmationNumber,
    transDateTime: timeOf(response, request),
    response,
  }
}

export type ReverseMeaning =
  | { readonly kind: 'reversed'; readonly responseCode: string; readonly response: CashResponse }
  /**
   * Code 0080: the miles stay redeemed. Refund their value as store credit or gift card, never cash (specification 3
   * §4.5 rule 7).
   */
  | { readonly kind: 'expired'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  /** Codes 0067 and 0092: the service did not process the request. Send the same bytes and key later. */
  | { readonly kind: 'later'; readonly responseCode: string }
  | { readonly kind: 'unknown'; readonly responseCode: string | null; readonly doubt: Doubt }

/** Meaning of an answer to REVERSE. With `request`, an answer that echoes another request is unknown. */
export function meaningOfReverse(response: CashResponse | undefined, request?: ReverseRequest): ReverseMeaning {
  const understood = understand('reverse', response, request)
  if (understood.doubt !== null)
    return { kind: 'unknown', responseCode: understood.responseCode, doubt: understood.doubt }
  const { meaning, responseCode } = understood
  switch (meaning.kind) {
    case 'approved':
    case 'approved-suppressed':
      return { kind: 'reversed', responseCode, response: understood.response }
    case 'declined':
      return { kind: meaning.outcome === 'reversal-expired' ? 'expired' : 'refused', responseCode }
    case 'outage':
      return { kind: 'later', responseCode }
    case 'unknown':
      return { kind: 'unknown', responseCode, doubt: 'said-unknown' }
  }
}

export interface EchoMeaning {
  readonly outcome: Extract<
    EchoResult['outcome'],
    'approved' | 'timeout' | 'refused' | 'outage' | 'server-error' | 'malformed'
  >
  readonly responseCode: string | null
}

export function meaningOfEcho(response: CashResponse | undefined, request?: EchoRequest): EchoMeaning {
  const understood = understand('echo', response, request)
  if (understood.doubt !== null) return { outcome: 'malformed', responseCode: understood.responseCode }
  const { meaning, responseCode } = understood
  switch (meaning.kind) {
    case 'approved':
    case 'approved-suppressed':
      return { outcome: 'approved', responseCode }
    case 'declined':
      return { outcome: 'refused', responseCode }
    case 'outage':
      return { outcome: 'outage', responseCode }
    case 'unknown':
      return { outcome: responseCode === '0008' ? 'timeout' : 'server-error', responseCode }
  }
}
