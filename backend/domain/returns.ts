import type { SaleTotals, TenderKind } from '../../contracts/api/sales.ts'
import type { PaidBy, QuotedRefund, Refund, RefundKind, RefundReason } from '../../contracts/api/returns.ts'
import { cents, roundToNickel, sumCents, type Cents } from '../../contracts/money.ts'
import { lineDiscount, totalBasket, type BasketLine } from './basket.ts'
import type { StoreTax } from './tax.ts'

/** So many pieces of a line of the sale. */
export interface Pieces {
  readonly number: number
  readonly quantity: number
}

/** What is left of each line once pieces were taken out of it; void lines and lines that are gone are left out. */
export function without(lines: readonly BasketLine[], taken: readonly Pieces[]): BasketLine[] {
  return lines.flatMap((line) => {
    const quantity =
      line.quantity -
      taken.filter(({ number }) => number === line.number).reduce((sum, piece) => sum + piece.quantity, 0)
    return line.voided || quantity <= 0 ? [] : [{ ...line, quantity }]
  })
}

/**
 * The lines that come back, each with the pieces that do and the discount that they had: what the line is worth less
 * without them. `before` is what was still there.
 */
export function only(before: readonly BasketLine[], pieces: readonly Pieces[]): BasketLine[] {
  let there = before
  return pieces.flatMap((piece) => {
    const line = there.find(({ number, voided }) => number === piece.number && !voided)
    if (!line) return []
    const [rest] = without([line], [piece])
    there = without(there, [piece])
    return [
      {
        ...line,
        quantity: piece.quantity,
        discount: { cents: cents(lineDiscount(line) - (rest ? lineDiscount(rest) : 0)), pieces: piece.quantity },
      },
    ]
  })
}

/**
 * What comes back is worth what the basket is worth less for it. Tax is taken once on a basket, so a sum over returned
 * lines could drift by a cent; the difference cannot: all returns of a sale together are worth the sale.
 */
export function worthOf(
  before: readonly BasketLine[],
  after: readonly BasketLine[],
  taxes: readonly StoreTax[],
): Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'> {
  const [whole, left] = [totalBasket(before, taxes, []), totalBasket(after, taxes, [])]
  return {
    subtotalCents: cents(whole.subtotalCents - left.subtotalCents),
    taxes: whole.taxes.map(({ code, amountCents }) => ({
      code,
      amountCents: cents(amountCents - (left.taxes.find((tax) => tax.code === code)?.amountCents ?? 0)),
    })),
    totalCents: cents(whole.totalCents - left.totalCents),
  }
}

export interface PaidAndRefunded {
  readonly tenders: readonly { readonly kind: TenderKind; readonly amountCents: Cents }[]
  /** Of earlier returns of the sale. */
  readonly refunds: readonly Pick<Refund, 'kind' | 'paidBy' | 'amountCents' | 'roundingCents'>[]
  /** True while the redemption that paid a part of the sale can still be reversed (specification 3 §3: until 03:00). */
  readonly reversible: boolean
}

export type PlannedRefund = QuotedRefund

const paidByOf = (kind: TenderKind): PaidBy => (kind === 'store-credit' || kind === 'gift-card' ? 'voucher' : kind)

/**
 * In which form an amount goes back: to the card, then as cash up to the cash that came in, then what vouchers paid as
 * store credit, and last the part that miles paid: reversed when this return covers the whole redemption and the window
 * is open, else store credit, never cash (specification 3 §4.5 rule 7). `exchangeCents` of it pays another sale at
 * once: what is store credit anyway, then what would be cash, then the card's; miles that go back are left to the
 * collector. Null when the sale was not paid that much, or has given that much back already.
 */
export function planRefunds(
  amountCents: Cents,
  { tenders, refunds, reversible }: PaidAndRefunded,
  exchangeCents = 0,
): PlannedRefund[] | null {
  const paid = (by: PaidBy): number =>
    sumCents(tenders.filter(({ kind }) => paidByOf(kind) === by).map((tender) => tender.amountCents))
  const gone = (by: PaidBy): number =>
    sumCents(refunds.filter(({ paidBy }) => paidBy === by).map((refund) => refund.amountCents))
  const left = (by: PaidBy): number => paid(by) - gone(by)
  const ofCard = Math.min(amountCents, left('card'))
  const ofCash = Math.min(amountCents - ofCard, left('cash'))
  const ofVoucher = Math.min(amountCents - ofCard - ofCash, left('voucher'))
  const ofMiles = amountCents - ofCard - ofCash - ofVoucher
  if (ofCard < 0 || ofCash < 0 || ofVoucher < 0 || ofMiles > left('miles')) return null
  const split = gone('miles') > 0
  const reversed = reversible && ofMiles === paid('miles') && !split
  const wanted = Math.max(0, exchangeCents - ofVoucher - (reversed ? 0 : ofMiles))
  const cashKept = Math.min(ofCash, wanted)
  const cardKept = Math.min(ofCard, wanted - cashKept)
  const handedOut = sumCents(refunds.filter(({ kind }) => kind === 'cash').map((refund) => refund.amountCents))
  const form = (
    kind: RefundKind,
    paidBy: PaidBy,
    amount: number,
    why: RefundReason,
    rounding = cents(0),
  ): PlannedRefund => ({ kind, paidBy, amountCents: cents(amount), roundingCents: rounding, why })
  return [
    form('card', 'card', ofCard - cardKept, 'paid-by-card'),
    form('cash', 'cash', ofCash - cashKept, 'paid-in-cash', cashRounding(handedOut, ofCash - cashKept)),
    form('store-credit', 'card', cardKept, 'exchange'),
    form('store-credit', 'cash', cashKept, 'exchange'),
    form('store-credit', 'voucher', ofVoucher, 'paid-by-voucher'),
    reversed
      ? form('miles', 'miles', ofMiles, 'miles-whole')
      : form('store-credit', 'miles', ofMiles, !reversible ? 'miles-too-late' : split ? 'miles-split' : 'miles-part'),
  ].filter((refund) => refund.amountCents > 0)
}

/**
 * Cash is handed out in five cents. What all returns of a sale hand out together is rounded, not each by itself: three
 * thirds of 22.59 rounded up would give 22.65 back for 22.60.
 */
function cashRounding(before: number, now: number): Cents {
  const handedOut = roundToNickel(cents(before + now)) - roundToNickel(cents(before))
  return cents(handedOut - now || 0)
}
