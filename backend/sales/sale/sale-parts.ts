import { z } from 'zod'
import { Exemption, type SaleDiscount } from '../../../contracts/sales/sale-changes.ts'
import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { type NoEarningReason, NoRedemptionReason, type Sale, type SaleTotals } from '../../../contracts/sales/sales.ts'
import { Names } from '../../../contracts/core/locales.ts'
import { REGULAR_UNIT, cents } from '../../../contracts/core/money.ts'
import { TaxCategory, TaxCode } from '../../../contracts/core/regions.ts'
import { lineAmount, totalBasket, type AppliedTender, type BasketLine } from './basket.ts'
import { chargeEarns } from './charges.ts'
import { reachedBy, shareDiscounts, type Pricing, type Share } from './discounts.ts'
import { earningRefusedByInquire } from '../../core/central/response-codes.ts'
import { exempt, type StoreTax } from '../../catalog/tax.ts'
import { isGoods } from '../../catalog/charges.ts'
import { piecesIn } from '../../catalog/packs.ts'
import { relievedCategory, ruledCategories } from '../../catalog/tax-rules.ts'
import type { BasketTaxRules } from '../../../contracts/core/region-taxes.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { CardRow, DiscountRow, SaleChange } from './sale-rows.sql.ts'
import type { Elsewhere } from './other-lane-sale.ts'
import type { LineRow, SaleRow, TenderRow } from './sales.sql.ts'

/**
 * Stored result of an INQUIRE. `balances` are only printed, and are not stored if the collector keeps them private
 * (response codes 0001 and 0005).
 */
export const StoredInquiry = z.object({
  toldCents: z.int(),
  /**
   * True after miles have moved since this INQUIRE. Its balances are then not used, shown or printed, and INQUIRE is
   * sent again.
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

export type PreviewOffer = Pick<GivenIssuance, 'issuanceOfferCode' | 'milesAmount' | 'contributingItemIds'> & {
  readonly description: Names
}

export interface SaleParts {
  readonly sale: SaleRow
  readonly inquiry: StoredInquiry | null
  readonly lines: readonly LineRow[]
  /** Tax rules for the basket of an open sale; left out for a closed sale, which stores their result. */
  readonly taxRules?: BasketTaxRules
  readonly discounts: readonly DiscountRow[]
  /** Last change of the sale; null if it cannot be undone. */
  readonly lastChange: SaleChange | null
  readonly tenders: readonly TenderRow[]
  readonly redemption: Operation | undefined
  readonly cards: readonly CardRow[]
  /** Whether the sale's redemption is approved and can still be reversed at this time. */
  readonly reversalOpen: boolean
  /** Whether the store lets gift cards pay for gift cards. */
  readonly giftCardsBuyGiftCards: boolean
  /** Whether the redemption paid a portion of this sale, even if that payment was given back. */
  readonly redemptionPaid: boolean
  /** The call that issues the miles of this sale (ISSUE or POST), or its newest corrected copy. */
  readonly issuance: Operation | undefined
  readonly previewMiles: number | null
  readonly previewRefusal: NoEarningReason | null
  readonly ageCheck: Sale['ageCheck']
  readonly previewOffers: readonly PreviewOffer[]
  readonly elsewhere?: Elsewhere
}

const StoredTaxes = z.array(
  z.object({ code: TaxCode, ratePpm: z.int(), on: z.array(TaxCategory).transform((on) => new Set(on)) }),
)
export const storedTaxes = (taxes: readonly StoreTax[]): string =>
  JSON.stringify(taxes.map(({ code, ratePpm, on }) => ({ code, ratePpm, on: [...on] })))

/** Stored totals of a paid sale in cents, for reports; all but `taxes` and `totalCents` are before tax. */
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
 * Returns the taxes of a sale: as stored when it was closed, else the store's current ones, without those from which
 * the sale is exempt.
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

export type PricedParts = Pick<SaleParts, 'lines' | 'taxRules' | 'discounts' | 'tenders'> & {
  readonly sale: Pick<SaleRow, 'taxes' | 'exemption'>
}
type Discounted = Pick<SaleParts, 'lines' | 'taxRules' | 'discounts'>

const sumOf = (shares: readonly Share[]): number => shares.reduce((sum, { amountCents }) => sum + amountCents, 0)

export const pricingOf = ({ lines, discounts }: Discounted): Pricing => ({
  lines: lines.map((line) => ({
    ...line,
    unitPriceCents: cents(line.unitPriceCents),
    regularPriceCents: line.regularPriceCents === null ? null : cents(line.regularPriceCents),
    voided: line.voided === 1,
  })),
  discounts,
})

export function sharesOf(parts: Discounted): Share[] {
  if (parts.discounts.length === 0) return []
  const { lines, discounts } = pricingOf(parts)
  return shareDiscounts(lines, discounts)
}

export function pricedLines(parts: Discounted): BasketLine[] {
  const shares = sharesOf(parts)
  const lines = parts.lines.map((line) => {
    const of = basketLine(line, sumOf(shares.filter((share) => share.line === line.number)))
    return line.chargeOf === null ? of : { ...of, earns: chargeEarns(parts.lines, line) }
  })
  return parts.taxRules && parts.lines.some(({ taxRule }) => taxRule !== null)
    ? ruledLines(lines, parts.taxRules)
    : lines
}

/** Applies the tax rules of the basket to its lines. */
export function ruledLines(lines: readonly BasketLine[], rules: BasketTaxRules): BasketLine[] {
  const categories = ruledCategories(
    lines.map((line) => ({
      ...line,
      taxRule: line.taxRule ?? null,
      // A fee is a part of the price of its item, and no piece of its own.
      quantity: isGoods(line) ? piecesIn({ quantity: line.quantity, packPieces: line.packPieces ?? null }) : 0,
      amountCents: lineAmount(line),
    })),
    rules,
  )
  return lines.map((line, at) => ({
    ...line,
    taxCategory: relievedCategory(categories[at] ?? line.taxCategory, line.exemption?.relief ?? null),
  }))
}

export function discountsOf(parts: Discounted): SaleDiscount[] {
  const shares = sharesOf(parts)
  const { lines } = pricingOf(parts)
  return parts.discounts.map((discount) => {
    const { number, reach, off, reason, coupon, promotion } = discount
    const amountCents = cents(sumOf(shares.filter((share) => share.discount === number)))
    return {
      number,
      reach,
      off,
      reason,
      coupon,
      promotion,
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
): SaleTotals => totalBasket(lines, taxes, appliedOf(tenders))

export const appliedOf = (tenders: SaleParts['tenders']): AppliedTender[] =>
  tenders.map(({ kind, amountCents }) => ({ kind, amountCents: cents(amountCents) }))

/**
 * Returns a text that changes when the miles of a basket may change: made of its collector, exemption, coupons and
 * lines. A preview of miles is valid only while the text is unchanged.
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
      ...(line.exemption ? [line.exemption] : []),
    ]),
  ])
}

export function inquiryOf(sale: SaleRow): StoredInquiry | null {
  return sale.inquiry === null ? null : StoredInquiry.parse(JSON.parse(sale.inquiry))
}

/** Returns the stored INQUIRE without its balances and marked as outdated, because its redemption is being reversed. */
export const outdated = ({ available: _available, ...inquiry }: StoredInquiry): StoredInquiry => ({
  ...inquiry,
  outdated: true,
  balances: null,
})

/**
 * Whether INQUIRE must be sent again before a redemption: miles have moved since, or the basket was too small and has
 * grown by a unit. Other refusals do not depend on the basket.
 */
export function isAged(inquiry: StoredInquiry | null, totalCents: number): boolean {
  if (inquiry?.outdated) return true
  if (!inquiry || (inquiry.noRedemption !== null && inquiry.noRedemption !== 'basket-too-small')) return false
  const unitCents = inquiry.facts?.unitCents ?? REGULAR_UNIT.unitCents
  const [inquired, now] = [Math.floor(inquiry.toldCents / unitCents), Math.floor(totalCents / unitCents)]
  // The specification does not define the minimum basket of response code 0066: any further unit may reach it.
  return inquiry.noRedemption === 'basket-too-small' ? now > inquired : inquired < 1 && now >= 1
}

export const basketLine = (line: LineRow, discountCents = 0): BasketLine => ({
  number: line.number,
  sku: line.sku,
  name: line.name,
  quantity: line.quantity,
  unitPriceCents: cents(line.unitPriceCents),
  taxCategory: relievedCategory(line.taxCategory, line.exemption?.relief ?? null),
  taxRule: line.taxRule,
  ...(line.exemption ? { exemption: line.exemption } : {}),
  ...(line.packPieces === null ? {} : { packPieces: line.packPieces }),
  ...(line.measure === null ? {} : { measure: line.measure }),
  departmentId: line.departmentId,
  categoryId: line.categoryId,
  voided: line.voided === 1,
  regularPriceCents: line.regularPriceCents === null ? null : cents(line.regularPriceCents),
  note: line.note,
  ...(line.chargeOf === null ? {} : { chargeOf: line.chargeOf }),
  returnDays: line.returnDays,
  ...(discountCents === 0 ? {} : { discount: { cents: cents(discountCents), pieces: line.quantity } }),
})

/**
 * Returns why no miles may be promised to the collector: the reason of CALCULATE or, without one, that of INQUIRE; null
 * if they may be.
 */
export const noEarningOf = ({
  inquiry,
  previewRefusal,
}: Pick<SaleParts, 'inquiry' | 'previewRefusal'>): NoEarningReason | null =>
  previewRefusal ?? earningRefusedByInquire(inquiry?.responseCode ?? null)
