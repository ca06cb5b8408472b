import { z } from 'zod'
import { CalculateRequest, IssueRequest, ReturnRequest, type BasketItem } from '../../contracts/central/issuance.ts'
import { CollectorNumber } from '../../contracts/ids.ts'

/** The strict side of the wire: what a partner must send (specification 3 §2.1, §2.2, §4.3, §4.4). */
/** Larger than any checkout; keeps every sum within whole numbers that are exact. */
const MOST_DOLLARS = 10_000_000
const MOST_PIECES = 1_000_000
const MOST_MILES = 1_000_000_000

const twoDecimals = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6

interface Amounts { readonly items?: readonly BasketItem[] | undefined, readonly basketPreTaxAmount: number, readonly basketPostTaxAmount: number }

/** `finalAmount` is `baseAmount` times `quantity` (§2.2); amounts are whole cents. */
function checkAmounts(basket: Amounts, context: z.core.$RefinementCtx): void {
  for (const name of ['basketPreTaxAmount', 'basketPostTaxAmount'] as const) {
    if (Math.abs(basket[name]) > MOST_DOLLARS) context.addIssue({ code: 'custom', path: [name], message: `at most ${MOST_DOLLARS} dollars`, input: basket[name] })
    else if (!twoDecimals(basket[name])) context.addIssue({ code: 'custom', path: [name], message: 'at most two decimals', input: basket[name] })
  }
  basket.items?.forEach((item, index) => {
    if (Math.abs(item.quantity) > MOST_PIECES || Math.abs(item.baseAmount) > MOST_DOLLARS || Math.abs(item.finalAmount) > MOST_DOLLARS) {
      context.addIssue({ code: 'custom', path: ['items', index], message: `at most ${MOST_PIECES} pieces and ${MOST_DOLLARS} dollars`, input: item })
      return
    }
    if (!twoDecimals(item.baseAmount)) context.addIssue({ code: 'custom', path: ['items', index, 'baseAmount'], message: 'at most two decimals', input: item.baseAmount })
    if (Math.round(item.finalAmount * 100) !== Math.round(item.baseAmount * 100) * item.quantity) {
      context.addIssue({ code: 'custom', path: ['items', index, 'finalAmount'], message: 'must be baseAmount times quantity', input: item.finalAmount })
    }
  })
}

export const StrictCalculate = CalculateRequest.superRefine(checkAmounts)
export const StrictIssue = IssueRequest.superRefine(checkAmounts)
export const StrictReturn = ReturnRequest.superRefine(checkAmounts)

const GivenIssuance = z.object({
  issuanceOfferCode: z.string().min(1),
  milesAmount: z.int().min(-MOST_MILES).max(MOST_MILES),
  offerId: z.string().min(1),
  offerDescription: z.string().optional(),
  locationCode: z.string().regex(/^[A-Za-z0-9]{1,4}$/).optional(),
  contributingItemIds: z.array(z.string()).optional(),
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
}).superRefine(checkAmounts)
export type RecordRequest = z.infer<typeof RecordRequest>

/** POST and REVERSE, partner-calculated baskets: fields as §4.4 shows them for the call before REVERSE/EVENT. */
export const PartnerBasketRequest = IssueRequest.extend({
  issuances: z.array(GivenIssuance).min(1).max(500),
  originalTransactionId: z.string().optional(),
  provider: z.string().optional(),
  program: z.string().optional(),
}).superRefine(checkAmounts)
export type PartnerBasketRequest = z.infer<typeof PartnerBasketRequest>

/** POST/EVENT and REVERSE/EVENT (§4.4). */
export const PartnerEventRequest = z.object({
  clientTransactionId: z.string().min(1).max(64),
  collectorNumber: CollectorNumber,
  coupon: z.array(z.string()).optional(),
  context: z.record(z.string(), z.string()).optional(),
  deviceId: z.string().optional(),
  issuances: z.array(GivenIssuance).min(1).max(500),
  originalClientTransactionId: z.string().optional(),
  sponsorCode: z.string().min(1),
  transactionDateTime: z.iso.datetime({ offset: true }),
})
export type PartnerEventRequest = z.infer<typeof PartnerEventRequest>
