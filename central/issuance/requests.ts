import { z } from 'zod'
import { CalculateRequest, GivenIssuance, IssueRequest, PartnerBasketRequest, PartnerEventRequest, RecordRequest, ReturnRequest, type BasketItem } from '../../contracts/central/issuance.ts'

/** The strict side of the wire: what a partner must send (specification 3 §2.1, §2.2, §4.3, §4.4). */
/** Larger than any checkout; keeps every sum within whole numbers that are exact. */
const MOST_DOLLARS = 10_000_000
const MOST_PIECES = 1_000_000
const MOST_MILES = 1_000_000_000
const MOST_ENTRIES = 500

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

const BoundedIssuance = GivenIssuance.extend({ milesAmount: z.int().min(-MOST_MILES).max(MOST_MILES) })
const BoundedIssuances = z.array(BoundedIssuance).min(1).max(MOST_ENTRIES)

export const StrictRecord = RecordRequest.extend({ issuances: z.array(BoundedIssuance).optional() }).superRefine(checkAmounts)
export const StrictPartnerBasket = PartnerBasketRequest.extend({ issuances: BoundedIssuances }).superRefine(checkAmounts)
export const StrictPartnerEvent = PartnerEventRequest.extend({ issuances: BoundedIssuances })
