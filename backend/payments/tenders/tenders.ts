import type { Sale } from '../../../contracts/sales/sales.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Tx } from '../../core/db/transact.ts'
import { reversalOpen } from '../../core/central/reversal-window.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { type NewTender, type TenderRow, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { storedTaxes, storedTotals, taxesOfSale, totalsOf, type SaleParts } from '../../sales/sale/sale-parts.ts'
import { viewOf } from '../../sales/sale/sale-view.ts'
import { manufacturerCouponsOf } from './manufacturer-coupons.ts'
import { type Take, checkAmount, createTakeCard, takeCash, takeCheque } from './take.ts'
import { salesOf } from '../../sales/sales.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { reversalsOf } from '../../loyalty/calls/reverse.ts'
import { vouchersOf } from '../vouchers/vouchers.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { cardTransactionsOf } from './card-transactions.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

type TenderHandlers = { readonly [Kind in AddTender['kind']]: Take<Kind> }

const tenderHandlersOf = perLane((ctx: Ctx): TenderHandlers => {
  const vouchers = vouchersOf(ctx)
  return {
    cash: takeCash,
    card: createTakeCard(ctx),
    cheque: takeCheque,
    'manufacturer-coupon': manufacturerCouponsOf(ctx).take,
    voucher({ tx, saleId, dueCents }, { voucherId, amountCents }) {
      checkAmount(amountCents, dueCents)
      return vouchers.pay(tx, saleId, voucherId, amountCents)
    },
  }
})

/**
 * Records that the signed-in person serves the sale. Call before completing the sale, because the receipt names that
 * person.
 */
function serve(ctx: Ctx, tx: Tx, saleId: string): void {
  const staff = ctx.signedIn()
  if (staff) saleRowsOf(ctx).serve(tx, saleId, staff.id)
}

/**
 * Completes the sale in the transaction of the tender that pays the rest; issuance, receipt and vouchers commit with
 * it. Returns false while an amount is due or an age check is open.
 */
function completeWhenPaid(ctx: Ctx, tx: Tx, saleId: string): boolean {
  const sales = salesOf(ctx)
  const taxes = storeTaxesOf(ctx)
  if (totalsOf(sales.priced(saleId), taxes()).dueCents !== 0) return false
  const now = sales.parts(saleId)
  // Do not complete the sale during an open age check: an approved redemption may have paid the rest.
  if (now.ageCheck !== null) return false
  const at = ctx.clock.now()
  const view = viewOf(now, taxes())
  sales.storePromotions(tx, now)
  sales.storeCharges(tx, now)
  sales.storeTaxCategories(tx, now)
  saleRowsOf(ctx).close(tx, saleId, {
    state: 'completed',
    at,
    taxes: storedTaxes(taxesOfSale(now.sale, taxes())),
    totals: storedTotals(now, view.totals),
    shiftId: custodyOf(ctx).enter(tx, now.sale.servedBy),
  })
  domainEventsOf(ctx).emit('sale.completed', tx, { parts: now, view, at })
  return true
}

function announce(ctx: Ctx, saleId: string, completed: boolean): Sale {
  const sale = salesOf(ctx).publish(saleId, 'tender')
  if (completed) announceClosed(ctx, sale.id, 'completed')
  return sale
}

function announceClosed(ctx: Ctx, saleId: Sale['id'], state: 'completed' | 'cancelled'): void {
  ctx.publish({ type: 'sale-closed', saleId, state })
  salesOf(ctx).forgetPreview(saleId)
}

function apply(ctx: Ctx, tx: Tx, saleId: Sale['id'], tender: AddTender, who: Who): boolean {
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const now = sales.forPayment(saleId, tender.version)
  const due = totalsOf(now, storeTaxesOf(ctx)()).dueCents
  if (due <= 0) throw new ProblemError('nothing-due')
  if (!ctx.profile.payments.includes(tender.kind))
    throw new ProblemError('body-invalid', [{ path: '/kind', message: 'this store does not accept this payment type' }])
  sales.freezePrices(tx, saleId)
  const take = tenderHandlersOf(ctx)[tender.kind] as Take<typeof tender.kind>
  const taken = take({ tx, saleId, dueCents: cents(due), who }, tender)
  repository.insertTender(tx, saleId, taken, {
    at: ctx.clock.now(),
    shiftId: custodyOf(ctx).enter(tx, now.sale.servedBy),
  })
  sales.refuseBelowTendered(saleId)
  repository.touch(tx, saleId)
  serve(ctx, tx, saleId)
  return completeWhenPaid(ctx, tx, saleId)
}

/**
 * Reverses an approved redemption in the commit that removes its payment from the sale. Returns false if the reversal
 * window has closed: the commit then issues store credit, and no call is made.
 */
function giveMilesBack(ctx: Ctx, tx: Tx, redemption: Operation): boolean {
  const reversals = reversalsOf(ctx)
  const isOpen = reversalOpen(ctx.clock.now(), redemption.transDateTime ?? '', ctx.profile.timeZone)
  if (isOpen) reversals.request(tx, redemption)
  else reversals.expire(tx, redemption)
  return isOpen
}

/**
 * Refunds a card terminal's payment that is given back. The request commits with the removal of the payment from the
 * sale.
 */
function giveCardBack(ctx: Ctx, tx: Tx, { cards }: SaleParts, tender: TenderRow): void {
  if (tender.kind !== 'card-terminal') return
  const payment = cards.find(({ reference }) => reference === tender.reference)
  if (!payment) throw new Error('the card payment of the tender is not recorded')
  cardTransactionsOf(ctx).refund(tx, payment, tender.amountCents)
}

/** Draws the missing value of a voucher payment from the store server, unless the payment would be refused anyway. */
async function prepare(ctx: Ctx, saleId: Sale['id'], tender: AddTender): Promise<void> {
  if (tender.kind !== 'voucher') return
  const now = salesOf(ctx).current()
  const isFit = now?.id === saleId && now.version === tender.version && tender.amountCents <= now.totals.dueCents
  if (isFit && tender.amountCents > 0) await vouchersOf(ctx).prepare(saleId, tender.voucherId, tender.amountCents)
}

function add(ctx: Ctx, saleId: Sale['id'], tender: AddTender, who?: Who): Sale {
  return announce(
    ctx,
    saleId,
    ctx.transact((tx) => apply(ctx, tx, saleId, tender, who ?? salesOf(ctx).ownAuthorization())),
  )
}

/** Pays a negative total out in cash, when empty containers are worth more than the goods, and completes the sale. */
function payOut(ctx: Ctx, saleId: Sale['id'], version: number): Sale {
  const repository = saleRowsOf(ctx)
  ctx.transact((tx) => {
    const now = salesOf(ctx).forPayment(saleId, version)
    const { dueCents, cashDueCents } = totalsOf(now, storeTaxesOf(ctx)())
    if (dueCents >= 0 || now.tenders.length > 0) throw new ProblemError('nothing-to-pay-out')
    salesOf(ctx).freezePrices(tx, saleId)
    const paid = {
      kind: 'cash' as const,
      amountCents: dueCents,
      roundingCents: cashDueCents - dueCents,
      tenderedCents: cashDueCents,
      changeCents: 0,
      reference: null,
      operationId: null,
    }
    repository.insertTender(tx, saleId, paid, {
      at: ctx.clock.now(),
      shiftId: custodyOf(ctx).enter(tx, now.sale.servedBy),
    })
    repository.touch(tx, saleId)
    serve(ctx, tx, saleId)
    if (!completeWhenPaid(ctx, tx, saleId)) throw new ProblemError('still-due')
  })
  return announce(ctx, saleId, true)
}

function completeFree(ctx: Ctx, saleId: Sale['id'], version: number): Sale {
  ctx.transact((tx) => {
    salesOf(ctx).forPayment(saleId, version)
    saleRowsOf(ctx).touch(tx, saleId)
    serve(ctx, tx, saleId)
    if (!completeWhenPaid(ctx, tx, saleId)) throw new ProblemError('still-due')
  })
  return announce(ctx, saleId, true)
}

/**
 * Cancels the sale and gives back all payments. An approved redemption is reversed; after its reversal window has
 * closed, store credit replaces it. The request to reverse commits with the cancellation, and is sent afterwards.
 */
function cancel(ctx: Ctx, saleId: Sale['id'], version: number, who: Who): Sale {
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  ctx.transact((tx) => {
    const now = sales.forCommand(saleId, version)
    sales.refuseDuringPayment(now)
    guardOf(ctx).whole('sale-void', now, who)
    const at = ctx.clock.now()
    const shiftId = custodyOf(ctx).enter(tx, now.sale.servedBy)
    for (const tender of now.tenders) {
      const balance =
        tender.voucherId === null ? null : vouchersOf(ctx).giveBack(tx, saleId, tender.voucherId, tender.amountCents)
      repository.insertTender(tx, saleId, { ...givenBack(tender), voucherBalanceCents: balance }, { at, shiftId })
      giveCardBack(ctx, tx, now, tender)
    }
    serve(ctx, tx, saleId)
    if (now.redemption?.state === 'approved') giveMilesBack(ctx, tx, now.redemption)
    repository.close(tx, saleId, {
      state: 'cancelled',
      at,
      taxes: storedTaxes(taxesOfSale(now.sale, storeTaxesOf(ctx)())),
      totals: null,
      shiftId,
    })
    repository.touch(tx, saleId)
    domainEventsOf(ctx).emit('sale.cancelled', tx, saleId)
  })
  const sale = sales.publish(saleId, 'command')
  announceClosed(ctx, saleId, 'cancelled')
  return sale
}

/**
 * Issues store credit with a document, never cash, for miles whose payment was removed from the sale and that can no
 * longer be reversed (03:00 passed, or 0080), so that they stay redeemed (specification 3 §4.5 rule 7).
 */
function creditLateReversal(
  ctx: Ctx,
  tx: Tx,
  { id, saleId }: Operation,
  amountCents = saleRowsOf(ctx).paidBy(saleId, id),
): void {
  const vouchers = vouchersOf(ctx)
  // A redemption that was approved but never paid gets no store credit here: the customer may have left, so a manager
  // requests it.
  if (amountCents > 0)
    vouchers.enqueueDocument(tx, vouchers.issue(tx, 'store-credit', amountCents, { saleId, operationId: id }).id)
}

function completeIfPaid(ctx: Ctx, saleId: Sale['id'], sale: Sale): Sale {
  if (sale.state !== 'open' || sale.totals.dueCents !== 0 || sale.totals.tenderedCents === 0) return sale
  return announce(
    ctx,
    saleId,
    ctx.transact((tx) => {
      serve(ctx, tx, saleId)
      return completeWhenPaid(ctx, tx, saleId)
    }),
  )
}

/**
 * Applies the approval of a redemption to its sale, in the transaction of the approval. The person who requested it
 * serves the sale, even if the approval arrives after a restart while no one is signed in.
 */
function applyRedemption(
  ctx: Ctx,
  tx: Tx,
  saleId: string,
  operation: { id: string; amountCents: number | null; confirmationNumber: string | null },
): void {
  const repository = saleRowsOf(ctx)
  const amount = operation.amountCents ?? 0
  repository.insertTender(
    tx,
    saleId,
    {
      kind: 'miles',
      amountCents: amount,
      roundingCents: 0,
      tenderedCents: amount,
      changeCents: 0,
      reference: operation.confirmationNumber,
      operationId: operation.id,
    },
    { at: ctx.clock.now(), shiftId: custodyOf(ctx).enter(tx, salesOf(ctx).row(saleId).servedBy) },
  )
  repository.touch(tx, saleId)
  completeWhenPaid(ctx, tx, saleId)
}

/**
 * Pays and completes sales. A sale completes only when its payments equal its total, with all effects in one commit.
 */
export const tendersOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    serve,
    giveMilesBack,
    giveCardBack,
    completeWhenPaid,
    announce,

    apply,
    prepare,
    add,
    completeFree,
    payOut,
    cancel,
    creditLateReversal,
    completeIfPaid,
    applyRedemption,
  }),
)

const givenBack = ({ number: _number, ...tender }: TenderRow): NewTender => ({
  ...tender,
  amountCents: -tender.amountCents,
  roundingCents: 0,
  tenderedCents: -tender.amountCents,
  changeCents: 0,
})
