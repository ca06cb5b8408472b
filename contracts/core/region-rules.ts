import type { Region } from './regions.ts'

/** Rules of a region about prices, gift cards and receipts. Only data, so that screens can import it. */

/** Amount that a consumer rule has from a day on (store time). Lists of them begin with the oldest. */
interface DatedCents {
  readonly from: string
  readonly cents: number
}

/**
 * Scanner Price Accuracy Voluntary Code, which the Competition Bureau endorses: an item of $10 or less is free, a
 * dearer one costs $10 less than its shelf price.
 */
const VOLUNTARY_CODE: readonly DatedCents[] = [{ from: '2002-06-01', cents: 10_00 }]
/**
 * Québec, policy on accurate pricing (chapter P-40.1, r. 2, s. 1): the limit of $10 is $15 since 7 May 2025 (2024,
 * c. 28, Bill 72).
 */
const QUEBEC_POLICY: readonly DatedCents[] = [
  { from: '2002-06-01', cents: 10_00 },
  { from: '2025-05-07', cents: 15_00 },
]

/** Greatest compensation for a scanned price above the shelf price, on a day in store time (`2026-11-30`). */
export function accuracyLimitCents(region: Region, day: string): number {
  const amounts = region === 'QC' ? QUEBEC_POLICY : VOLUNTARY_CODE
  return (amounts.findLast(({ from }) => from <= day) ?? amounts[0])?.cents ?? 0
}

/** Compensation for one piece: the item is free up to the limit; above it, the limit is deducted from its price. */
export const compensationCents = (shelfCents: number, limitCents: number): number => Math.min(shelfCents, limitCents)

/**
 * Greatest balance of a gift card that is paid out in cash on request; null where no law requires it. Québec: Consumer
 * Protection Act (chapter P-40.1), s. 187.5, and its regulation (P-40.1, r. 3), s. 79.5: “$5 or less”.
 */
export const cashOutLimitCents = (region: Region): number | null => (region === 'QC' ? 5_00 : null)

/**
 * Information that a business customer needs on a receipt for input tax credits: Input Tax Credit Information
 * (GST/HST) Regulations (SOR/91-45), s. 3, with the limits of $100 and $500 since 20 April 2021. `supplier`: name, date
 * and total. `tax`: also tax and registration number. `buyer`: also the name of the buyer, the terms of payment and a
 * description of each supply. A supplier must give it on request (Excise Tax Act, s. 223(2)).
 */
export function receiptDetailOf(totalCents: number): 'supplier' | 'tax' | 'buyer' {
  if (totalCents < 100_00) return 'supplier'
  return totalCents < 500_00 ? 'tax' : 'buyer'
}
