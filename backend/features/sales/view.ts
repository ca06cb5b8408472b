import { z } from 'zod'
import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { NoEarningReason, NoRedemptionReason, Redemption, SaleIssuance, type EarningOffer, type Member, type Sale, type SaleTotals, type Tender } from '../../../contracts/api/sales.ts'
import { Bilingual } from '../../../contracts/locales.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import { TaxCategory, TaxCode } from '../../../contracts/regions.ts'
import { isoOf } from '../../clock.ts'
import { saleLineOf, totalBasket } from '../../domain/basket.ts'
import { earningRefusedByInquire, earningRefusedByIssuance } from '../../domain/earning-refusal.ts'
import { noRedemptionReason, redemptionChoice } from '../../domain/redemption.ts'
import { hidesBalances } from '../../domain/response-codes.ts'
import type { StoreTax } from '../../domain/tax.ts'
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
    dayBinds: z.boolean().optional(),
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
  /** What CALCULATE said of this basket's collector. */
  readonly previewRefusal: NoEarningReason | null
  /** The offers that previewMiles come from. */
  readonly previewOffers: readonly GivenIssuance[]
}

/** The taxes that a sale was closed under, as the database keeps them: rates, and what attracts each. */
const StoredTaxes = z.array(z.object({ code: TaxCode, ratePpm: z.int(), on: z.array(TaxCategory).transform((on) => new Set(on)) }))
export const storedTaxes = (taxes: readonly StoreTax[]): string => JSON.stringify(taxes.map(({ code, ratePpm, on }) => ({ code, ratePpm, on: [...on] })))

/** The taxes of a sale: those that it was closed under, else the store's of today. */
export const taxesOfSale = (sale: Pick<SaleRow, 'taxes'>, today: readonly StoreTax[]): readonly StoreTax[] => (sale.taxes === null ? today : StoredTaxes.parse(JSON.parse(sale.taxes)))

/** What the totals of a sale depend on. */
export type PricedParts = Pick<SaleParts, 'lines' | 'tenders'> & { readonly sale: Pick<SaleRow, 'taxes'> }

export function totalsOf(parts: PricedParts, taxes: readonly StoreTax[]): SaleTotals {
  return totalBasket(parts.lines.map(basketLine), taxesOfSale(parts.sale, taxes), parts.tenders.map((tender) => ({ kind: tender.kind, amountCents: cents(tender.amountCents) })))
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
export function viewOf(parts: SaleParts, taxes: readonly StoreTax[]): Sale {
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
    lines: parts.lines.map((line) => saleLineOf(basketLine(line), taxesOfSale(sale, taxes))),
    totals,
    member: viewMember(parts, inquiry, question && totals.totalCents > 0 ? noRedemptionReason(question) : null),
    milesPreview: parts.previewMiles === null ? null : miles(parts.previewMiles),
    earningOffers: viewOffers(parts),
    redemptionChoice: question && redemptionChoice(question),
    redemption: redemptionView,
    tenders: parts.tenders.map(viewTender),
    issuance: issuance ? viewIssuance(issuance) : null,
  }
}

/** One entry an offer, with the names of what earns it as the sale has them. An answer may name an offer more than once. */
function viewOffers({ previewOffers, lines }: SaleParts): EarningOffer[] {
  const offers = Map.groupBy(previewOffers.filter(({ milesAmount }) => milesAmount > 0), ({ issuanceOfferCode }) => issuanceOfferCode)
  return [...offers].map(([code, entries]) => {
    const skus = new Set(entries.flatMap(({ contributingItemIds }) => contributingItemIds ?? []))
    const named = new Map(lines.filter((line) => line.voided === 0 && skus.has(line.sku)).map((line) => [line.sku, basketLine(line).name]))
    return {
      code,
      description: entries.find(({ offerDescription }) => offerDescription?.trim())?.offerDescription ?? null,
      miles: miles(entries.reduce((sum, { milesAmount }) => sum + milesAmount, 0)),
      items: [...named.values()],
    }
  }).sort((a, b) => b.miles - a.miles)
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

/** What forbids a promise of miles to the sale's collector: CALCULATE's word before INQUIRE's. */
export const noEarningOf = ({ sale, previewRefusal }: Pick<SaleParts, 'sale' | 'previewRefusal'>): NoEarningReason | null =>
  previewRefusal ?? earningRefusedByInquire(inquiryOf(sale)?.responseCode ?? null)

function viewMember(parts: SaleParts, inquiry: StoredInquiry | null, basketReason: NoRedemptionReason | null): Member | null {
  const { sale } = parts
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
    noEarning: noEarningOf(parts),
  }
}

const viewIssuance = ({ state, miles: counted, responseCode, outcome }: Operation): z.infer<typeof SaleIssuance> => ({
  state: SaleIssuance.shape.state.parse(state),
  miles: counted === null ? null : miles(counted),
  refusal: state === 'dead' ? earningRefusedByIssuance(responseCode) : state === 'queued' || state === 'sent' || state === 'escalated' ? (NoEarningReason.safeParse(outcome).data ?? null) : null,
})

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
