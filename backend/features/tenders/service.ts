import type { AddTender, Sale } from '../../../contracts/api/sales.ts'
import type { Staff } from '../../../contracts/api/session.ts'
import { cents } from '../../../contracts/money.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { cashTender } from '../../domain/cash-tender.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import { reversalOpen } from '../../domain/reversal-window.ts'
import type { StoreTax } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Issuances } from '../../loyalty/issue.ts'
import type { Redemptions } from '../../loyalty/redeem.ts'
import type { Operation } from '../../outbox/operations.ts'
import type { Issuing } from '../issuance/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { NewTender, SalesRepository, TenderRow } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import { storedTaxes, taxesOfSale, totalsOf, viewOf } from '../sales/view.ts'
import type { Vouchers } from '../vouchers/service.ts'

export interface TendersOptions {
  readonly sales: Sales
  readonly repository: SalesRepository
  readonly transact: Transact
  readonly issuing: Issuing
  readonly issuances: Issuances
  readonly redemptions: () => Redemptions
  readonly receipts: Receipts
  readonly vouchers: Pick<Vouchers, 'pay' | 'giveBack' | 'saleCompleted' | 'issue' | 'enqueuePaper'>
  readonly profile: Pick<Profile, 'timeZone'>
  readonly clock: Clock
  readonly taxes: readonly StoreTax[]
  readonly signedIn: () => Staff | null
  readonly announceClosed: (saleId: Sale['id'], state: 'completed' | 'cancelled') => void
}

export type Tenders = ReturnType<typeof createTenders>

/** How a sale is paid and closed. Nothing closes until the sum is right; what closes it commits everything at once. */
export function createTenders(options: TendersOptions) {
  const { sales, repository, transact, issuing, issuances, receipts, vouchers, clock, taxes } = options

  /**
   * Whoever takes a payment or closes the sale has served it, whoever opened it. Call before it is completed: the
   * receipt names that person.
   */
  function serve(saleId: string): void {
    const staff = options.signedIn()
    if (staff) repository.serve(saleId, staff.id)
  }

  /**
   * Sale, issuance and print job stand or fall together; call inside the transaction of the tender that brought the
   * sale to its sum. Answers false while something is still due.
   */
  function completeWhenPaid(saleId: string): boolean {
    const now = sales.parts(saleId)
    if (totalsOf(now, taxes).dueCents !== 0) return false
    const at = clock.now()
    const view = viewOf(now, taxes)
    repository.close(saleId, 'completed', at, storedTaxes(taxesOfSale(now.sale, taxes)))
    issuing.saleCompleted(now, view, at)
    receipts.enqueueOriginal(sales.parts(saleId))
    vouchers.saleCompleted(now)
    return true
  }

  /** After the commit of a tender: the queue and the printer go to work, the screens hear of it. */
  function announce(saleId: string, completed: boolean): Sale {
    const sale = sales.publish(saleId, 'tender')
    if (!completed) return sale
    options.announceClosed(sale.id, 'completed')
    sales.forgetPreview(saleId)
    issuances.wake()
    receipts.wake()
    return sale
  }

  function tenderRow(saleId: Sale['id'], tender: AddTender, dueCents: number): NewTender {
    if (tender.kind === 'cash') {
      const cash = cashTender(cents(dueCents), tender.tenderedCents)
      if (!cash) throw new ProblemError('tender-amount-invalid')
      return { kind: 'cash', ...cash, reference: null, operationId: null }
    }
    if (tender.amountCents <= 0) throw new ProblemError('tender-amount-invalid')
    if (tender.amountCents > dueCents) throw new ProblemError('tender-exceeds-due')
    if (tender.kind === 'voucher') return vouchers.pay(saleId, tender.voucherId, tender.amountCents)
    // A card number typed where the slip's approval number belongs must reach no disk, paper or screen.
    if (looksLikePaymentCard(tender.reference)) throw new ProblemError('reference-is-card')
    return {
      kind: 'card',
      amountCents: tender.amountCents,
      roundingCents: 0,
      tenderedCents: tender.amountCents,
      changeCents: 0,
      reference: tender.reference,
      operationId: null,
    }
  }

  /**
   * Takes the tender; call inside a transaction, and announce after its commit. Answers whether it completed the sale.
   */
  function apply(saleId: Sale['id'], tender: AddTender): boolean {
    const now = sales.parts(saleId)
    if (now.sale.state !== 'open') throw new ProblemError('sale-not-open')
    if (tender.version !== now.sale.version) throw new ProblemError('sale-stale')
    if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
    sales.refuseDuringRedemption(now)
    const due = totalsOf(now, taxes).dueCents
    if (due <= 0) throw new ProblemError('nothing-due')
    repository.insertTender(saleId, tenderRow(saleId, tender, due), clock.now())
    repository.touch(saleId)
    serve(saleId)
    return completeWhenPaid(saleId)
  }

  /**
   * Gives an approved redemption back; call inside the transaction that takes its payment off the sale. Undefined where
   * the window has closed: the store credit is in this commit then, and no call is made.
   */
  function giveMilesBack(redemption: Operation): Operation | undefined {
    if (reversalOpen(clock.now(), redemption.transDateTime ?? '', options.profile.timeZone))
      return options.redemptions().recordReversal(redemption)
    options.redemptions().expireReversal(redemption)
    return undefined
  }

  return {
    serve,
    giveMilesBack,
    completeWhenPaid,
    announce,

    apply,

    add(saleId: Sale['id'], tender: AddTender): Sale {
      return announce(
        saleId,
        transact(() => apply(saleId, tender)),
      )
    },

    /** Completes a sale that costs nothing: there is something in it, and no tender to take. */
    completeFree(saleId: Sale['id'], version: number): Sale {
      transact(() => {
        const now = sales.parts(saleId)
        if (now.sale.state !== 'open') throw new ProblemError('sale-not-open')
        if (version !== now.sale.version) throw new ProblemError('sale-stale')
        if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
        sales.refuseDuringRedemption(now)
        repository.touch(saleId)
        serve(saleId)
        if (!completeWhenPaid(saleId)) throw new ProblemError('still-due')
      })
      return announce(saleId, true)
    },

    /**
     * Gives everything back: other tenders in kind, an approved redemption by REVERSE, or as store credit where its
     * window has closed. The intention to reverse commits with the cancellation, so that neither can be lost without
     * the other; the call itself then goes out.
     */
    cancel(saleId: Sale['id'], version: number): Sale {
      let reversing: Operation | undefined
      transact(() => {
        const now = sales.parts(saleId)
        if (now.sale.state !== 'open') throw new ProblemError('sale-not-open')
        if (version !== now.sale.version) throw new ProblemError('sale-stale')
        sales.refuseDuringRedemption(now)
        const at = clock.now()
        for (const tender of now.tenders) {
          const balance =
            tender.voucherId === null ? null : vouchers.giveBack(saleId, tender.voucherId, tender.amountCents)
          repository.insertTender(saleId, { ...givenBack(tender), voucherBalanceCents: balance }, at)
        }
        serve(saleId)
        // mutant: cancel-keeps-redemption
        if (now.redemption?.state === 'approved') reversing = giveMilesBack(now.redemption)
        repository.close(saleId, 'cancelled', at, storedTaxes(taxesOfSale(now.sale, taxes)))
        repository.touch(saleId)
      })
      receipts.wake()
      if (reversing) options.redemptions().startReversal(reversing)
      const sale = sales.publish(saleId, 'command')
      options.announceClosed(saleId, 'cancelled')
      sales.forgetPreview(saleId)
      return sale
    },

    /**
     * Miles that paid on a sale and were taken off it again, with the whole sale or alone, and whose reversal came too
     * late (03:00 has passed, or 0080): they stay redeemed, so their worth becomes store credit with a paper, never
     * cash (specification 3 §4.5 rule 7). Call inside the transaction of that arrow; wake the printer after it.
     */
    creditLateReversal({ id, saleId }: Operation, amountCents = repository.paidBy(saleId, id)): void {
      // An approval that never paid anything waits for a manager's order: nobody is there to whom its worth would be
      // handed.
      if (amountCents > 0)
        vouchers.enqueuePaper(vouchers.issue('store-credit', amountCents, { saleId, operationId: id }).id)
    },

    /** A sale that was brought down to what is paid already has nothing left to take: it closes. */
    settle(saleId: Sale['id'], sale: Sale): Sale {
      if (sale.state !== 'open' || sale.totals.dueCents !== 0 || sale.totals.tenderedCents === 0) return sale
      return announce(
        saleId,
        transact(() => {
          serve(saleId)
          return completeWhenPaid(saleId)
        }),
      )
    },

    /**
     * What an approval adds to its sale, inside the approval's own transaction. Who asked for it serves, also when it
     * comes after a crash and nobody is signed in.
     */
    applyRedemption(
      saleId: string,
      operation: { id: string; amountCents: number | null; confirmationNumber: string | null },
    ): boolean {
      const amount = operation.amountCents ?? 0
      repository.insertTender(
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
        clock.now(),
      )
      repository.touch(saleId)
      return completeWhenPaid(saleId)
    },
  }
}

const givenBack = ({ number: _number, ...tender }: TenderRow): NewTender => ({
  ...tender,
  amountCents: -tender.amountCents,
  roundingCents: 0,
  tenderedCents: -tender.amountCents,
  changeCents: 0,
})
