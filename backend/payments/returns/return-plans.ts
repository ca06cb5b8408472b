import { RefundKind, type Refund, type ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import { type Cents, cents, miles, sumCents } from '../../../contracts/core/money.ts'
import { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import { isoOf } from '../../core/clock.ts'
import { type BasketLine, lineAmount, without, type Pieces } from '../../sales/sale/basket.ts'
import { isEmpties } from '../../catalog/charges.ts'
import { piecesWithCharges } from '../../sales/sale/charges.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import {
  couponsOfReturned,
  evenExchange,
  only,
  planRefunds,
  withEarlierCents,
  valueOfReturned,
  type GoodsOfReturn,
  type PlannedRefund,
  type ReturnValue,
} from './return-rules.ts'
import { type EvenLine, evenLines, evenPieces, evenSale, isPriceChanged, valueOfEven } from './even-exchange.ts'
import { reversalDeadline, reversalOpen } from '../../core/central/reversal-window.ts'
import { type StoreTax, storeTaxesOf } from '../../catalog/tax.ts'
import { ProblemError } from '../../core/problem.ts'
import { pricedLines, taxesOfSale, totalsOf, type SaleParts } from '../../sales/sale/sale-parts.ts'
import type { EarlierReturn } from '../../sales/sale/domain-events.ts'
import { type ReturnLineRow, returnRowsOf } from '../rows/returns.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { storeReturnsOf } from './store-returns.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export interface Plan {
  readonly now: SaleParts
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  readonly earlier: readonly EarlierReturn[]
  readonly totals: ReturnQuote['totals']
  readonly refunds: readonly PlannedRefund[]
  /**
   * Amount due on the open sale of an exchange (`dueCents`), and how much of it the store credit of the return pays
   * (`paysCents`). Both are 0 without an exchange.
   */
  readonly dueCents: number
  readonly paysCents: number
  /** Number of returned pieces that the customer buys again in the open sale, for which nothing is due before tax. */
  readonly evenCount: number
  /** Lines of the open sale with the prices of the even exchange; null if none of its prices changes. */
  readonly evenLines: readonly EvenLine[] | null
}

interface Goods {
  readonly before: readonly BasketLine[]
  readonly left: readonly BasketLine[]
}

export type RefundForm = Omit<Refund, 'reference'>

export const creditOf = (refunds: readonly RefundForm[]): number =>
  refunds.reduce((sum, { kind, amountCents }) => (kind === 'store-credit' ? sum + amountCents : sum), 0)

const partsOf = (ctx: Ctx, saleId: string): SaleParts =>
  storeReturnsOf(ctx).foreign(saleId) ?? salesOf(ctx).parts(saleId)

const taken = (ctx: Ctx, saleId: string): Pieces[] => [
  ...returnRowsOf(ctx).returned(saleId),
  ...storeReturnsOf(ctx)
    .elsewhere(saleId)
    .flatMap(({ lines }) => lines),
]

const earlierOf = (ctx: Ctx, saleId: string): EarlierReturn[] =>
  [
    ...returnRowsOf(ctx)
      .ofSale(saleId)
      .map(({ id, at }) => ({ isHere: true, at, lines: piecesOf(returnRowsOf(ctx).lines(id)) })),
    ...storeReturnsOf(ctx)
      .elsewhere(saleId)
      .map(({ at, lines }) => ({ isHere: false, at, lines })),
  ].toSorted((one, other) => one.at - other.at)

function completed(ctx: Ctx, saleId: string): SaleParts {
  const now = partsOf(ctx, saleId)
  if (now.sale.state !== 'completed') throw new ProblemError('sale-not-completed')
  return now
}

interface OpenSale {
  readonly totals: SaleTotals
  readonly worth: ReturnValue
  readonly evenCount: number
  readonly lines: readonly EvenLine[] | null
  /** Amount that store credit may pay of the open sale. */
  readonly payableCents: Cents
}

/**
 * Plans how a return pays the open sale. Pieces that the customer buys again get the price that was paid for them, so
 * that no difference before tax is due for them even if their price has changed; not after a payment of the open sale,
 * which freezes its prices. Throws `store-credit-pays-goods` if only gift cards are left to pay.
 */
function planExchange(
  ctx: Ctx,
  exchangeWith: string,
  worth: ReturnValue,
  { before, left }: Goods,
  lines: readonly BasketLine[],
  rates: readonly StoreTax[],
): OpenSale {
  const today = storeTaxesOf(ctx)()
  const open = salesOf(ctx).priced(exchangeWith)
  if (open.sale.state !== 'open') throw new ProblemError('sale-not-open')
  const totals = totalsOf(open, today)
  if (totals.dueCents <= 0) throw new ProblemError('nothing-due')
  const payableCents = salesOf(ctx).goodsLeftOf(exchangeWith).storeCreditCents
  if (payableCents <= 0) throw new ProblemError('store-credit-pays-goods')
  if (totals.tenderedCents > 0) return { totals, worth, evenCount: 0, lines: null, payableCents }
  const even = worth.totalCents > 0 ? evenPieces(lines, open) : []
  if (even.length === 0)
    return {
      totals,
      worth: evenExchange(worth, { returned: lines, left, rates }, totals),
      evenCount: 0,
      lines: null,
      payableCents,
    }
  const isFixed = isPriceChanged(even, open)
  const rung = open.lines.filter(({ chargeOf }) => chargeOf === null)
  const changed = evenLines(rung, even, isFixed)
  const after = salesOf(ctx).priced(exchangeWith, changed)
  const goods = even.flatMap(({ returned }) =>
    returned === null
      ? []
      : [
          returned,
          ...lines
            .filter(({ chargeOf }) => chargeOf === returned.number)
            .map((charge) => ({ ...charge, quantity: returned.quantity })),
        ],
  )
  return {
    totals: totalsOf(after, today),
    worth: valueOfEven(worth, { before, left, even: goods }, rates, evenSale(after, changed, today)),
    evenCount: even.reduce((sum, { quantity }) => sum + quantity, 0),
    lines: isFixed ? changed : null,
    payableCents: salesOf(ctx).goodsLeftOf(exchangeWith, changed).storeCreditCents,
  }
}

function valueOfReturn(
  ctx: Ctx,
  saleId: string,
  sold: readonly BasketLine[],
  { before, left }: Goods,
  { returned, rates }: Pick<GoodsOfReturn, 'returned' | 'rates'>,
): ReturnValue {
  const [here, elsewhere] = [returnRowsOf(ctx).ofSale(saleId), storeReturnsOf(ctx).elsewhere(saleId)]
  const earlier = {
    given: here.map(({ totals }) => totals),
    totalCents: [...here.map(({ totals }) => totals), ...elsewhere].reduce(
      (sum, { totalCents }) => sum + totalCents,
      0,
    ),
    returns: here.length + elsewhere.length,
  }
  return withEarlierCents(valueOfReturned(before, left, rates), valueOfReturned(sold, before, rates), earlier, {
    returned,
    rates,
  })
}

const refundsBefore = (ctx: Ctx, saleId: string) =>
  [
    ...returnRowsOf(ctx).refundsOfSale(saleId),
    ...storeReturnsOf(ctx)
      .elsewhere(saleId)
      .flatMap(({ refunds }) =>
        refunds.map((refund) => ({
          ...refund,
          kind: RefundKind.parse(refund.kind),
          paidBy: PaidBy.parse(refund.paidBy),
        })),
      ),
  ].map(({ kind, paidBy, amountCents, roundingCents }) => ({
    kind,
    paidBy,
    amountCents: cents(amountCents),
    roundingCents: cents(roundingCents),
  }))

function plan(ctx: Ctx, saleId: string, asked: readonly Pieces[], exchangeWith?: string): Plan {
  const now = completed(ctx, saleId)
  const sold = pricedLines(now)
  for (const { number } of asked) {
    if (!sold.some((line) => line.number === number && !line.voided && line.chargeOf === undefined))
      throw new ProblemError('return-nothing')
  }
  const before = without(sold, taken(ctx, saleId))
  if (only(sold, asked).some(isGiftCard)) throw new ProblemError('gift-card-kept')
  if (only(sold, asked).some(isEmpties)) throw new ProblemError('return-nothing')
  for (const { number } of asked) {
    const wanted = asked.filter((piece) => piece.number === number).reduce((sum, { quantity }) => sum + quantity, 0)
    if (wanted > (before.find((line) => line.number === number)?.quantity ?? 0))
      throw new ProblemError('return-exceeds-sold')
  }
  const pieces = piecesWithCharges(before, asked)
  const left = without(before, pieces)
  const rates = taxesOfSale(now.sale, storeTaxesOf(ctx)())
  const lines = only(before, pieces)
  const worth = valueOfReturn(ctx, saleId, sold, { before, left }, { returned: lines, rates })
  const open =
    exchangeWith === undefined ? null : planExchange(ctx, exchangeWith, worth, { before, left }, lines, rates)
  const totals = open?.worth ?? worth
  const dueCents = open?.totals.dueCents ?? 0
  const payableCents = Math.min(dueCents, open?.payableCents ?? 0)
  const refunds = planRefunds(
    totals.totalCents,
    {
      tenders: [
        ...now.tenders.map(({ kind, amountCents }) => ({ kind, amountCents: cents(amountCents) })),
        // Empty containers paid a portion of the sale, and count as a payment in cash.
        { kind: 'cash', amountCents: cents(0 - sumCents(sold.filter(isEmpties).map(lineAmount))) },
      ],
      refunds: refundsBefore(ctx, saleId),
      reversible:
        now.redemption?.state === 'approved' &&
        reversalOpen(ctx.clock.now(), now.redemption.transDateTime ?? '', ctx.profile.timeZone),
      couponCents: couponsOfReturned(sold, left, now.tenders),
    },
    payableCents,
  )?.map((refund) => (now.elsewhere ? atAnotherLane(refund) : refund))
  if (!refunds) throw new ProblemError('return-not-covered')
  return {
    now,
    lines,
    left,
    earlier: earlierOf(ctx, saleId),
    totals,
    refunds,
    dueCents,
    paysCents: Math.min(payableCents, creditOf(refunds)),
    evenCount: open?.evenCount ?? 0,
    evenLines: open?.lines ?? null,
  }
}

/** Returns the miles that can still be reversed, and their deadline (specification 3 §3). */
function reversibleOf(ctx: Ctx, { sale, redemption }: SaleParts): ReturnQuote['reversible'] {
  if (redemption?.state !== 'approved') return null
  if (refundsBefore(ctx, sale.id).some(({ kind }) => kind === 'miles')) return null
  const closesAt = reversalDeadline(redemption.transDateTime ?? '', ctx.profile.timeZone)
  if (!(ctx.clock.now() < closesAt)) return null
  return {
    closesAt: isoOf(closesAt),
    miles: miles(redemption.miles ?? 0),
    amountCents: cents(redemption.amountCents ?? 0),
  }
}

/** Plans a return of the sale in its current state, without changing anything. */
export const returnPlansOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    completed,
    partsOf,
    taken,
    plan,
    reversibleOf,
  }),
)

const piecesOf = (lines: readonly ReturnLineRow[]): Pieces[] =>
  lines.map(({ saleLineNumber, quantity }) => ({ number: saleLineNumber ?? 0, quantity }))

/**
 * A card terminal refunds only its own payments. For a card payment of another lane, the customer gets store credit.
 */
const atAnotherLane = (refund: PlannedRefund): PlannedRefund =>
  refund.kind === 'card-terminal' ? { ...refund, kind: 'store-credit', why: 'other-lane' } : refund
