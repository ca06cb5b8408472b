import type { SaleTotals, TenderKind } from '../../contracts/api/sales.ts'
import type { QuotedRefund, Refund, RefundKind } from '../../contracts/api/returns.ts'
import { cents, roundToNickel, sumCents, type Cents } from '../../contracts/money.ts'
import { totalBasket, type BasketLine } from './basket.ts'
import type { StoreTax } from './tax.ts'

/** So many pieces of a line of the sale. */
export interface Pieces {
  readonly number: number
  readonly quantity: number
}

/** What is left of each line once pieces were taken out of it; void lines and lines that are gone are left out. */
export function without(lines: readonly BasketLine[], taken: readonly Pieces[]): BasketLine[] {
  return lines.flatMap((line) => {
    const quantity = line.quantity - taken.filter(({ number }) => number === line.number).reduce((sum, piece) => sum + piece.quantity, 0)
    return line.voided || quantity <= 0 ? [] : [{ ...line, quantity }]
  })
}

/** The lines that come back, each with the pieces that do. */
export const only = (lines: readonly BasketLine[], pieces: readonly Pieces[]): BasketLine[] =>
  pieces.flatMap(({ number, quantity }) => lines.filter((line) => line.number === number && !line.voided).map((line) => ({ ...line, quantity })))

/**
 * What comes back is worth what the basket is worth less for it. Tax is taken once on a basket, so a sum over returned
 * lines could drift by a cent; the difference cannot: all returns of a sale together are worth the sale.
 */
export function worthOf(before: readonly BasketLine[], after: readonly BasketLine[], taxes: readonly StoreTax[]): Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'> {
  const [whole, left] = [totalBasket(before, taxes, []), totalBasket(after, taxes, [])]
  return {
    subtotalCents: cents(whole.subtotalCents - left.subtotalCents),
    taxes: whole.taxes.map(({ code, amountCents }) => ({ code, amountCents: cents(amountCents - (left.taxes.find((tax) => tax.code === code)?.amountCents ?? 0)) })),
    totalCents: cents(whole.totalCents - left.totalCents),
  }
}

export interface PaidAndRefunded {
  readonly tenders: readonly { readonly kind: TenderKind; readonly amountCents: Cents }[]
  /** Of earlier returns of the sale. */
  readonly refunds: readonly Pick<Refund, 'kind' | 'amountCents' | 'roundingCents'>[]
  /** True while the redemption that paid a part of the sale can still be reversed (specification 3 §3: until 03:00). */
  readonly reversible: boolean
}

export type PlannedRefund = QuotedRefund

/**
 * In which form an amount goes back: to the card, then as cash up to the cash that came in, and last the part that miles
 * paid: reversed when this return covers the whole redemption and the window is open, else store credit, never cash
 * (specification 3 §4.5 rule 7). Null when the sale was not paid that much, or has given that much back already.
 */
export function planRefunds(amountCents: Cents, { tenders, refunds, reversible }: PaidAndRefunded): PlannedRefund[] | null {
  const paid = (kind: TenderKind): number => sumCents(tenders.filter((tender) => tender.kind === kind).map((tender) => tender.amountCents))
  const gone = (...kinds: RefundKind[]): number => sumCents(refunds.filter(({ kind }) => kinds.includes(kind)).map((refund) => refund.amountCents))
  const toCard = Math.min(amountCents, paid('card') - gone('card'))
  const inCash = Math.min(amountCents - toCard, paid('cash') - gone('cash'))
  const ofMiles = amountCents - toCard - inCash
  if (toCard < 0 || inCash < 0 || ofMiles > paid('miles') - gone('miles', 'store-credit')) return null
  const split = gone('miles', 'store-credit') > 0
  const whole = ofMiles === paid('miles') && !split
  const planned: PlannedRefund[] = [
    { kind: 'card', amountCents: cents(toCard), roundingCents: cents(0), why: 'paid-by-card' },
    { kind: 'cash', amountCents: cents(inCash), roundingCents: cashRounding(gone('cash'), inCash), why: 'paid-in-cash' },
    whole && reversible
      ? { kind: 'miles', amountCents: cents(ofMiles), roundingCents: cents(0), why: 'miles-whole' }
      : { kind: 'store-credit', amountCents: cents(ofMiles), roundingCents: cents(0), why: !reversible ? 'miles-too-late' : split ? 'miles-split' : 'miles-part' },
  ]
  return planned.filter((refund) => refund.amountCents > 0)
}

/**
 * Cash is handed out in five cents. What all returns of a sale hand out together is rounded, not each by itself: three
 * thirds of 22.59 rounded up would give 22.65 back for 22.60.
 */
function cashRounding(before: number, now: number): Cents {
  const handedOut = roundToNickel(cents(before + now)) - roundToNickel(cents(before))
  return cents(handedOut - now || 0)
}
