import type { NoEarningReason, NoRedemptionReason, Redemption } from '../../../contracts/sales/sales.ts'
import { CASH_RESPONSE_CODES, type CashResponseCode, type ResponseCode } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import { plainText } from '../paper/layout.ts'

export type CashCall = 'echo' | 'inquire' | 'redeem' | 'reverse'
export type RedemptionOutcome = Redemption['outcome']

export interface CodeMeaning {
  /**
   * Meaning of a code for the call. approved: processed. approved-suppressed: processed, but balances must not be
   * shown. declined: finally not processed. unknown: possibly processed. outage: not processed; the same call may be
   * repeated later.
   */
  readonly kind: 'approved' | 'approved-suppressed' | 'declined' | 'unknown' | 'outage'
  /** Outcome shown to the cashier. For ECHO and INQUIRE it is the outcome of a REDEEM with the same code. */
  readonly outcome: RedemptionOutcome
  /** Why redemption is not offered after an INQUIRE with this code; null when it is offered. */
  readonly noRedemption: NoRedemptionReason | null
}

const approved = (outcome: RedemptionOutcome = 'approved'): CodeMeaning => ({
  kind: 'approved',
  outcome,
  noRedemption: null,
})
const suppressed = (outcome: RedemptionOutcome = 'approved'): CodeMeaning => ({
  kind: 'approved-suppressed',
  outcome,
  noRedemption: null,
})
const declined = (
  outcome: RedemptionOutcome,
  noRedemption: NoRedemptionReason | null = 'central-refused',
): CodeMeaning => ({ kind: 'declined', outcome, noRedemption })
const unknown = (
  outcome: RedemptionOutcome,
  noRedemption: NoRedemptionReason = 'central-unreachable',
): CodeMeaning => ({
  kind: 'unknown',
  outcome,
  noRedemption,
})
const outage = (outcome: RedemptionOutcome, noRedemption: NoRedemptionReason = 'central-outage'): CodeMeaning => ({
  kind: 'outage',
  outcome,
  noRedemption,
})

const reversalRefused = declined('reversal-escalated')

/**
 * Meaning of every response code of the cash service for each call (specification 3 §4.5, §7.2). The code decides,
 * never the HTTP status: 202 is an approval under 0001 and a refusal under 0051, 408 a timeout under 0008 and a refusal
 * under 0067. Includes codes that a call is not specified to return: §7.2 lists exact sets only for ECHO and INQUIRE,
 * and a known code has a known meaning.
 *
 * REDEEM under 0092 is declined (it was not processed, and the customer is waiting); REVERSE under 0092 or 0067 is
 * retried later, because it must succeed eventually.
 */
export const CODE_MEANINGS = {
  '0000': { echo: approved(), inquire: approved(), redeem: approved(), reverse: approved('reversed') },
  '0001': { echo: approved(), inquire: suppressed(), redeem: suppressed(), reverse: suppressed('reversed') },
  '0002': all(declined('account-inactive', 'account-inactive')),
  '0005': all(declined('refused', 'suppressed')),
  '0006': all(declined('refused', 'not-allowed')),
  '0008': { ...all(unknown('not-applied')), reverse: unknown('reversing') },
  '0009': all(declined('card-not-present', 'keyed')),
  '0025': all(declined('collector-invalid', 'collector-invalid')),
  '0035': all(declined('refused')),
  '0051': all(declined('insufficient-miles', 'insufficient-miles')),
  '0057': all(declined('refused')),
  '0065': all(declined('daily-limit', 'daily-limit')),
  '0066': all(declined('basket-too-small', 'basket-too-small')),
  '0067': {
    ...all(declined('temporarily-unavailable', 'temporarily-unavailable')),
    reverse: outage('reversing', 'temporarily-unavailable'),
  },
  '0080': { ...all(declined('refused')), reverse: declined('reversal-expired') },
  '0092': {
    echo: outage('outage'),
    inquire: outage('outage'),
    redeem: declined('outage', 'central-outage'),
    reverse: outage('reversing'),
  },
  // With code 0096 the loyalty service did answer, so the shown reason is temporary and INQUIRE can be repeated.
  '0096': { ...all(unknown('not-applied', 'temporarily-unavailable')), reverse: unknown('reversing') },
} as const satisfies Record<CashResponseCode, Record<CashCall, CodeMeaning>>

function all(meaning: CodeMeaning): Record<CashCall, CodeMeaning> {
  return { echo: meaning, inquire: meaning, redeem: meaning, reverse: reversalRefused }
}

export interface IssuanceCodeMeaning {
  /**
   * State of an issuance. accepted: still being processed by the service (202), so it must not be sent again. dead:
   * permanently refused (400); only a corrected copy can follow.
   */
  readonly outcome: 'accepted' | 'dead'
  /** The field that a corrected copy of the issuance changes; null when a store cannot correct the cause. */
  readonly correction: 'card' | 'location' | null
  /**
   * Subject of the manager's notice about a code with status 202: all calls with the cause share one notice until the
   * cause is corrected. Null for a code that is about a single call.
   */
  readonly notice: NoticeSubject | null
}
export type NoticeSubject = 'location' | 'offer' | 'sponsor' | 'none'

/**
 * Meaning of every error code of the issuance service (specification 3 §7.1), where the status decides and the code
 * explains it. The texts for the codes of both tables are `exceptions.code` in the message catalogs.
 */
export const ISSUANCE_MEANINGS = {
  '202': { outcome: 'accepted', correction: 'location', notice: 'location' },
  '203': { outcome: 'accepted', correction: null, notice: 'offer' },
  '204': { outcome: 'accepted', correction: null, notice: 'offer' },
  '205': { outcome: 'accepted', correction: 'location', notice: 'location' },
  '207': { outcome: 'accepted', correction: null, notice: 'offer' },
  '208': { outcome: 'accepted', correction: null, notice: 'offer' },
  '221': { outcome: 'dead', correction: null, notice: null },
  '224': { outcome: 'dead', correction: 'card', notice: null },
  '225': { outcome: 'accepted', correction: null, notice: 'sponsor' },
  '230': { outcome: 'accepted', correction: 'location', notice: 'location' },
  '232': { outcome: 'dead', correction: 'card', notice: null },
  '234': { outcome: 'dead', correction: 'card', notice: null },
  '000': { outcome: 'accepted', correction: null, notice: 'none' },
} as const satisfies Record<IssuanceErrorCode, IssuanceCodeMeaning>

const isIssuanceCode = (code: string): code is IssuanceErrorCode => Object.hasOwn(ISSUANCE_MEANINGS, code)

/**
 * Returns the code of either service in the spelling of its table; undefined when the specification does not list it.
 */
export function findCode(responseCode: string): ResponseCode | undefined {
  const code = responseCode.trim()
  return isIssuanceCode(code) ? code : knownCode(code)
}

/**
 * Returns the field that a corrected copy of a call with this code changes; null when a store cannot correct the cause,
 * and for codes of the cash service and unknown ones.
 */
export function correctionOf(responseCode: string | null): IssuanceCodeMeaning['correction'] {
  const code = responseCode?.trim() ?? ''
  return isIssuanceCode(code) ? ISSUANCE_MEANINGS[code].correction : null
}

/** Returns the subject of the manager's notice for this code; null when the code causes none. */
export function noticeOf(code: string): NoticeSubject | null {
  return isIssuanceCode(code) ? ISSUANCE_MEANINGS[code].notice : null
}

/**
 * Returns the code of the cash service in the spelling of its table; undefined when the specification does not list it.
 */
export function knownCode(responseCode: string): CashResponseCode | undefined {
  const code = responseCode.trim()
  return Object.hasOwn(CODE_MEANINGS, code) ? (code as CashResponseCode) : undefined
}

export const meaningOfCode = (call: CashCall, code: CashResponseCode): CodeMeaning => CODE_MEANINGS[code][call]

/**
 * Whether no balance and no redeemable amount may be shown or printed under a code (specification 3 §4.5 rule 5, §7.2):
 * 0001, 0005 and unknown codes.
 */
export const hidesBalances = (responseCode: string): boolean => {
  const code = knownCode(responseCode)
  return code === undefined || code === '0001' || code === '0005'
}

/** Maximum length of a service's message; a longer one does not fit on a screen. */
const LONGEST = 160

/**
 * Standard messages of the code tables (specification 3 §7.1, §7.2). They are always English; screens use the message
 * catalogs instead.
 */
const OF_THE_TABLES: ReadonlySet<string> = new Set(
  [...Object.values(CASH_RESPONSE_CODES), ...Object.values(ISSUANCE_ERROR_CODES)].map(({ message }) =>
    message.toLowerCase(),
  ),
)

/**
 * Returns the message that a service sends next to its code, in the language of `instantMessage` (specification 3
 * §2.4), as plain text for a screen; null when it is empty or the standard message of the table.
 */
export function centralMessage({ message }: { readonly message?: string | null | undefined }): string | null {
  const text = plainText(message ?? '').slice(0, LONGEST)
  return text === '' || OF_THE_TABLES.has(text.toLowerCase().replace(/\.$/, '')) ? null : text
}

/**
 * Returns why a collector cannot earn miles according to INQUIRE codes 0002 and 0025 (specification 3 §7.2). Only a
 * hint: the issuance service decides by the codes with which it refuses an account (specification 3 §7.1: 224 closed,
 * 232 deleted, 234 not found; status 400, so a retry never succeeds). ISSUE is therefore still sent, and its answer is
 * final.
 */
export function earningRefusedByInquire(responseCode: string | null): NoEarningReason | null {
  switch (knownCode(responseCode ?? '')) {
    case '0002':
      return 'account-inactive'
    case '0025':
      return 'collector-invalid'
    default:
      return null
  }
}

/**
 * Returns why a collector cannot earn miles according to the code of a CALCULATE or ISSUE with status 400; null when
 * the code is about something else.
 */
export function earningRefusedByIssuance(code: string | null): NoEarningReason | null {
  switch (code) {
    case '224':
      return 'account-closed'
    case '232':
      return 'account-deleted'
    case '234':
      return 'collector-invalid'
    default:
      return null
  }
}
