import type { NoEarningReason, NoRedemptionReason, Redemption } from '../../../contracts/sales/sales.ts'
import { CASH_RESPONSE_CODES, type CashResponseCode, type ResponseCode } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import { plainText } from '../paper/layout.ts'

export type CashCall = 'echo' | 'inquire' | 'redeem' | 'reverse'
export type RedemptionOutcome = Redemption['outcome']

export interface CodeMeaning {
  /**
   * approved: done. approved-suppressed: done, and the collector's balances are private. declined: not done, and final.
   * unknown: perhaps done. outage: not looked at; the same call may be made again later.
   */
  readonly kind: 'approved' | 'approved-suppressed' | 'declined' | 'unknown' | 'outage'
  /** The words for the cashier. For ECHO and INQUIRE, those that a REDEEM with the same code would have. */
  readonly outcome: RedemptionOutcome
  /** Why this collector is not asked to redeem after this answer; null when they may be. */
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

/** A REVERSE that was refused for good needs a person. */
const reversalRefused = declined('reversal-escalated')

/**
 * Every response code of the cash service with what it means for each call (specification 3 §4.5, §7.2). The code
 * decides, never the HTTP status: 202 is an approval under 0001 and a refusal under 0051, 408 a timeout under 0008
 * and a refusal under 0067. Codes that a call is not said to return are here too: §7.2 shows the exact sets of
 * ECHO and INQUIRE alone, and a code that is known is not guessed at.
 *
 * REDEEM under 0092 is declined (it was not looked at, and the customer waits); REVERSE under 0092 or 0067 is sent
 * again later, since it must be done in the end.
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
  // An answer all the same: the loyalty service is there, and INQUIRE may be asked again in a minute.
  '0096': { ...all(unknown('not-applied', 'temporarily-unavailable')), reverse: unknown('reversing') },
} as const satisfies Record<CashResponseCode, Record<CashCall, CodeMeaning>>

function all(meaning: CodeMeaning): Record<CashCall, CodeMeaning> {
  return { echo: meaning, inquire: meaning, redeem: meaning, reverse: reversalRefused }
}

export interface IssuanceCodeMeaning {
  /**
   * accepted: pending (202), and nothing may be sent again. dead: refused for good (400); only a corrected copy can
   * follow.
   */
  readonly outcome: 'accepted' | 'dead'
  /** What a corrected copy would change; null when nothing that a store can say would help. */
  readonly mend: 'card' | 'location' | null
  /**
   * What a code of 202 speaks of, which the manager is told once for as long as it lasts; null for a code of one call
   * alone.
   */
  readonly notice: NoticeSubject | null
}
export type NoticeSubject = 'location' | 'offer' | 'sponsor' | 'none'

/**
 * Every error code of the issuance service (specification 3 §7.1). There the status decides and the code explains it,
 * so the outcomes here say what each code comes with. The words of both tables are `exceptions.code` in the catalogs.
 */
export const ISSUANCE_MEANINGS = {
  '202': { outcome: 'accepted', mend: 'location', notice: 'location' },
  '203': { outcome: 'accepted', mend: null, notice: 'offer' },
  '204': { outcome: 'accepted', mend: null, notice: 'offer' },
  '205': { outcome: 'accepted', mend: 'location', notice: 'location' },
  '207': { outcome: 'accepted', mend: null, notice: 'offer' },
  '208': { outcome: 'accepted', mend: null, notice: 'offer' },
  '221': { outcome: 'dead', mend: null, notice: null },
  '224': { outcome: 'dead', mend: 'card', notice: null },
  '225': { outcome: 'accepted', mend: null, notice: 'sponsor' },
  '230': { outcome: 'accepted', mend: 'location', notice: 'location' },
  '232': { outcome: 'dead', mend: 'card', notice: null },
  '234': { outcome: 'dead', mend: 'card', notice: null },
  '000': { outcome: 'accepted', mend: null, notice: 'none' },
} as const satisfies Record<IssuanceErrorCode, IssuanceCodeMeaning>

const isIssuanceCode = (code: string): code is IssuanceErrorCode => Object.hasOwn(ISSUANCE_MEANINGS, code)

/** A code of either service as its table knows it; undefined when the specification does not know it. */
export function knownToEither(responseCode: string): ResponseCode | undefined {
  const code = responseCode.trim()
  return isIssuanceCode(code) ? code : knownCode(code)
}

/** What would mend a call that ended with this code; null also for codes of the cash service and unknown ones. */
export function mendOf(responseCode: string | null): IssuanceCodeMeaning['mend'] {
  const code = responseCode?.trim() ?? ''
  return isIssuanceCode(code) ? ISSUANCE_MEANINGS[code].mend : null
}

/** What a standing notice of this code speaks of; null where there is none to stand. */
export function noticeOf(code: string): NoticeSubject | null {
  return isIssuanceCode(code) ? ISSUANCE_MEANINGS[code].notice : null
}

/** The code as the table knows it, or undefined when the specification does not know it. */
export function knownCode(responseCode: string): CashResponseCode | undefined {
  const code = responseCode.trim()
  return Object.hasOwn(CODE_MEANINGS, code) ? (code as CashResponseCode) : undefined
}

export const meaningOfCode = (call: CashCall, code: CashResponseCode): CodeMeaning => CODE_MEANINGS[code][call]

/** Codes under which no balance and no redeemable amount is shown or printed (specification 3 §4.5 rule 5, §7.2). */
export const hidesBalances = (responseCode: string): boolean => {
  const code = knownCode(responseCode)
  return code === undefined || code === '0001' || code === '0005'
}

/** More than any terminal's display holds is no message to a cashier. */
const LONGEST = 160

/**
 * The messages of the tables of codes (specification 3 §7.1, §7.2): English whatever was asked for, and in our own
 * words on every screen.
 */
const OF_THE_TABLES: ReadonlySet<string> = new Set(
  [...Object.values(CASH_RESPONSE_CODES), ...Object.values(ISSUANCE_ERROR_CODES)].map(({ message }) =>
    message.toLowerCase(),
  ),
)

/**
 * What the program says beside its code, in the language that `instantMessage` asked for (specification 3 §2.4); null
 * where that is nothing, or the table's own message. Text and nothing else: it goes to a screen.
 */
export function centralMessage({ message }: { readonly message?: string | null | undefined }): string | null {
  const said = plainText(message ?? '').slice(0, LONGEST)
  return said === '' || OF_THE_TABLES.has(said.toLowerCase().replace(/\.$/, '')) ? null : said
}

/**
 * Why no miles can come to a collector. The issuance service decides, by the codes that it refuses an account with
 * (specification 3 §7.1: 224 closed, 232 deleted, 234 not found; status 400, so the same request never succeeds).
 * An INQUIRE that was answered 0002 or 0025 (§7.2) speaks of the same account: it promises nothing, but it is not the
 * issuance service. So ISSUE still goes out, and what it says is what holds.
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

/** From the code of a CALCULATE or ISSUE with status 400; null where the code is not about the collector. */
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
