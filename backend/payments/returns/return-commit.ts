import { refuseStale, salesOf } from '../../sales/sales.ts'
import type { CommitReturn } from '../../../contracts/payments/returns.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { BasketLine } from '../../sales/sale/basket.ts'
import type { PlannedRefund } from './return-rules.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { type ReservedGoods, storeReturnsOf } from './store-returns.ts'
import { type RefundForm, type Plan, creditOf, returnPlansOf } from './return-plans.ts'
import { type RefundRow, type ReturnRow, returnRowsOf } from '../rows/returns.sql.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import type { VoucherRow } from '../rows/vouchers.sql.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptView } from '../../../contracts/sales/sales.ts'
import { storeReturnRowsOf } from './rows.ts'
import { vouchersOf } from '../vouchers/vouchers.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { returnApprovalOf, returnViewsOf } from './return-options.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { saleRowsOf, stateOf } from '../../sales/sale/sales.sql.ts'
import type { EvenLine } from './even-exchange.ts'
import { returnPolicyOf } from './store-rules.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { cardTransactionsOf } from '../tenders/card-transactions.ts'
import { reversalsOf } from '../../loyalty/calls/reverse.ts'
import { tendersOf } from '../tenders/tenders.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { returnDocumentsOf } from './return-receipt.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'

export interface Committed {
  readonly row: ReturnRow
  readonly completed: boolean
  readonly goods: ReservedGoods
}

/**
 * Plans the return again before its commit. Throws ProblemError `sale-stale` or `return-changed` if the plan differs
 * from the displayed one.
 */
function planAsShown(ctx: Ctx, command: CommitReturn, reservationId: string | null): Plan {
  const { saleId, exchange } = command
  const planned = returnPlansOf(ctx).plan(saleId, command.lines, exchange?.saleId)
  refuseStale(planned.now.sale, command.version)
  if (!sameRefunds(planned.refunds, command.refunds)) throw new ProblemError('return-changed')
  // The quote was made before the server confirmed the sale. A return of the sale now requires a reservation.
  if (reservationId === null && storeReturnsOf(ctx).requiresReservation(saleId))
    throw new ProblemError('return-changed')
  return planned
}

function insert(
  ctx: Ctx,
  tx: Tx,
  row: ReturnRow,
  sequence: number,
  { now, lines }: Plan,
  reservationId: string | null,
): void {
  const repository = returnRowsOf(ctx)
  const shiftId = custodyOf(ctx).enter(tx, row.cashierId)
  // The table `store_return` has sale, approver and reason of a return of another lane's sale; this row has
  // placeholders.
  const own = now.elsewhere
    ? { saleId: null, approvedBy: row.approvedBy ?? row.cashierId, reason: row.reason ?? '-' }
    : {}
  repository.insert(tx, { ...row, ...own, sequence, lane: ctx.lane.id, shiftId })
  if (reservationId !== null) storeReturnsOf(ctx).commit(tx, reservationId, row.id)
  if (now.elsewhere) storeReturnRowsOf(ctx).insertReturn(tx, { ...row, saleId: now.sale.id }, lines)
  repository.insertLines(tx, row, lines)
}

function commit(ctx: Ctx, tx: Tx, command: CommitReturn, who: Who, reservationId: string | null): Committed {
  const guard = guardOf(ctx)
  const { saleId, exchange } = command
  const { actorId: cashierId } = who
  const planned = planAsShown(ctx, command, reservationId)
  const { now, lines, left, earlier, totals, refunds, paysCents } = planned
  const cardReference = cardReferenceOf(command, refunds)
  const rules = returnPolicyOf(ctx).checkPlan(planned, command.scanned, cashierId)
  const asked = returnApprovalOf(ctx).neededFor(saleId, planned, command.reason ?? null, rules)
  const approvedBy = asked && guard.authorize(asked.actions, who, asked.facts).approvedBy
  const { id, sequence } = salesOf(ctx).nextId()
  const at = ctx.clock.now()
  const row: ReturnRow = { id, saleId, cashierId, approvedBy, reason: command.reason ?? null, at, totals }
  if (approvedBy !== null && approvedBy !== cashierId)
    ctx.audit.record(tx, {
      kind: 'return-approved',
      actorId: approvedBy,
      subject: id,
      detail: { cashier: cashierId, totalCents: totals.totalCents },
    })
  returnPolicyOf(ctx).audit(tx, row, rules, totals.totalCents)
  insert(ctx, tx, row, sequence, planned, reservationId)
  const credit = refundsOf(ctx).insert(tx, row, refunds, now, cardReference)
  domainEventsOf(ctx).emit('return.committed', tx, {
    returnId: id,
    sale: now,
    at,
    lines,
    left,
    earlier,
    totals,
    tenders: refunds.flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind])),
  })
  // Raises the version of the sale, so that a second tap on the same screen is refused as outdated.
  if (!now.elsewhere) saleRowsOf(ctx).touch(tx, saleId)
  returnReceiptsOf(ctx).enqueue(tx, row)
  if (exchange && planned.evenLines) storeEvenLines(ctx, tx, exchange.saleId, planned.evenLines, row)
  const completed =
    exchange !== undefined && credit !== null && refundsOf(ctx).payAtOnce(tx, exchange, credit, paysCents)
  // Store credit that the exchange uses up completely needs no document.
  if (credit) vouchersOf(ctx).enqueueDocument(tx, credit.id)
  // Check the approval last, so that none is requested for a return that is refused anyway.
  if (asked) guard.needAll(asked.actions, who, asked.facts)
  return { row, completed, goods: reservedGoodsOf(row, saleId, lines, refunds) }
}

/** Stores the prices of an even exchange in the open sale, in the commit that pays it. */
function storeEvenLines(
  ctx: Ctx,
  tx: Tx,
  saleId: string,
  lines: readonly EvenLine[],
  { id, cashierId }: Pick<ReturnRow, 'id' | 'cashierId'>,
): void {
  const rows = saleRowsOf(ctx)
  for (const line of lines) {
    if (line.number !== line.from) rows.insertLine(tx, saleId, line)
    rows.setLine(tx, saleId, line.number, stateOf(line))
    if (line.replaces !== 'none')
      ctx.audit.record(tx, {
        kind: 'even-exchange',
        actorId: cashierId,
        subject: saleId,
        detail: { return: id, line: line.number, before: line.regularPriceCents, after: line.unitPriceCents },
      })
  }
}

/**
 * Makes the return in a transaction that is rolled back, to learn which goods and refunds to reserve. Throws the errors
 * of the return itself.
 */
function rehearse(ctx: Ctx, command: CommitReturn, who: Who): ReservedGoods {
  try {
    return ctx.transact((tx) => {
      throw new Rehearsed(
        commit(ctx, tx, command, who, storeReturnsOf(ctx).createForRehearsal(tx, command.saleId)).goods,
      )
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.goods
    throw error
  }
}

export const returnCommitsOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    commit,
    rehearse,
  }),
)

class Rehearsed extends Error {
  readonly goods: ReservedGoods
  constructor(goods: ReservedGoods) {
    super('rehearsed')
    this.goods = goods
  }
}

const reservedGoodsOf = (
  { at, totals }: Pick<ReturnRow, 'at' | 'totals'>,
  saleId: SaleId,
  lines: readonly BasketLine[],
  refunds: readonly RefundForm[],
): ReservedGoods => ({
  saleId,
  at,
  lines: lines.map(({ number, quantity }) => ({ number, quantity })),
  refunds: refunds.map(({ kind, paidBy, amountCents, roundingCents }) => ({
    kind,
    paidBy: paidBy ?? kind,
    amountCents,
    roundingCents,
  })),
  totalCents: totals.totalCents,
})

function cardReferenceOf(command: CommitReturn, refunds: readonly RefundForm[]): string | null {
  const reference = command.cardReference ?? null
  if (reference === null && refunds.some(({ kind }) => kind === 'card')) throw new ProblemError('return-card-reference')
  return reference
}

const sameRefunds = (planned: readonly PlannedRefund[], shown: CommitReturn['refunds']): boolean =>
  planned.length === shown.length &&
  planned.every(({ kind, paidBy, amountCents }) =>
    shown.some((refund) => refund.kind === kind && refund.paidBy === paidBy && refund.amountCents === amountCents),
  )

export type Refunds = ReturnType<typeof refundsOf>

/** Refunds the cards of a sale in the order of their payments, each at most with the amount that it paid. */
function giveCardsBack(ctx: Ctx, tx: Tx, { id, saleId }: ReturnRow, amountCents: number): void {
  const saleRows = saleRowsOf(ctx)
  if (saleId === null) throw new Error('goods without a record are only refunded as store credit')
  let left = amountCents
  for (const payment of saleRows.cards.ofSale(saleId)) {
    if (payment.kind !== 'payment' || !payment.approval) continue
    const amount = Math.min(left, payment.approval.amountCents - saleRows.cards.refundedCents(payment.reference))
    if (amount <= 0) continue
    cardTransactionsOf(ctx).refund(tx, payment, amount, id)
    left -= amount
  }
  if (left !== 0) throw new Error('the card refunds exceed the card payments')
}

/** Pays an open sale with the store credit of a return in the same commit. Returns whether that completed the sale. */
function payAtOnce(
  ctx: Ctx,
  tx: Tx,
  { saleId, version }: NonNullable<CommitReturn['exchange']>,
  { id }: VoucherRow,
  paysCents: number,
): boolean {
  vouchersOf(ctx).remember(id, saleId)
  const payment = { kind: 'voucher' as const, version, voucherId: id, amountCents: cents(paysCents) }
  return tendersOf(ctx).apply(tx, saleId, payment, salesOf(ctx).ownAuthorization())
}

export const refundsOf = perLane((ctx: Ctx) => {
  // The window had closed when the REVERSE arrived (0080): the miles stay redeemed, and the return or the sale gets
  // their value as store credit, never as cash (specification 3 §4.5 rule 7).
  const { events } = reversalsOf(ctx)
  events.on('redemption.reversal-expired', (tx, redemption) => {
    const refund = returnRowsOf(ctx).reversedBy(redemption.id)
    if (!refund) return tendersOf(ctx).creditLateReversal(tx, redemption)
    const source = { returnId: refund.returnId, operationId: redemption.id }
    vouchersOf(ctx).enqueueDocument(tx, vouchersOf(ctx).issue(tx, 'store-credit', refund.amountCents, source).id)
  })
  events.on('redemption.credited', (...credit) => tendersOf(ctx).creditLateReversal(...credit))
  return {
    ...bound(ctx, {
      payAtOnce,
    }),
    /**
     * Records the refunds of a return, and requests its card refunds and the reversal of its miles. `now`: the sale,
     * null without a record. Returns the store credit, one document for the whole amount, or null.
     */
    insert(
      tx: Tx,
      row: ReturnRow,
      refunds: readonly RefundForm[],
      now: SaleParts | null,
      cardReference: string | null,
    ): VoucherRow | null {
      const insertRefund = now?.elsewhere ? storeReturnRowsOf(ctx).insertRefund : returnRowsOf(ctx).insertRefund
      const creditCents = creditOf(refunds)
      const credit =
        creditCents > 0
          ? vouchersOf(ctx).issue(tx, 'store-credit', creditCents, { returnId: row.id, operationId: null })
          : null
      for (const [index, { kind, paidBy, amountCents, roundingCents }] of refunds.entries()) {
        const refund = {
          number: index + 1,
          kind,
          paidBy,
          amountCents,
          roundingCents,
          reference: null,
          operationId: null,
          voucherId: null,
        } satisfies RefundRow
        switch (kind) {
          case 'cash':
            insertRefund(tx, row.id, refund)
            break
          case 'card-terminal':
            insertRefund(tx, row.id, refund)
            giveCardsBack(ctx, tx, row, amountCents)
            break
          case 'card':
            insertRefund(tx, row.id, { ...refund, reference: cardReference })
            break
          case 'miles': {
            const redemption = now?.elsewhere ? storeReturnRowsOf(ctx).reversed(tx, row.id, now) : now?.redemption
            if (!redemption) throw new Error('a refund in miles has no redemption to reverse')
            insertRefund(tx, row.id, {
              ...refund,
              reference: redemption.confirmationNumber,
              operationId: redemption.id,
            })
            reversalsOf(ctx).request(tx, redemption, {}, {}, now?.redemption?.id)
            break
          }
          case 'store-credit':
            if (!credit) throw new Error('the store credit was not issued before its refund')
            insertRefund(tx, row.id, { ...refund, reference: credit.last4, voucherId: credit.id })
        }
      }
      return credit
    },
  }
})

/** Prints the receipt of a return when it is committed, provides it for screens, and prints copies. */
export const returnReceiptsOf = perLane((ctx: Ctx) => {
  const receipts = receiptsOf(ctx)
  const documents = returnDocumentsOf(ctx)
  const locale = receiptLocaleOf(ctx)
  const views = returnViewsOf(ctx)
  return {
    enqueue(tx: Tx, row: ReturnRow): void {
      const returned = views.viewOf(row)
      receipts.enqueueDocument(
        tx,
        { kind: 'return', id: row.id },
        documents.ofReturn(row, returned, 0, locale()),
        returned.refunds.some(({ kind }) => kind === 'cash'),
      )
    },

    receipt: (id: SaleId): ReceiptView => receipts.view(views.rowOf(id).id),

    reprint(id: SaleId, who: Who, locale?: Locale): { print: ReceiptView['print'] } {
      const row = views.rowOf(id)
      return receipts.reprint(
        { kind: 'return', id },
        {
          actorId: who.actorId,
          who,
          locale,
          composed: (copy, language) => documents.ofReturn(row, views.viewOf(row), copy, language),
        },
      )
    },
  }
})
