import { z } from 'zod'
import { Exemption, type SaleDiscount } from '../../../contracts/sales/sale-changes.ts'
import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { type NoEarningReason, NoRedemptionReason, type Sale, type SaleTotals } from '../../../contracts/sales/sales.ts'
import { Names } from '../../../contracts/core/locales.ts'
import { REGULAR_UNIT, cents } from '../../../contracts/core/money.ts'
import { TaxCategory, TaxCode } from '../../../contracts/core/regions.ts'
import { lineAmount, totalBasket, type BasketLine } from './basket.ts'
import { reachedBy, shareDiscounts, type Pricing, type Share } from './discounts.ts'
import { earningRefusedByInquire } from '../../core/central/response-codes.ts'
import { exempt, type StoreTax } from '../../catalog/tax.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { CardRow, DiscountRow, SaleChange } from './sale-rows.sql.ts'
import type { Elsewhere } from './other-lane-sale.ts'
import type { LineRow, SaleRow, TenderRow } from './sales.sql.ts'

/**
 * Stored result of an INQUIRE. `balances` are printed only, and not stored if the collector keeps them private
 * (response codes 0001 and 0005).
 */
export const StoredInquiry = z.object({
  /** The basket total sent with INQUIRE, in cents. */
  toldCents: z.int(),
  /**
   * Whether miles have moved since this INQUIRE: its balances are then neither offered, shown nor printed, and INQUIRE
   * is sent again.
   */
  outdated: z.boolean().optional(),
  responseCode: z.string().nullable(),
  noRedemption: NoRedemptionReason.nullable(),
  message: z.string().nullable().optional(),
  available: z.object({ miles: z.int().optional(), cents: z.int().optional() }).optional(),
  facts: z
    .object({
      responseCode: z.string(),
      availableOfferUnits: z.int().optional(),
      availableCashMiles: z.int().optional(),
      availableCents: z.int().optional(),
      dayBinds: z.boolean().optional(),
      dailyOfferLimit: z.int().optional(),
      unitMiles: z.int().optional(),
      unitCents: z.int().optional(),
      offerType: z.string().optional(),
      offerDesc: Names.optional(),
    })
    .nullable(),
  balances: z.object({ cashMiles: z.int().optional(), dreamMiles: z.int().optional() }).nullable(),
})
export type StoredInquiry = z.infer<typeof StoredInquiry>

/** An entry of a miles preview, with the program's description of its offer. */
export type PreviewOffer = Pick<GivenIssuance, 'issuanceOfferCode' | 'milesAmount' | 'contributingItemIds'> & {
  readonly description: Names
}

export interface SaleParts {
  readonly sale: SaleRow
  /** Result of INQUIRE for the collector of the sale. */
  readonly inquiry: StoredInquiry | null
  readonly lines: readonly LineRow[]
  /** Discounts that were not removed, oldest first. */
  readonly discounts: readonly DiscountRow[]
  /** Last change of the sale, if it can be undone. */
  readonly lastChange: SaleChange | null
  readonly tenders: readonly TenderRow[]
  readonly redemption: Operation | undefined
  /** Requests to the card terminal for this sale, oldest first. */
  readonly cards: readonly CardRow[]
  /** Whether the sale's redemption is approved and can still be reversed at this time. */
  readonly reversalOpen: boolean
  /** Whether the sale's redemption is or was a payment of the sale. */
  readonly redemptionPaid: boolean
  /** The call that issued the miles of this sale, ISSUE or POST; the newest call if one was corrected. */
  readonly issuance: Operation | undefined
  readonly previewMiles: number | null
  /** Reason why CALCULATE refused the collector for this basket. */
  readonly previewRefusal: NoEarningReason | null
  /** Age check that the sale requires before it continues, or null. */
  readonly ageCheck: Sale['ageCheck']
  /** Offers from which the miles in `previewMiles` come. */
  readonly previewOffers: readonly PreviewOffer[]
  /** Data of a sale of another lane; absent for a sale of this lane. */
  readonly elsewhere?: Elsewhere
}

/** Stored taxes of a closed sale: rates, and the tax categories of each. */
const StoredTaxes = z.array(
  z.object({ code: TaxCode, ratePpm: z.int(), on: z.array(TaxCategory).transform((on) => new Set(on)) }),
)
export const storedTaxes = (taxes: readonly StoreTax[]): string =>
  JSON.stringify(taxes.map(({ code, ratePpm, on }) => ({ code, ratePpm, on: [...on] })))

/** Stored totals of a paid sale, for reports: in cents, before tax except `totalCents`. */
export const StoredTotals = z.object({
  grossCents: z.int().describe('before discounts'),
  discountCents: z.int(),
  netCents: z.int(),
  taxes: z.array(z.object({ code: TaxCode, amountCents: z.int() })),
  totalCents: z.int(),
  departments: z.record(z.string(), z.int()).describe('netCents by department'),
})
export type StoredTotals = z.infer<typeof StoredTotals>

export function storedTotals(parts: Discounted, { subtotalCents, taxes, totalCents }: SaleTotals): string {
  const lines = pricedLines(parts).filter(({ voided }) => !voided)
  const grossCents = lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0)
  const departments: Record<string, number> = {}
  for (const line of lines) departments[line.departmentId] = (departments[line.departmentId] ?? 0) + lineAmount(line)
  const totals: StoredTotals = {
    grossCents,
    discountCents: grossCents - subtotalCents,
    netCents: subtotalCents,
    taxes,
    totalCents,
    departments,
  }
  return JSON.stringify(totals)
}

/**
 * Returns the taxes stored with a closed sale, else the store's current taxes, without the taxes of which the sale is
 * exempt.
 */
export function taxesOfSale(
  sale: Pick<SaleRow, 'taxes' | 'exemption'>,
  today: readonly StoreTax[],
): readonly StoreTax[] {
  if (sale.taxes !== null) return StoredTaxes.parse(JSON.parse(sale.taxes))
  const exemption = exemptionOf(sale)
  return exemption ? exempt(today, exemption.relief) : today
}

export const exemptionOf = ({ exemption }: Pick<SaleRow, 'exemption'>): Exemption | null =>
  exemption === null ? null : Exemption.parse(JSON.parse(exemption))

/** The data from which the totals of a sale are calculated. */
export type PricedParts = Pick<SaleParts, 'lines' | 'discounts' | 'tenders'> & {
  readonly sale: Pick<SaleRow, 'taxes' | 'exemption'>
}
type Discounted = Pick<SaleParts, 'lines' | 'discounts'>

const sumOf = (shares: readonly Share[]): number => shares.reduce((sum, { amountCents }) => sum + amountCents, 0)

/** Converts the lines and discounts of a sale for the discount rules. */
export const pricingOf = ({ lines, discounts }: Discounted): Pricing => ({
  lines: lines.map((line) => ({
    ...line,
    unitPriceCents: cents(line.unitPriceCents),
    regularPriceCents: line.regularPriceCents === null ? null : cents(line.regularPriceCents),
    voided: line.voided === 1,
  })),
  discounts,
})

/** Returns the share of each discount on each line. */
export function sharesOf(parts: Discounted): Share[] {
  if (parts.discounts.length === 0) return []
  const { lines, discounts } = pricingOf(parts)
  return shareDiscounts(lines, discounts)
}

export function pricedLines(parts: Discounted): BasketLine[] {
  const shares = sharesOf(parts)
  return parts.lines.map((line) => basketLine(line, sumOf(shares.filter((share) => share.line === line.number))))
}

export function discountsOf(parts: Discounted): SaleDiscount[] {
  const shares = sharesOf(parts)
  const { lines } = pricingOf(parts)
  return parts.discounts.map((discount) => {
    const { number, reach, off, reason, coupon } = discount
    const amountCents = cents(sumOf(shares.filter((share) => share.discount === number)))
    return {
      number,
      reach,
      off,
      reason,
      coupon,
      amountCents,
      applies: off === null ? reachedBy(discount, lines).length > 0 : amountCents > 0,
    }
  })
}

/** Returns the codes of applied coupons, which are sent to the program (specification 3 §2.1, `coupon`). */
export const couponsOf = (parts: Discounted): string[] =>
  discountsOf(parts).flatMap(({ coupon, applies }) => (coupon && applies ? [coupon.code] : []))

export const totalsOf = (parts: PricedParts, taxes: readonly StoreTax[]): SaleTotals =>
  totalsOfLines(parts, pricedLines(parts), taxesOfSale(parts.sale, taxes))

export const totalsOfLines = (
  { tenders }: Pick<SaleParts, 'tenders'>,
  lines: readonly BasketLine[],
  taxes: readonly StoreTax[],
): SaleTotals =>
  totalBasket(
    lines,
    taxes,
    tenders.map((tender) => ({ kind: tender.kind, amountCents: cents(tender.amountCents) })),
  )

/**
 * Returns the signature of the data on which the miles of a basket depend: its collector and lines. A preview of miles
 * is valid only for the same signature.
 */
export const basketSignature = (parts: Pick<SaleParts, 'sale' | 'lines' | 'discounts'>): string => {
  const { sale } = parts
  return JSON.stringify([
    sale.id,
    sale.memberHash?.toString('hex') ?? null,
    sale.exemption,
    couponsOf(parts),
    pricedLines(parts).map((line) => [
      line.sku,
      line.quantity,
      line.unitPriceCents,
      line.voided,
      line.discount?.cents ?? 0,
    ]),
  ])
}

export function inquiryOf(sale: SaleRow): StoredInquiry | null {
  return sale.inquiry === null ? null : StoredInquiry.parse(JSON.parse(sale.inquiry))
}

/** Returns the stored INQUIRE, marked as outdated and without its balances, while a redemption is being reversed. */
export const outdated = ({ available: _available, ...inquiry }: StoredInquiry): StoredInquiry => ({
  ...inquiry,
  outdated: true,
  balances: null,
})

/**
 * Whether INQUIRE must be sent again before a redemption is offered: the basket had no whole unit or was refused as too
 * small and has grown, or miles have moved since. Other refusals do not depend on the basket.
 */
export function isAged(inquiry: StoredInquiry | null, totalCents: number): boolean {
  if (inquiry?.outdated) return true
  if (!inquiry || (inquiry.noRedemption !== null && inquiry.noRedemption !== 'basket-too-small')) return false
  const unitCents = inquiry.facts?.unitCents ?? REGULAR_UNIT.unitCents
  const [told, now] = [Math.floor(inquiry.toldCents / unitCents), Math.floor(totalCents / unitCents)]
  // The minimum basket for response code 0066 is not specified: any additional unit may reach it.
  return inquiry.noRedemption === 'basket-too-small' ? now > told : told < 1 && now >= 1
}

/** Converts a stored line to a basket line as it was rung, with its total discount. */
export const basketLine = (line: LineRow, discountCents = 0): BasketLine => ({
  number: line.number,
  sku: line.sku,
  name: line.name,
  quantity: line.quantity,
  unitPriceCents: cents(line.unitPriceCents),
  taxCategory: line.taxCategory,
  departmentId: line.departmentId,
  categoryId: line.categoryId,
  voided: line.voided === 1,
  regularPriceCents: line.regularPriceCents === null ? null : cents(line.regularPriceCents),
  note: line.note,
  ...(discountCents === 0 ? {} : { discount: { cents: cents(discountCents), pieces: line.quantity } }),
})

/** Returns why no miles may be promised to the collector; CALCULATE takes precedence over INQUIRE. */
export const noEarningOf = ({
  inquiry,
  previewRefusal,
}: Pick<SaleParts, 'inquiry' | 'previewRefusal'>): NoEarningReason | null =>
  previewRefusal ?? earningRefusedByInquire(inquiry?.responseCode ?? null)
