import { z } from 'zod'
import { CollectorNumber, EntryMode } from '../core/ids.ts'
import { DollarsString } from '../core/money.ts'
import type { IssuanceErrorCode } from './issuance.ts'

/** Wire of the cash redemption service: specification 3 §2.4, §4.5, §7.2. */
export const CASH_PATHS = {
  echo: '/checkout/loyaltycash/echo',
  inquire: '/checkout/loyaltycash/inquire',
  redeem: '/checkout/loyaltycash/redeem',
  /** The specification lacks this path; it is an assumption, and a setting of the profile. */
  reverse: '/checkout/loyaltycash/reverse',
} as const

/** Response codes with their HTTP status in the specification (§7.2). */
export const CASH_RESPONSE_CODES = {
  '0000': { status: 200, message: 'Approved' },
  '0001': { status: 202, message: 'Approved - balance suppressed' },
  '0002': { status: 401, message: 'Collector account inactive' },
  '0005': { status: 202, message: 'Balance suppressed, unable to redeem' },
  '0006': { status: 202, message: 'Unable to redeem' },
  '0008': { status: 408, message: 'Transaction timeout' },
  '0009': { status: 403, message: 'Card not swiped or scanned' },
  '0025': { status: 401, message: 'Invalid Collector number' },
  '0035': { status: 400, message: 'Invalid request parameter' },
  '0051': { status: 202, message: 'Insufficient reward miles' },
  '0057': { status: 400, message: 'Invalid redemption confirmation number' },
  '0065': { status: 202, message: 'Exceeded daily redemption limit' },
  '0066': { status: 202, message: 'Insufficient basket size' },
  '0067': { status: 408, message: 'Offer is temporarily unavailable' },
  '0080': { status: 409, message: 'Reversal window expired' },
  '0092': { status: 503, message: 'Scheduled outage' },
  '0096': { status: 500, message: 'Server error or no response' },
} as const
export type CashResponseCode = keyof typeof CASH_RESPONSE_CODES
export const CashResponseCode = z.enum(Object.keys(CASH_RESPONSE_CODES) as [CashResponseCode, ...CashResponseCode[]])

const IsoDateTime = z.iso.datetime({ offset: true, local: true })
const Name = z.string().min(1).max(64)

export const EchoRequest = z.object({ deviceId: Name, sponsorCode: Name, storeId: Name, traceId: Name, vendorId: Name })
export type EchoRequest = z.infer<typeof EchoRequest>

export const InquireRequest = z.object({
  acquirerId: Name,
  cardEntryMode: EntryMode,
  collectorNumber: CollectorNumber,
  dateTime: IsoDateTime,
  deviceId: Name,
  instantMessage: z.string().optional(),
  originalPostTaxBasketAmount: DollarsString.optional(),
  originalPreTaxAmount: DollarsString.optional(),
  postTaxBasketAmount: DollarsString,
  sponsorCode: Name,
  storeId: Name,
  traceId: Name,
  vendorId: Name,
})
export type InquireRequest = z.infer<typeof InquireRequest>

export const RedeemRequest = InquireRequest.extend({ dollarRedeemRequest: DollarsString })
export type RedeemRequest = z.infer<typeof RedeemRequest>

/** Assumption (not in the specification): the REDEEM fields plus the confirmation number. */
export const ReverseRequest = RedeemRequest.extend({ txnConfirmationNumber: Name })
export type ReverseRequest = z.infer<typeof ReverseRequest>

/** "Strings unless noted" (§2.4): a number is read as its string, for a lenient server. */
const Text = z.union([z.string(), z.number().transform(String)])
/** "Null or empty data elements are left out of response bodies" (§1): null is read as missing. */
const OptionalText = Text.nullish().transform((value) => value ?? undefined)

/** All fields of an answer of the cash service. Only the response code is always present. */
export const CashResponse = z.object({
  responseCode: Text,
  message: OptionalText,
  transDateTime: OptionalText,
  acquirerId: OptionalText,
  cardEntryMode: OptionalText,
  collectorNumber: OptionalText,
  deviceId: OptionalText,
  dollarRedeemRequest: OptionalText,
  postTaxBasketAmount: OptionalText,
  sponsorCode: OptionalText,
  storeId: OptionalText,
  traceId: OptionalText,
  vendorId: OptionalText,
  availableCashBalance: OptionalText.describe('Miles redeemable today, after the transaction'),
  availableDollarAmount: OptionalText,
  availableOfferUnits: OptionalText,
  cashBalance: OptionalText.describe('Miles'),
  dreamBalance: OptionalText.describe('Miles'),
  dailyOfferLimit: OptionalText.describe('Units per 24 hours'),
  offerDescEn: OptionalText,
  offerDescFr: OptionalText,
  offerId: OptionalText,
  offerType: OptionalText.describe('RGL regular, SPL special'),
  unitValueLoyaltyCash: OptionalText.describe('Miles per unit'),
  unitValueDollars: OptionalText.describe('Dollars per unit'),
  milesRedeemed: OptionalText,
  unitsRedeemed: OptionalText,
  txnConfirmationNumber: OptionalText,
})
export type CashResponse = z.infer<typeof CashResponse>

/** All codes that explain an answer: specification 3 §7.1 (three digits) and §7.2 (four). */
export type ResponseCode = CashResponseCode | IssuanceErrorCode

/**
 * Codes of the issuance service with status 202: it accepted the call, but has not carried it out (specification 3
 * §7.1).
 */
export const NOTICE_CODES = [
  '202',
  '203',
  '204',
  '205',
  '207',
  '208',
  '225',
  '230',
  '000',
] as const satisfies readonly IssuanceErrorCode[]
export type NoticeCode = (typeof NOTICE_CODES)[number]
export const isNoticeCode = (code: string): code is NoticeCode => NOTICE_CODES.some((one) => one === code)
