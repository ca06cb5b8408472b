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
 * What the answers of the cash service mean (specification 3 §4.5, §7.2). Each function takes the parsed answer,
 * `undefined` when its bytes were not an answer of the service, and never throws.
 */

/** Why nobody knows what an answer means. */
export type Doubt = 'not-an-answer' | 'code-unknown' | 'not-our-echo' | 'not-our-amount' | 'said-unknown'

type Understood =
  | {
      readonly doubt: null
      readonly response: CashResponse
      readonly responseCode: string
      readonly meaning: CodeMeaning
    }
  | { readonly doubt: Exclude<Doubt, 'not-our-amount' | 'said-unknown'>; readonly responseCode: string | null }

/** Fields whose echo tells that an answer belongs to its request. */
const ECHOED = ['traceId', 'collectorNumber', 'deviceId', 'storeId', 'sponsorCode'] as const
type Echoed = { readonly [Field in (typeof ECHOED)[number]]?: string }

/**
 * "Null or empty data elements are left out of response bodies. Response values are case-insensitive" (specification 3
 * §1).
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
  // An unknown code comes from outside: it is kept only as long as a code can be.
  if (code === undefined) return { doubt: 'code-unknown', responseCode: responseCode.slice(0, 8) || null }
  if (request && !echoes(response, request)) return { doubt: 'not-our-echo', responseCode }
  return { doubt: null, response, responseCode, meaning: meaningOfCode(call, code) }
}

export interface InquireMeaning extends CodeMeaning {
  readonly responseCode: string | null
}

/**
 * INQUIRE: `noRedemption` is null only under 0000 and 0001. With the request, an answer that is not to it is unknown.
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
 * An approval that cannot be applied as asked. The miles may be gone: REVERSE gives them back by this number
 * (specification 3 §2.4).
 */
export interface ApprovalMismatch {
  readonly confirmationNumber: string
  /** As of an approval: the reversal window counts from it. */
  readonly transDateTime: string
  /** The echo is that of our request: the number can be of no other redemption. */
  readonly ours: boolean
  /** What the answer says was taken; null where it does not say. */
  readonly taken: TakenMiles | null
}

/** Miles that the program took, and what they are worth. */
export interface TakenMiles {
  readonly amountCents: Cents
  readonly miles: Miles
}

/** What a REDEEM asked for beside its dollars: whole units, and the miles that they cost. */
export interface AskedUnits {
  readonly units: number
  readonly miles: number
}

export type RedeemMeaning =
  | {
      readonly kind: 'approved'
      readonly responseCode: string
      readonly outcome: 'approved'
      /** The collector keeps balances private (0001). */
      readonly suppressed: boolean
      readonly units: number
      readonly unitCents: Cents
      /** `units × unitCents`: what is applied to the sale, never more than was asked. */
      readonly amountCents: Cents
      readonly miles: Miles
      readonly confirmationNumber: string
      /** The answer's, or the request's own time when the answer has none: the reversal window counts from it. */
      readonly transDateTime: string
      readonly response: CashResponse
    }
  | {
      readonly kind: 'declined'
      readonly responseCode: string
      readonly outcome: RedemptionOutcome
      readonly noRedemption: NoRedemptionReason | null
      /** What the program says of it in words, where it adds something to its code. */
      readonly message: string | null
      /**
       * It speaks of this very redemption, so it also settles what became of an earlier send of the same bytes.
       * False where the service never looked at it (0067, 0092): an earlier send may still have been done.
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
 * Refusals that say nothing of what became of the same bytes sent before; the last two are no answers to a REDEEM at
 * all.
 */
const NOT_DEFINITIVE: ReadonlySet<string> = new Set(['0067', '0092', '0057', '0080'])

/**
 * REDEEM. Approved only when code, echo and amounts are all ours: at least one unit, each worth whole cents, together
 * no more than was asked, with the confirmation number that the receipt and a reversal need.
 */
export function meaningOfRedeem(
  response: CashResponse | undefined,
  request: RedeemRequest,
  asked: AskedUnits,
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
 * One that is no date-time is as one that was left out: the window must not be closed for want of reading it. Whether
 * it can be read depends on no zone.
 */
function timeOf(response: CashResponse, request: RedeemRequest): string {
  const said = response.transDateTime?.trim() ?? ''
  return Number.isNaN(parseDateTime(said, 'UTC')) ? request.dateTime : said
}

function mismatched(
  response: CashResponse,
  request: RedeemRequest,
  asked: AskedUnits,
  ours: boolean,
): ApprovalMismatch | null {
  const confirmationNumber = confirmationOf(response)
  return confirmationNumber === ''
    ? null
    : { confirmationNumber, transDateTime: timeOf(response, request), ours, taken: takenOf(response, request, asked) }
}

/** Null where it cannot be read, or is more than any collector can redeem in a day (specification 3 §8). */
function takenOf(response: CashResponse, request: RedeemRequest, asked: AskedUnits): TakenMiles | null {
  const saidUnits = wholeNumber(response.unitsRedeemed)
  if (saidUnits === 0 && !wholeNumber(response.milesRedeemed)) return { amountCents: cents(0), miles: miles(0) }
  const units = saidUnits || unitsOf(response, asked)
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
 * What a field says of a figure, or what was asked where it is left out: `unitValueDollars` is a conditional field
 * (§2.4), and may be dropped when the last unit is spent.
 */
const saidOr = (
  text: string | undefined,
  read: (text: string | undefined) => number | undefined,
  asked: number,
): number => (text === undefined || text.trim() === '' ? asked : (read(text) ?? Number.NaN))

/**
 * Units by the miles that were taken, at the price that was asked, where the answer says those alone; a part of a unit
 * is none that could be applied.
 */
function unitsOf({ milesRedeemed }: CashResponse, asked: AskedUnits): number {
  const units = ((wholeNumber(milesRedeemed) || asked.miles) * asked.units) / asked.miles
  return Number.isInteger(units) ? units : Number.NaN
}

/** Null when it cannot be applied as asked. */
function approvalOf(
  response: CashResponse,
  request: RedeemRequest,
  asked: AskedUnits,
  suppressed: boolean,
): RedeemMeaning | null {
  const askedCents = dollarAmount(request.dollarRedeemRequest) ?? 0
  const unitMiles = wholeNumber(response.unitValueLoyaltyCash) ?? asked.miles / asked.units
  const units = saidOr(response.unitsRedeemed, wholeNumber, unitsOf(response, asked))
  const unitCents = saidOr(response.unitValueDollars, dollarAmount, askedCents / asked.units)
  const confirmationNumber = confirmationOf(response)
  const amount = units * unitCents
  const redeemed = wholeNumber(response.milesRedeemed) || units * unitMiles
  const echoedCents = saidOr(response.dollarRedeemRequest, dollarAmount, askedCents)
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
  /** 0080: the miles stay redeemed; store credit or a gift card, never cash (specification 3 §4.5 rule 7). */
  | { readonly kind: 'expired'; readonly responseCode: string }
  | { readonly kind: 'refused'; readonly responseCode: string }
  /** Not looked at (0067, 0092): the same bytes and key again, later. */
  | { readonly kind: 'later'; readonly responseCode: string }
  | { readonly kind: 'unknown'; readonly responseCode: string | null; readonly doubt: Doubt }

/** REVERSE. With the request, an answer that echoes another request is unknown. */
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

/** ECHO, in the words of the diagnostics screen. */
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
