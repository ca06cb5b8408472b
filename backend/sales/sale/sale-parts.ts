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
import type { Elsewhere } from './elsewhere.ts'
import type { LineRow, SaleRow, TenderRow } from './sales.sql.ts'

/**
 * What a sale keeps of an INQUIRE. `balances` are for the paper receipt alone and are not even stored
 * when the collector keeps them private (0001, 0005).
 */
export const StoredInquiry = z.object({
  /** The total that INQUIRE was told, in cents. */
  toldCents: z.int(),
  /** Miles have moved since: what it says of them is neither offered, shown nor printed, and is asked for anew. */
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

/** An entry of a preview, with what the program calls its offer. */
export type PreviewOffer = Pick<GivenIssuance, 'issuanceOfferCode' | 'milesAmount' | 'contributingItemIds'> & {
  readonly description: Names
}

export interface SaleParts {
  readonly sale: SaleRow
  /** What INQUIRE said of its collector. */
  readonly inquiry: StoredInquiry | null
  readonly lines: readonly LineRow[]
  /** Those that stand, oldest first. */
  readonly discounts: readonly DiscountRow[]
  /** The last change, where it can be taken back. */
  readonly lastChange: SaleChange | null
  readonly tenders: readonly TenderRow[]
  readonly redemption: Operation | undefined
  /** What the card terminal was asked for this sale, oldest first. */
  readonly cards: readonly CardRow[]
  /** Whether that redemption is approved and can still be reversed by the clock of this moment. */
  readonly reversalOpen: boolean
  /** Whether that redemption is a payment of the sale, or was one until it was given back. */
  readonly redemptionPaid: boolean
  /** The call that gave the miles of this sale: ISSUE or POST, the newest where one was corrected. */
  readonly issuance: Operation | undefined
  readonly previewMiles: number | null
  /** What CALCULATE said of this basket's collector. */
  readonly previewRefusal: NoEarningReason | null
  /** What is asked for before the sale goes on; null: nothing. */
  readonly ageCheck: Sale['ageCheck']
  /** The offers that previewMiles come from. */
  readonly previewOffers: readonly PreviewOffer[]
  /** Of a sale of another lane: what its parts do not say. */
  readonly elsewhere?: Elsewhere
}

/** The taxes that a sale was closed under, as the database keeps them: rates, and what attracts each. */
const StoredTaxes = z.array(
  z.object({ code: TaxCode, ratePpm: z.int(), on: z.array(TaxCategory).transform((on) => new Set(on)) }),
)
export const storedTaxes = (taxes: readonly StoreTax[]): string =>
  JSON.stringify(taxes.map(({ code, ratePpm, on }) => ({ code, ratePpm, on: [...on] })))

/** What a sale came to when it was paid, as reports add it up: cents, before tax but for `totalCents`. */
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

/** The taxes of a sale: those that it was closed under, else the store's of today, less what it is exempt from. */
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

/** What the totals of a sale depend on. */
export type PricedParts = Pick<SaleParts, 'lines' | 'discounts' | 'tenders'> & {
  readonly sale: Pick<SaleRow, 'taxes' | 'exemption'>
}
type Discounted = Pick<SaleParts, 'lines' | 'discounts'>

const sumOf = (shares: readonly Share[]): number => shares.reduce((sum, { amountCents }) => sum + amountCents, 0)

/** The lines of a sale and what was granted on them, for the rules of discounts. */
export const pricingOf = ({ lines, discounts }: Discounted): Pricing => ({
  lines: lines.map((line) => ({
    ...line,
    unitPriceCents: cents(line.unitPriceCents),
    regularPriceCents: line.regularPriceCents === null ? null : cents(line.regularPriceCents),
    voided: line.voided === 1,
  })),
  discounts,
})

/** What each discount of a sale takes off each line as it stands. */
export function sharesOf(parts: Discounted): Share[] {
  if (parts.discounts.length === 0) return []
  const { lines, discounts } = pricingOf(parts)
  return shareDiscounts(lines, discounts)
}

/** The lines of a sale with what is taken off them. */
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

/** Codes of the coupons that apply: those that the program is told of (specification 3 §2.1, `coupon`). */
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
 * What the miles of a basket depend on: who earns them, and the lines. A preview of another basket is no preview of
 * this one.
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

/** What INQUIRE said, when a redemption is being given back: nothing of it holds but what the collector wishes. */
export const outdated = ({ available: _available, ...inquiry }: StoredInquiry): StoredInquiry => ({
  ...inquiry,
  outdated: true,
  balances: null,
})

/**
 * INQUIRE was told of a basket that held no unit, or called it too small, and the basket has grown; or miles have moved
 * since: what it answered is asked for anew before anything is offered. A refusal that speaks of the account or of the
 * loyalty service is none of the basket's.
 */
export function isAged(inquiry: StoredInquiry | null, totalCents: number): boolean {
  if (inquiry?.outdated) return true
  if (!inquiry || (inquiry.noRedemption !== null && inquiry.noRedemption !== 'basket-too-small')) return false
  const unitCents = inquiry.facts?.unitCents ?? REGULAR_UNIT.unitCents
  const [told, now] = [Math.floor(inquiry.toldCents / unitCents), Math.floor(totalCents / unitCents)]
  // How large a basket must be under 0066 is not shown: every unit more may be enough.
  return inquiry.noRedemption === 'basket-too-small' ? now > told : told < 1 && now >= 1
}

/** A line as it was rung, with what is taken off it in all. */
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

/** What forbids a promise of miles to the sale's collector: CALCULATE's word before INQUIRE's. */
export const noEarningOf = ({
  inquiry,
  previewRefusal,
}: Pick<SaleParts, 'inquiry' | 'previewRefusal'>): NoEarningReason | null =>
  previewRefusal ?? earningRefusedByInquire(inquiry?.responseCode ?? null)
