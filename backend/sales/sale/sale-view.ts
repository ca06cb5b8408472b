import type { z } from 'zod'
import {
  NoEarningReason,
  type NoRedemptionReason,
  Redemption,
  SaleIssuance,
  type EarningOffer,
  type Member,
  type RedemptionChoice,
  type Sale,
  type SaleTotals,
  type Tender,
} from '../../../contracts/sales/sales.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import type { CardPayment, ReceiptCard } from '../../../contracts/payments/tenders/card-terminal.ts'
import { isoOf } from '../../core/clock.ts'
import { saleLineOf, type BasketLine } from './basket.ts'
import { goodsLeft } from './goods-payments.ts'
import { earningRefusedByIssuance, hidesBalances } from '../../core/central/response-codes.ts'
import { noRedemptionReason, redemptionChoice } from './redemption.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { type CardRow, openCardPayment } from './sale-rows.sql.ts'
import {
  appliedOf,
  basketLine,
  discountsOf,
  exemptionOf,
  isAged,
  noEarningOf,
  pricedLines,
  taxesOfSale,
  totalsOfLines,
  type SaleParts,
  type StoredInquiry,
} from './sale-parts.ts'
import type { TenderRow } from './sales.sql.ts'

let revision = Date.now()
/**
 * Returns a number that increases with every view of a sale that is sent to screens, also over restarts. A clock that
 * was set back does no harm: after a restart, every screen reloads.
 */
const nextRevision = (): number => (revision += 1)

/** Converts a sale for screens, with the miles that its collector can redeem, but never with the balances. */
export function viewOf(parts: SaleParts, taxes: readonly StoreTax[]): Sale {
  const { sale, redemption, issuance } = parts
  const lines = pricedLines(parts)
  const itsTaxes = taxesOfSale(sale, taxes)
  const totals = totalsOfLines(parts, lines, itsTaxes)
  const question = redemptionQuestion(parts, lines, totals)
  return {
    id: sale.id,
    version: sale.version,
    revision: nextRevision(),
    state: sale.state,
    openedAt: isoOf(sale.openedAt),
    completedAt: sale.state === 'completed' && sale.closedAt !== null ? isoOf(sale.closedAt) : null,
    lines: lines.map((line) => saleLineOf(line, itsTaxes)),
    discounts: discountsOf(parts),
    exemption: exemptionOf(sale),
    buyers: sale.buyers,
    note: sale.note,
    undo:
      sale.state === 'open' &&
      redemption?.state !== 'intent' &&
      redemption?.state !== 'retry' &&
      !openCardPayment(parts.cards)
        ? (parts.lastChange?.kind ?? null)
        : null,
    totals,
    member: viewMember(parts, question && totals.totalCents > 0 ? noRedemptionReason(question) : null),
    milesPreview: parts.previewMiles === null ? null : miles(parts.previewMiles),
    earningOffers: viewOffers(parts),
    redemptionChoice: question && redemptionChoice(question),
    redemption: redemption ? viewRedemption(redemption, parts) : null,
    cardPayment: viewCardPayment(parts.cards.findLast(({ kind }) => kind === 'payment')),
    tenders: parts.tenders.map((tender) => viewTender(tender, parts.cards)),
    issuance: issuance ? viewIssuance(issuance) : null,
    ageCheck: parts.ageCheck,
  }
}

export function redemptionChoiceOf(parts: SaleParts, taxes: readonly StoreTax[]): RedemptionChoice | null {
  const lines = pricedLines(parts)
  const question = redemptionQuestion(parts, lines, totalsOfLines(parts, lines, taxesOfSale(parts.sale, taxes)))
  return question && redemptionChoice(question)
}

/**
 * Returns the data of the next redemption; null without a current answer to INQUIRE, during a card payment, and after a
 * redemption that was approved or has an unknown outcome, until its miles were given back.
 */
function redemptionQuestion(
  { sale, inquiry, redemption, cards, tenders, giftCardsBuyGiftCards }: SaleParts,
  lines: readonly BasketLine[],
  totals: SaleTotals,
) {
  const free = !redemption || redemption.state === 'declined' || redemption.state === 'reversed'
  const known = sale.state === 'open' && sale.memberState !== 'pending' && !isAged(inquiry, totals.totalCents)
  if (!known || !free || openCardPayment(cards) || !inquiry?.facts || inquiry.noRedemption) return null
  return {
    postTaxTotalCents: totals.totalCents,
    dueCents: totals.dueCents,
    goodsCents: goodsLeft(lines, totals.totalCents, appliedOf(tenders), giftCardsBuyGiftCards).milesCents,
    inquiry: branded(inquiry.facts),
  }
}

function viewOffers({ previewOffers, lines }: SaleParts): EarningOffer[] {
  const offers = Map.groupBy(
    previewOffers.filter(({ milesAmount }) => milesAmount > 0),
    ({ issuanceOfferCode }) => issuanceOfferCode,
  )
  return [...offers]
    .map(([code, entries]) => {
      const skus = new Set(entries.flatMap(({ contributingItemIds }) => contributingItemIds ?? []))
      const named = new Map(
        lines
          .filter((line) => line.voided === 0 && skus.has(line.sku))
          .map((line) => [line.sku, basketLine(line).name]),
      )
      return {
        code,
        description: entries[0]?.description ?? {},
        miles: miles(entries.reduce((sum, { milesAmount }) => sum + milesAmount, 0)),
        items: [...named.values()],
      }
    })
    .sort((a, b) => b.miles - a.miles)
}

function viewMember(parts: SaleParts, basketReason: NoRedemptionReason | null): Member | null {
  const { sale, inquiry } = parts
  if (sale.memberLast4 === null || sale.memberEntryMode === null || sale.memberState === null) return null
  const available =
    inquiry && inquiry.responseCode !== null && !hidesBalances(inquiry.responseCode) ? inquiry.available : undefined
  return {
    last4: sale.memberLast4,
    entryMode: sale.memberEntryMode,
    state: sale.memberState,
    availableCashMiles: available?.miles === undefined ? null : miles(available.miles),
    availableCents: available?.cents === undefined ? null : cents(available.cents),
    offer: inquiry?.facts?.offerType === 'SPL' ? (inquiry.facts.offerDesc ?? null) : null,
    noRedemption: inquiry?.noRedemption ?? basketReason,
    message: inquiry?.noRedemption ? (inquiry.message ?? null) : null,
    noEarning: noEarningOf(parts),
  }
}

const milesOrNull = (count: number | null) => (count === null ? null : miles(count))
const viewIssuance = ({
  state,
  miles: counted,
  pendingMiles,
  rejectedMiles,
  responseCode,
  outcome,
}: Operation): z.infer<typeof SaleIssuance> => ({
  state: SaleIssuance.shape.state.parse(state),
  miles: milesOrNull(counted),
  pending: milesOrNull(pendingMiles),
  rejected: milesOrNull(rejectedMiles),
  refusal:
    state === 'dead'
      ? earningRefusedByIssuance(responseCode)
      : state === 'queued' || state === 'sent' || state === 'escalated'
        ? (NoEarningReason.safeParse(outcome).data ?? null)
        : null,
})

function viewRedemption(operation: Operation, { reversalOpen, redemptionPaid }: SaleParts): Redemption {
  return {
    id: operation.id,
    state: Redemption.shape.state.parse(operation.state),
    units: operation.units ?? 0,
    amountCents: cents(operation.amountCents ?? 0),
    miles: miles(operation.miles ?? 0),
    confirmationNumber: operation.confirmationNumber,
    responseCode: operation.responseCode,
    outcome: Redemption.shape.outcome.parse(operation.outcome ?? 'sending'),
    // Without a response code, the detail was written by the lane, not by the program.
    message: operation.state === 'declined' && operation.responseCode !== null ? operation.detail : null,
    wasApplied: redemptionPaid,
    goesBackAs: operation.state === 'approved' ? (reversalOpen ? 'miles' : 'store-credit') : null,
  }
}

function viewCardPayment(row: CardRow | undefined): CardPayment | null {
  if (!row) return null
  const { reference, amountCents, state, reason, approval } = row
  return { reference, amountCents: cents(amountCents), approvedCents: approval?.amountCents ?? null, state, reason }
}

function receiptCardOf(tender: TenderRow, cards: readonly CardRow[]): ReceiptCard | null {
  if (tender.kind !== 'card-terminal') return null
  const approval = cards.find(({ reference }) => reference === tender.reference)?.approval
  return approval
    ? { ...approval.card, authorisationCode: approval.authorisationCode, lines: approval.customerLines }
    : null
}

export const viewTender = (tender: TenderRow, cards: readonly CardRow[]): Tender => ({
  number: tender.number,
  kind: tender.kind,
  amountCents: cents(tender.amountCents),
  roundingCents: cents(tender.roundingCents),
  tenderedCents: cents(tender.tenderedCents),
  changeCents: cents(tender.changeCents),
  reference: tender.reference,
  ...(tender.voucherBalanceCents === null ? {} : { leftCents: cents(tender.voucherBalanceCents) }),
  ...cardOf(tender, cards),
  ...(tender.coupon ? { coupon: { name: tender.coupon.name, faceCents: tender.coupon.faceCents } } : {}),
})

function cardOf(tender: TenderRow, cards: readonly CardRow[]): Pick<Tender, 'card'> {
  const card = receiptCardOf(tender, cards)
  return card ? { card } : {}
}

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
