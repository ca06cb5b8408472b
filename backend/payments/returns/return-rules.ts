import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import type { QuotedRefund, Refund } from '../../../contracts/payments/returns.ts'
import type { PaidBy, TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { cents, roundToNickel, sumCents, type Cents } from '../../../contracts/core/money.ts'
import {
  lineAmount,
  lineDiscount,
  totalBasket,
  type BasketLine,
  type Pieces,
  without,
} from '../../sales/sale/basket.ts'
import { coveredByCoupons } from '../../sales/sale/paid-coupons.ts'
import type { TenderRow } from '../../sales/sale/sales.sql.ts'
import type { TaxCode } from '../../../contracts/core/regions.ts'
import { type StoreTax, taxCodesOf } from '../../catalog/tax.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import type { TenderType } from '../tender-types/type.ts'

/**
 * Returns the returned pieces as lines, each with its share of the discount of the line. `before`: the lines before the
 * return. See docs/decisions/0015-order-of-refunds-and-limits-of-miles.md.
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
 * Values a return as the difference of the basket before and after it. Tax is calculated once on a basket, so a sum
 * over returned lines could differ by a cent, but the differences of all returns add up to the sale.
 */
export function valueOfReturned(
  before: readonly BasketLine[],
  after: readonly BasketLine[],
  taxes: readonly StoreTax[],
): ReturnValue {
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

export type ReturnValue = Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>

export const taxIn = ({ taxes }: Pick<ReturnValue, 'taxes'>, code: TaxCode): number =>
  taxes.find((tax) => tax.code === code)?.amountCents ?? 0

export const taxedWith = ({ subtotalCents }: ReturnValue, taxes: ReturnValue['taxes']): ReturnValue => ({
  subtotalCents,
  taxes,
  totalCents: sumCents([subtotalCents, ...taxes.map(({ amountCents }) => amountCents)]),
})

/** Goods of a sale at a return: those that it takes back, those that stay sold, and the taxes of the sale. */
export interface GoodsOfReturn {
  readonly returned: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  readonly rates: readonly StoreTax[]
}

const hasTax = (lines: readonly BasketLine[], code: TaxCode, rates: readonly StoreTax[]): boolean =>
  lines.some((line) => lineAmount(line) !== 0 && taxCodesOf(line, rates).includes(code))

/**
 * Corrects the value of a return by the cents of tax that earlier returns of the sale refunded above or below
 * `valueOfReturned`, as even exchanges do. `gone`: value of all goods returned before, by `valueOfReturned`; `given`:
 * refunded values of the returns whose taxes are known; `totalCents`: refunded total of all earlier returns. A tax is
 * corrected only if the returned goods have it, and never below zero; a later return corrects the rest. A difference of
 * more than one cent per return and tax is not rounding, and is ignored.
 */
export function withEarlierCents(
  worth: ReturnValue,
  gone: ReturnValue,
  { given, totalCents, returns }: { given: readonly ReturnValue[]; totalCents: number; returns: number },
  { returned, rates }: Pick<GoodsOfReturn, 'returned' | 'rates'>,
): ReturnValue {
  const isByCode = given.length === returns
  // Returns at other lanes have only a total, so book the difference on the first taxes of the goods.
  let rest = gone.totalCents - totalCents
  if (!isByCode && Math.abs(rest) > returns * worth.taxes.length) rest = 0
  const taxes = worth.taxes.map(({ code, amountCents }) => {
    const known = given.reduce((sum, one) => sum - taxIn(one, code), taxIn(gone, code))
    const difference = isByCode ? (Math.abs(known) <= returns ? known : 0) : rest
    if (!hasTax(returned, code, rates)) return { code, amountCents }
    const corrected = cents(Math.max(0, amountCents + difference))
    rest -= corrected - amountCents
    return { code, amountCents: corrected }
  })
  return taxedWith(worth, taxes)
}

/**
 * Whether an even exchange can refund these taxes. Each may differ from `worth` by a cent of rounding, but not exceed
 * the tax that remains of the sale. It must equal `worth` if no returned goods have the tax, or no goods that stay
 * sold, because no later return could correct it, and if `worth` is zero, because earlier returns may have refunded
 * more than their tax.
 */
export function isRefundable(
  refunded: Pick<ReturnValue, 'taxes'>,
  worth: ReturnValue,
  { returned, left, rates }: GoodsOfReturn,
): boolean {
  const stays = totalBasket(left, rates, [])
  return worth.taxes.every(({ code, amountCents }) => {
    const refundedCents = taxIn(refunded, code)
    if (amountCents === 0 || !hasTax(returned, code, rates) || !hasTax(left, code, rates))
      return refundedCents === amountCents
    const isRounding = Math.abs(refundedCents - amountCents) <= 1
    return isRounding && refundedCents >= 0 && refundedCents <= amountCents + taxIn(stays, code)
  })
}

/**
 * Values returned goods that are exchanged for goods of the same price and taxes: with the taxes of the new goods, so
 * that no cent of rounding is due, unless the returned sale could then not be refunded to the cent.
 */
export function evenExchange(worth: ReturnValue, goods: GoodsOfReturn, bought: ReturnValue): ReturnValue {
  const alone = totalBasket(goods.returned, goods.rates, [])
  const isLike =
    worth.subtotalCents === bought.subtotalCents &&
    alone.subtotalCents === bought.subtotalCents &&
    alone.taxes.length === bought.taxes.length &&
    alone.taxes.every(({ code, amountCents }) => taxIn(bought, code) === amountCents)
  return isLike && isRefundable(bought, worth, goods) ? taxedWith(worth, bought.taxes) : worth
}

/**
 * Returns the portion of all goods returned up to now that manufacturers' coupons paid: what the coupons pay of the
 * sold lines, less what they can still pay of the lines in `left`. A coupon is therefore refunded only as far as the
 * retained goods no longer qualify for it.
 */
export function couponsOfReturned(
  sold: readonly BasketLine[],
  left: readonly BasketLine[],
  tenders: readonly Pick<TenderRow, 'amountCents' | 'coupon'>[],
): Cents {
  const paid = tenders.flatMap(({ amountCents, coupon }) => (coupon ? [{ ...coupon, amountCents }] : []))
  const paidOf = (lines: readonly BasketLine[]): number =>
    coveredByCoupons(lines, paid).reduce((sum, price, at) => sum + Math.min(price, paid[at]?.amountCents ?? 0), 0)
  return cents(Math.max(0, paidOf(sold) - paidOf(left)))
}

export interface PaidAndRefunded {
  readonly tenders: readonly { readonly kind: TenderKind; readonly amountCents: Cents }[]
  readonly refunds: readonly Pick<Refund, 'kind' | 'paidBy' | 'amountCents' | 'roundingCents'>[]
  /** Whether the redemption that paid a portion of the sale can still be reversed (specification 3 §3: until 03:00). */
  readonly reversible: boolean
  /** Portion of all goods returned up to now that manufacturers' coupons paid: see `couponsOfReturned`. */
  readonly couponCents?: Cents
}

export type PlannedRefund = QuotedRefund

/**
 * Pools of payments (all vouchers together, cheques with manufacturers' coupons, each other type separately) and the
 * form of their refunds, in the order of refunding.
 */
const POOLS = [...new Map(Object.values(TENDER_TYPES).map(({ pool, goesBack }) => [pool, goesBack]))]

/**
 * Plans the refunds of an amount: first the portion that manufacturers' coupons paid of the goods, as store credit.
 * Then each pool of payments in its own form (to the card, then cash up to the cash paid, then cheques, coupons and
 * vouchers as store credit), and last the portion that miles paid. That portion is reversed if this return covers the
 * whole redemption and the window is open; otherwise it is store credit, never cash (specification 3 §4.5 rule 7).
 * `exchangeCents` pays another sale at once: first from store credit, then from cash, then from the rest; reversed
 * miles go to the collector. Returns null if the remaining payments do not cover the amount.
 */
export function planRefunds(
  amountCents: Cents,
  { tenders, refunds, reversible, couponCents = cents(0) }: PaidAndRefunded,
  exchangeCents = 0,
): PlannedRefund[] | null {
  const paid = (pool: PaidBy): number =>
    sumCents(tenders.filter(({ kind }) => TENDER_TYPES[kind].pool === pool).map((tender) => tender.amountCents))
  const refundedOf = (pool: PaidBy): number =>
    sumCents(refunds.filter(({ paidBy }) => paidBy === pool).map((refund) => refund.amountCents))

  // Refunds do not record whether a cheque or a coupon paid. Earlier ones above the coupons' portion were made when no
  // card payment and no cash remained, so no coupon becomes cash.
  const { pool: couponPool } = TENDER_TYPES['manufacturer-coupon']
  const couponsLeft = Math.min(couponCents, paid(couponPool)) - refundedOf(couponPool)
  const ofCoupons = Math.min(amountCents, Math.max(0, couponsLeft))
  let rest = amountCents - ofCoupons
  const taken = POOLS.map(([pool, goesBack]) => {
    const first = pool === couponPool ? ofCoupons : 0
    const more = Math.min(rest, paid(pool) - refundedOf(pool) - first)
    rest -= more
    return { pool, goesBack, cents: first + more }
  })
  if (rest > 0 || taken.some((portion) => portion.cents < 0)) return null

  const milesCents = taken.find(({ pool }) => pool === 'miles')?.cents ?? 0
  const split = refundedOf('miles') > 0
  const reversed = reversible && milesCents === paid('miles') && !split
  const isCredit = ({ pool, goesBack }: (typeof taken)[number]): boolean =>
    pool === 'miles' ? !reversed : goesBack.kind === 'store-credit'
  const creditCents = sumCents(taken.filter(isCredit).map((portion) => cents(portion.cents)))
  let wanted = Math.max(0, exchangeCents - creditCents)
  const exchangeCentsOf = new Map<PaidBy, number>()
  const usable = taken.filter((portion) => portion.pool !== 'miles' && !isCredit(portion))
  for (const portion of usable.toSorted((one, other) => Number(other.pool === 'cash') - Number(one.pool === 'cash'))) {
    const used = Math.min(portion.cents, wanted)
    wanted -= used
    exchangeCentsOf.set(portion.pool, used)
  }

  const cashCents = sumCents(refunds.filter(({ kind }) => kind === 'cash').map((refund) => refund.amountCents))
  const inForm = ({ pool, goesBack, cents: given }: (typeof taken)[number]): PlannedRefund => {
    const amount = given - (exchangeCentsOf.get(pool) ?? 0)
    const form = pool === 'miles' && !reversed ? late(reversible, split) : goesBack
    const rounding = form.kind === 'cash' ? cashRounding(cashCents, amount) : cents(0)
    return { paidBy: pool, amountCents: cents(amount), roundingCents: rounding, ...form }
  }
  const asCredit = [...exchangeCentsOf].toReversed().map(([pool, amount]): PlannedRefund => ({
    kind: 'store-credit',
    paidBy: pool,
    amountCents: cents(amount),
    roundingCents: cents(0),
    why: 'exchange',
  }))
  const isPlain = ({ kind }: PlannedRefund): boolean => kind !== 'store-credit' && kind !== 'miles'
  const forms = taken.map(inForm)
  return [...forms.filter(isPlain), ...asCredit, ...forms.filter((form) => !isPlain(form))].filter(
    (refund) => refund.amountCents > 0,
  )
}

const late = (reversible: boolean, split: boolean): TenderType['goesBack'] => ({
  kind: 'store-credit',
  why: !reversible ? 'miles-too-late' : split ? 'miles-split' : 'miles-part',
})

/**
 * Rounds the cash of all returns of a sale together to five cents: rounding each of three thirds of 22.59 would refund
 * 22.65 instead of 22.60.
 */
function cashRounding(before: number, now: number): Cents {
  const cashCents = roundToNickel(cents(before + now)) - roundToNickel(cents(before))
  return cents(cashCents - now || 0)
}
