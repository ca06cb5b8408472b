import { CHARGE_SKUS } from '../../../contracts/catalog/goods.ts'
import { type Cents, cents, sumCents } from '../../../contracts/core/money.ts'
import type { ProblemCode } from '../../../contracts/core/errors.ts'
import { isEmpties } from '../../catalog/charges.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import { type AppliedTender, type BasketLine, lineAmount } from './basket.ts'

type Line = Pick<BasketLine, 'sku' | 'quantity' | 'unitPriceCents' | 'voided' | 'discount'>

const isDeposit = ({ sku }: Line): boolean => sku === CHARGE_SKUS.deposit

const sumOf = (lines: readonly Line[], counts: (line: Line) => boolean): Cents =>
  sumCents(lines.filter((line) => counts(line)).map((line) => lineAmount(line)))

const paidBy = (tenders: readonly AppliedTender[], ...kinds: readonly AppliedTender['kind'][]): Cents =>
  sumCents(tenders.filter(({ kind }) => kinds.includes(kind)).map(({ amountCents }) => amountCents))

const REFUSALS = {
  miles: 'miles-pay-goods',
  'manufacturer-coupon': 'miles-pay-goods',
  'store-credit': 'store-credit-pays-goods',
  'gift-card': 'gift-card-pays-goods',
} as const satisfies Partial<Record<AppliedTender['kind'], ProblemCode>>

/** Amounts of a sale that may still be paid in forms that buy no gift card; negative if these paid too much. */
export interface GoodsLeft {
  /** For miles and manufacturers' coupons: goods, fees and taxes. A deposit becomes cash with its empty container. */
  readonly milesCents: Cents
  /** For store credit: also deposits, because an exchange pays by store credit for goods with the same deposit. */
  readonly storeCreditCents: Cents
}

/**
 * Returns what miles, coupons and store credit may still pay. Like gift cards, they do not pay for gift cards, which
 * some regions pay out in cash (decision 15). All are counted together, because goods that were paid with miles leave
 * only the gift card for the store credit. Empty containers count as money that the customer brought.
 */
export function goodsLeft(
  lines: readonly Line[],
  totalCents: Cents,
  tenders: readonly AppliedTender[],
  giftCardsBuyGiftCards: boolean,
): GoodsLeft {
  const depositCents = sumOf(lines, isDeposit)
  const goodsCents = totalCents - depositCents - sumOf(lines, isGiftCard) - sumOf(lines, isEmpties)
  const milesCents = goodsCents - paidBy(tenders, 'miles', 'manufacturer-coupon')
  const byCard = giftCardsBuyGiftCards ? 0 : paidBy(tenders, 'gift-card')
  const storeCreditCents = milesCents + depositCents - paidBy(tenders, 'store-credit') - byCard
  return { milesCents: cents(Math.min(milesCents, storeCreditCents)), storeCreditCents: cents(storeCreditCents) }
}

/** Returns the problem of the last payment by miles, coupon or voucher if these paid too much of a sale; else null. */
export function refusedPayment(
  { milesCents, storeCreditCents }: GoodsLeft,
  tenders: readonly AppliedTender[],
): ProblemCode | null {
  if (milesCents >= 0 && storeCreditCents >= 0) return null
  if (storeCreditCents >= 0) return 'miles-pay-goods'
  const refusals = tenders.flatMap(({ kind, amountCents }) =>
    amountCents > 0 && kind in REFUSALS ? [REFUSALS[kind as keyof typeof REFUSALS]] : [],
  )
  return refusals.at(-1) ?? 'store-credit-pays-goods'
}
