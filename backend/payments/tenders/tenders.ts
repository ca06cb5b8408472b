import type { Sale } from '../../../contracts/sales/sales.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Tx } from '../../core/db/transact.ts'
import { reversalOpen } from '../../loyalty/calls/reversal-window.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { type NewTender, type TenderRow, saleRowsOf } from '../../sales/sales.sql.ts'
import { storedTaxes, storedTotals, taxesOfSale, totalsOf, viewOf, type SaleParts } from '../../sales/sale-view.ts'
import { type Take, takingOf } from './take.ts'
import { salesOf } from '../../sales/sales.ts'
import { domainEventsOf } from '../../sales/domain-events.ts'
import { reversalsOf } from '../../loyalty/calls/reverse.ts'
import { vouchersOf } from '../vouchers/vouchers.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { cardTransactionsOf } from '../card-payments/card-transactions.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type Tenders = ReturnType<typeof tendersOf>

/** How a sale is paid and closed. Nothing closes until the sum is right; what closes it commits everything at once. */
export const tendersOf = perLane((ctx: Ctx) => {
  const { transact, clock, signedIn, publish, profile } = ctx
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const events = domainEventsOf(ctx)
  const reversals = reversalsOf(ctx)
  const vouchers = vouchersOf(ctx)
  const custody = custodyOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const taking = takingOf(ctx)
  const guard = guardOf(ctx)

  /**
   * Whoever takes a payment or closes the sale has served it, whoever opened it. Call before it is completed: the
   * receipt names that person.
   */
  function serve(tx: Tx, saleId: string): void {
    const staff = signedIn()
    if (staff) repository.serve(tx, saleId, staff.id)
  }

  /**
   * Closes the sale with the tender that brought it to its sum: issuance, receipt and vouchers stand or fall with it.
   * Answers false while something is still due.
   */
  function completeWhenPaid(tx: Tx, saleId: string): boolean {
    if (totalsOf(sales.priced(saleId), taxes()).dueCents !== 0) return false
    const now = sales.parts(saleId)
    // An approval that came while it was asked for has paid: the sale waits for the answer.
    if (now.ageCheck !== null) return false
    const at = clock.now()
    const view = viewOf(now, taxes())
    repository.close(tx, saleId, {
      state: 'completed',
      at,
      taxes: storedTaxes(taxesOfSale(now.sale, taxes())),
      // mutant: totals-before-tax
      totals: storedTotals(now, view.totals),
      shiftId: custody.enter(tx, now.sale.servedBy),
    })
    events.emit('sale.completed', tx, { parts: now, view, at })
    return true
  }

  /** After the commit of a tender the screens hear of it. */
  function announce(saleId: string, completed: boolean): Sale {
    const sale = sales.publish(saleId, 'tender')
    if (completed) announceClosed(sale.id, 'completed')
    return sale
  }

  function announceClosed(saleId: Sale['id'], state: 'completed' | 'cancelled'): void {
    publish({ type: 'sale-closed', saleId, state })
    sales.forgetPreview(saleId)
  }

  /** Takes the tender; announce it after the commit. Answers whether it completed the sale. */
  function apply(tx: Tx, saleId: Sale['id'], tender: AddTender): boolean {
    const now = sales.forPayment(saleId, tender.version)
    const due = totalsOf(now, taxes()).dueCents
    if (due <= 0) throw new ProblemError('nothing-due')
    if (!profile.payments.includes(tender.kind))
      throw new ProblemError('body-invalid', [{ path: '/kind', message: 'this store does not accept it' }])
    const take = taking[tender.kind] as Take<typeof tender.kind>
    const taken = take({ tx, saleId, dueCents: cents(due) }, tender)
    repository.insertTender(tx, saleId, taken, { at: clock.now(), shiftId: custody.enter(tx, now.sale.servedBy) })
    sales.refuseBelowTendered(saleId)
    repository.touch(tx, saleId)
    serve(tx, saleId)
    return completeWhenPaid(tx, saleId)
  }

  /**
   * Gives an approved redemption back, in the commit that takes its payment off the sale. False where the window has
   * closed: the store credit is in this commit then, and no call is made.
   */
  function giveMilesBack(tx: Tx, redemption: Operation): boolean {
    const isOpen = reversalOpen(clock.now(), redemption.transDateTime ?? '', profile.timeZone)
    if (isOpen) reversals.order(tx, redemption)
    else reversals.expire(tx, redemption)
    return isOpen
  }

  /** The card of this payment gets its money back: the request commits with what takes the payment off the sale. */
  function giveCardBack(tx: Tx, { cards }: SaleParts, tender: TenderRow): void {
    if (tender.kind !== 'card-terminal') return
    const payment = cards.find(({ reference }) => reference === tender.reference)
    if (!payment) throw new Error('a payment by the card terminal was asked for')
    cardTransactionsOf(ctx).refund(tx, payment, tender.amountCents)
  }

  return {
    serve,
    giveMilesBack,
    giveCardBack,
    completeWhenPaid,
    announce,

    apply,

    /** Has drawn from the store what a voucher is to pay beyond what lies here; nothing where it is refused anyway. */
    async prepare(saleId: Sale['id'], tender: AddTender): Promise<void> {
      if (tender.kind !== 'voucher') return
      const now = sales.current()
      const isFit = now?.id === saleId && now.version === tender.version && tender.amountCents <= now.totals.dueCents
      if (isFit && tender.amountCents > 0) await vouchers.prepare(saleId, tender.voucherId, tender.amountCents)
    },

    add(saleId: Sale['id'], tender: AddTender): Sale {
      return announce(
        saleId,
        transact((tx) => apply(tx, saleId, tender)),
      )
    },

    /** Completes a sale that costs nothing: there is something in it, and no tender to take. */
    completeFree(saleId: Sale['id'], version: number): Sale {
      transact((tx) => {
        sales.forPayment(saleId, version)
        repository.touch(tx, saleId)
        serve(tx, saleId)
        if (!completeWhenPaid(tx, saleId)) throw new ProblemError('still-due')
      })
      return announce(saleId, true)
    },

    /**
     * Gives everything back: other tenders in kind, an approved redemption by REVERSE, or as store credit where its
     * window has closed. The order to reverse commits with the cancellation, so that neither can be lost without
     * the other; the call itself then goes out.
     */
    cancel(saleId: Sale['id'], version: number, who: Who): Sale {
      transact((tx) => {
        const now = sales.forCommand(saleId, version)
        sales.refuseDuringPayment(now)
        guard.whole('sale-void', now, who)
        const at = clock.now()
        const shiftId = custody.enter(tx, now.sale.servedBy)
        for (const tender of now.tenders) {
          const balance =
            tender.voucherId === null ? null : vouchers.giveBack(tx, saleId, tender.voucherId, tender.amountCents)
          repository.insertTender(tx, saleId, { ...givenBack(tender), voucherBalanceCents: balance }, { at, shiftId })
          giveCardBack(tx, now, tender)
        }
        serve(tx, saleId)
        // mutant: cancel-keeps-redemption
        if (now.redemption?.state === 'approved') giveMilesBack(tx, now.redemption)
        repository.close(tx, saleId, {
          state: 'cancelled',
          at,
          taxes: storedTaxes(taxesOfSale(now.sale, taxes())),
          totals: null,
          shiftId,
        })
        repository.touch(tx, saleId)
        events.emit('sale.cancelled', tx, saleId)
      })
      const sale = sales.publish(saleId, 'command')
      announceClosed(saleId, 'cancelled')
      return sale
    },

    /**
     * Miles that paid on a sale and were taken off it again, with the whole sale or alone, and whose reversal came too
     * late (03:00 has passed, or 0080): they stay redeemed, so their worth becomes store credit with a paper, never
     * cash (specification 3 §4.5 rule 7).
     */
    creditLateReversal(tx: Tx, { id, saleId }: Operation, amountCents = repository.paidBy(saleId, id)): void {
      // An approval that never paid anything waits for a manager's order: nobody is there to whom its worth would be
      // handed.
      if (amountCents > 0)
        vouchers.enqueueDocument(tx, vouchers.issue(tx, 'store-credit', amountCents, { saleId, operationId: id }).id)
    },

    /** A sale that was brought down to what is paid already has nothing left to take: it closes. */
    settle(saleId: Sale['id'], sale: Sale): Sale {
      if (sale.state !== 'open' || sale.totals.dueCents !== 0 || sale.totals.tenderedCents === 0) return sale
      return announce(
        saleId,
        transact((tx) => {
          serve(tx, saleId)
          return completeWhenPaid(tx, saleId)
        }),
      )
    },

    /**
     * What an approval adds to its sale, inside the approval's own transaction. Who asked for it serves, also when it
     * comes after a crash and nobody is signed in.
     */
    applyRedemption(
      tx: Tx,
      saleId: string,
      operation: { id: string; amountCents: number | null; confirmationNumber: string | null },
    ): void {
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
        { at: clock.now(), shiftId: custody.enter(tx, sales.row(saleId).servedBy) },
      )
      repository.touch(tx, saleId)
      completeWhenPaid(tx, saleId)
    },
  }
})

const givenBack = ({ number: _number, ...tender }: TenderRow): NewTender => ({
  ...tender,
  amountCents: -tender.amountCents,
  roundingCents: 0,
  tenderedCents: -tender.amountCents,
  changeCents: 0,
})
