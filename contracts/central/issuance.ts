import { z } from 'zod'
import { CollectorNumber } from '../core/ids.ts'

/** Wire of the miles issuance service: specification 3 §2.1–2.3, §4.2–4.4, §7.1. */
export const ISSUANCE_PATHS = {
  calculate: '/checkout/issuance/calculate',
  issue: '/checkout/issuance/issue',
  return: '/checkout/issuance/return',
  record: '/checkout/issuance/record',
  reverseEvent: '/checkout/issuance/reverse/event',
  /** The specification lacks the next three paths; they are assumptions, and settings of the profile. */
  post: '/checkout/issuance/post',
  postEvent: '/checkout/issuance/post/event',
  reverse: '/checkout/issuance/reverse',
} as const

/** Error codes with their HTTP status in the specification (§7.1). */
export const ISSUANCE_ERROR_CODES = {
  '202': { status: 202, message: 'Location Code Not Provided' },
  '203': { status: 202, message: 'Offer Code Not Found' },
  '204': { status: 202, message: 'Offer Code Expired' },
  '205': { status: 202, message: 'Location Code Inactive' },
  '207': { status: 202, message: 'Invalid Unit Miles' },
  '208': { status: 202, message: 'Invalid Variable Miles' },
  '221': { status: 400, message: 'Sponsor Code Not Found' },
  '224': { status: 400, message: 'Collector Account Closed' },
  '225': { status: 202, message: 'Sponsor Code Expired' },
  '230': { status: 202, message: 'Location Code Not Found' },
  '232': { status: 400, message: 'Collector Account Deleted' },
  '234': { status: 400, message: 'Collector Account Not Found' },
  '000': { status: 202, message: 'Unknown' },
} as const
export type IssuanceErrorCode = keyof typeof ISSUANCE_ERROR_CODES

const Name = z.string().min(1).max(64)
const Dollars = z.number()
/** With zone or offset, as §2.1 requires. */
const ZonedDateTime = z.iso.datetime({ offset: true })

export const BasketItem = z.object({
  id: z.string().min(1).describe('SKU'),
  name: z.string().min(1),
  number: z.int().describe('Order in which items were added'),
  quantity: z.int(),
  baseAmount: Dollars.describe('Pre-tax dollars for one unit'),
  finalAmount: Dollars.describe('baseAmount times quantity'),
  departmentId: z.string().optional(),
  categoryId: z.string().optional(),
})
export type BasketItem = z.infer<typeof BasketItem>

const basket = {
  basketGSTAmount: Dollars.optional(),
  basketHSTAmount: Dollars.optional(),
  basketPSTAmount: Dollars.optional(),
  basketQSTAmount: Dollars.optional(),
  basketPostTaxAmount: Dollars,
  basketPreTaxAmount: Dollars,
  checkoutDateTime: ZonedDateTime,
  checkoutTransactionId: Name,
  collectorNumber: CollectorNumber,
  context: z.record(z.string(), z.string()).optional(),
  coupon: z.array(z.string()).optional(),
  deviceId: z.string().optional(),
  items: z.array(BasketItem).optional(),
  locationCode: z
    .string()
    .regex(/^[A-Za-z0-9]{1,4}$/)
    .optional(),
  sponsorCode: Name,
  tender: z.array(z.string()).optional(),
}

export const IssueRequest = z.object(basket)
export type IssueRequest = z.infer<typeof IssueRequest>

export const CalculateRequest = z.object({
  ...basket,
  originalTransactionId: z.string().optional(),
  transactionType: z.enum(['PURCHASE', 'RETURN']),
})
export type CalculateRequest = z.infer<typeof CalculateRequest>

export const ReturnRequest = z.object({ ...basket, originalTransactionId: z.string().min(1) })
export type ReturnRequest = z.infer<typeof ReturnRequest>

/** Miles in a request, with the required fields of §2.3. */
export const GivenIssuance = z.object({
  issuanceOfferCode: z.string().min(1),
  milesAmount: z.int(),
  offerId: z.string().min(1),
  offerDescription: z.string().optional(),
  locationCode: z
    .string()
    .regex(/^[A-Za-z0-9]{1,4}$/)
    .optional(),
  contributingItemIds: z.array(z.string()).optional().describe('SKUs'),
})
export type GivenIssuance = z.infer<typeof GivenIssuance>

/** RECORD: collectors and non-collectors, with or without issuances (§4.3). */
export const RecordRequest = IssueRequest.extend({
  collectorNumber: CollectorNumber.optional(),
  issuances: z.array(GivenIssuance).optional(),
  originalTransactionId: z.string().optional(),
  transactionType: z.enum(['PURCHASE', 'RETURN']),
  provider: z.string().optional(),
  program: z.string().optional(),
})
export type RecordRequest = z.infer<typeof RecordRequest>

/**
 * POST and REVERSE: a basket whose miles the partner calculated; fields as §4.4 shows them for the call before
 * REVERSE/EVENT.
 */
export const PartnerBasketRequest = IssueRequest.extend({
  issuances: z.array(GivenIssuance).min(1),
  originalTransactionId: z.string().optional().describe('REVERSE: the transactionId of the POST'),
  provider: z.string().optional(),
  program: z.string().optional(),
})
export type PartnerBasketRequest = z.infer<typeof PartnerBasketRequest>

/** POST/EVENT and REVERSE/EVENT: miles for other reasons than a checkout (§4.4). */
export const PartnerEventRequest = z.object({
  clientTransactionId: Name,
  collectorNumber: CollectorNumber,
  coupon: z.array(z.string()).optional(),
  context: z.record(z.string(), z.string()).optional(),
  deviceId: z.string().optional(),
  issuances: z.array(GivenIssuance).min(1),
  originalClientTransactionId: z
    .string()
    .optional()
    .describe('REVERSE/EVENT: the clientTransactionId of a POST/EVENT, or the checkoutTransactionId of a POST'),
  sponsorCode: Name,
  transactionDateTime: ZonedDateTime,
})
export type PartnerEventRequest = z.infer<typeof PartnerEventRequest>

export const Issuance = z.object({
  issuanceOfferCode: z.string(),
  milesAmount: z.int(),
  offerId: z.string(),
  offerDescription: z.string().optional(),
  locationCode: z.string().optional(),
  contributingItemIds: z.array(z.string()).optional(),
  confirmationNumber: z.string().optional(),
  processedDateTime: z.string().optional(),
  /** PENDING, CONFIRMED or REJECTED; "response values are case-insensitive" (§1). */
  status: z
    .string()
    .transform((value) => value.toUpperCase())
    .optional(),
  errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string().optional() })).optional(),
})
export type Issuance = z.infer<typeof Issuance>

export const IssuanceResponse = z.object({
  transactionId: z.string().optional(),
  checkoutTransactionId: z.string().optional(),
  clientTransactionId: z.string().optional(),
  collectorNumber: z.string().optional(),
  issuances: z.array(Issuance).optional(),
  responseCode: z.string().optional(),
  message: z.string().optional(),
  errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string().optional() })).optional(),
})
export type IssuanceResponse = z.infer<typeof IssuanceResponse>
