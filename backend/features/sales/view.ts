import { z } from 'zod'
import { NoRedemptionReason, Redemption, SaleIssuance, type Member, type Sale, type SaleTotals, type Tender } from '../../../contracts/api/sales.ts'
import { Bilingual } from '../../../contracts/locales.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import { TaxCode, type RegionTax } from '../../../contracts/regions.ts'
import { isoOf } from '../../clock.ts'
import { saleLineOf, totalBasket } from '../../domain/basket.ts'
import { noRedemptionReason, redemptionChoice } from '../../domain/redemption.ts'
import { hidesBalances } from '../../domain/response-codes.ts'
import type { Operation } from '../../journal/store.ts'
import type { LineRow, SaleRow, TenderRow } from './repository.ts'

/**
 * What a sale keeps of an INQUIRE. `balances` are for the paper receipt alone and are not even stored
 * when the collector keeps them private (0001, 0005).
 */
export const StoredInquiry = z.object({
  responseCode: z.string().nullable(),
  noRedemption: NoRedemptionReason.nullable(),
  available: z.object({ miles: z.int().optional(), cents: z.int().optional() }).optional(),
  facts: z.object({
    responseCode: z.string(),
    availableOfferUnits: z.int().optional(),
    availableCashMiles: z.int().optional(),
    availableCents: z.int().optional(),
    dailyOfferLimit: z.int().optional(),
    unitMiles: z.int().optional(),
    unitCents: z.int().optional(),
    offerType: z.string().optional(),
    offerDesc: Bilingual.optional(),
  }).nullable(),
  balances: z.object({ cashMiles: z.int().optional(), dreamMiles: z.int().optional() }).nullable(),
})
export type StoredInquiry = z.infer<typeof StoredInquiry>

export interface SaleParts {
  readonly sale: SaleRow
  readonly lines: readonly LineRow[]
  readonly tenders: readonly TenderRow[]
  readonly redemption: Operation | undefined
  /** The call that gave the miles of this sale: ISSUE or POST, the newest where one was corrected. */
  readonly issuance: Operation | undefined
  readonly previewMiles: number | null
}

const StoredRates = z.array(z.object({ code: TaxCode, ratePpm: z.int() }))

/** The taxes of a sale: those that it was closed under, else the store's of today. */
export const ratesOf = (sale: Pick<SaleRow, 'taxRates'>, taxes: readonly RegionTax[]): readonly RegionTax[] => (sale.taxRates === null ? taxes : StoredRates.parse(JSON.parse(sale.taxRates)))

export function totalsOf(parts: Pick<SaleParts, 'sale' | 'lines' | 'tenders'>, taxes: readonly RegionTax[]): SaleTotals {
  return totalBasket(parts.lines.map(basketLine), ratesOf(parts.sale, taxes), parts.tenders.map((tender) => ({ kind: tender.kind, amountCents: cents(tender.amountCents) })))
}

/** What the miles of a basket depend on: who earns them, and the lines. A preview of another basket is no preview of this one. */
export const basketSignature = ({ sale, lines }: Pick<SaleParts, 'sale' | 'lines'>): string =>
  JSON.stringify([sale.id, sale.memberHash?.toString('hex') ?? null, lines.map((line) => [line.sku, line.quantity, line.unitPriceCents, line.voided])])

export function inquiryOf(sale: SaleRow): StoredInquiry | null {
  return sale.inquiry === null ? null : StoredInquiry.parse(JSON.parse(sale.inquiry))
}

let revision = Date.now()
/** Grows with every view, also over restarts; a clock that was set back is no harm, since a restart makes every screen load anew. */
const nextRevision = (): number => (revision += 1)

/** The sale as a screen may see it. Balances have no way through here: the schema has no field for them. */
export function viewOf(parts: SaleParts, taxes: readonly RegionTax[]): Sale {
  const { sale, redemption, issuance } = parts
  const totals = totalsOf(parts, taxes)
  const inquiry = inquiryOf(sale)
  const redemptionView = redemption ? viewRedemption(redemption) : null
  // One redemption a sale: after an approval, or after one whose outcome is not known, no second is offered.
  const mayRedeem = sale.state === 'open' && inquiry?.facts && !inquiry.noRedemption && (!redemption || redemption.state === 'declined')
  const question = mayRedeem && inquiry.facts ? { postTaxTotalCents: totals.totalCents, dueCents: totals.dueCents, inquiry: branded(inquiry.facts) } : null
  return {
    id: sale.id,
    version: sale.version,
    revision: nextRevision(),
    state: sale.state,
    openedAt: isoOf(sale.openedAt),
    completedAt: sale.state === 'completed' && sale.closedAt !== null ? isoOf(sale.closedAt) : null,
    lines: parts.lines.map((line) => saleLineOf(basketLine(line), ratesOf(sale, taxes))),
    totals,
    member: viewMember(sale, inquiry, question && totals.totalCents > 0 ? noRedemptionReason(question) : null),
    milesPreview: parts.previewMiles === null ? null : miles(parts.previewMiles),
    redemptionChoice: question && redemptionChoice(question),
    redemption: redemptionView,
    tenders: parts.tenders.map(viewTender),
    issuance: issuance ? { state: SaleIssuance.shape.state.parse(issuance.state), miles: issuance.miles === null ? null : miles(issuance.miles) } : null,
  }
}

export const basketLine = (line: LineRow) => ({
  number: line.number,
  sku: line.sku,
  name: { 'en-CA': line.nameEn, 'fr-CA': line.nameFr },
  quantity: line.quantity,
  unitPriceCents: cents(line.unitPriceCents),
  taxCategory: line.taxCategory,
  departmentId: line.departmentId,
  categoryId: line.categoryId,
  voided: line.voided === 1,
})

function viewMember(sale: SaleRow, inquiry: StoredInquiry | null, basketReason: NoRedemptionReason | null): Member | null {
  if (sale.memberLast4 === null || sale.memberEntryMode === null || sale.memberState === null) return null
  const available = inquiry && inquiry.responseCode !== null && !hidesBalances(inquiry.responseCode) ? inquiry.available : undefined
  return {
    last4: sale.memberLast4,
    entryMode: sale.memberEntryMode,
    state: sale.memberState,
    availableCashMiles: available?.miles === undefined ? null : miles(available.miles),
    availableCents: available?.cents === undefined ? null : cents(available.cents),
    offer: inquiry?.facts?.offerType === 'SPL' ? (inquiry.facts.offerDesc ?? null) : null,
    noRedemption: inquiry?.noRedemption ?? basketReason,
  }
}

function viewRedemption(operation: Operation): Redemption {
  return {
    id: operation.id,
    state: Redemption.shape.state.parse(operation.state),
    units: operation.units ?? 0,
    amountCents: cents(operation.amountCents ?? 0),
    miles: miles(operation.miles ?? 0),
    confirmationNumber: operation.confirmationNumber,
    responseCode: operation.responseCode,
    outcome: Redemption.shape.outcome.parse(operation.outcome ?? 'sending'),
  }
}

const viewTender = (tender: TenderRow): Tender => ({
  kind: tender.kind,
  amountCents: cents(tender.amountCents),
  roundingCents: cents(tender.roundingCents),
  tenderedCents: cents(tender.tenderedCents),
  changeCents: cents(tender.changeCents),
  reference: tender.reference,
})

/** JSON from the database carries plain numbers; the domain wants them branded. */
function branded(facts: NonNullable<StoredInquiry['facts']>) {
  const { availableCashMiles, availableCents, unitMiles, unitCents, ...rest } = facts
  return {
    ...rest,
    ...(availableCashMiles === undefined ? {} : { availableCashMiles: miles(availableCashMiles) }),
    ...(availableCents === undefined ? {} : { availableCents: cents(availableCents) }),
    ...(unitMiles === undefined ? {} : { unitMiles: miles(unitMiles) }),
    ...(unitCents === undefined ? {} : { unitCents: cents(unitCents) }),
  }
}
