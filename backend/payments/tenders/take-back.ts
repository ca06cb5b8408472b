import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Lane, Profile } from '../../../contracts/core/profile.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/db/transact.ts'
import { TENDER_TYPES } from './types/registry.ts'
import { composePaymentBack } from '../receipts/receipt-parts.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Receipts } from '../receipts/receipts.ts'
import type { SalesRepository, TenderRow } from '../../sales/sales.sql.ts'
import type { Sales } from '../../sales/sales.ts'
import { outdated, viewTender } from '../../sales/sale-view.ts'
import type { Custody } from '../../sales/drawer.ts'
import type { AuditTrail } from '../../core/audit.ts'
import type { Vouchers } from '../vouchers/vouchers.ts'
import type { Tenders } from './tenders.ts'

export interface TakeBackOptions {
  readonly sales: Sales
  readonly repository: SalesRepository
  readonly transact: Transact
  readonly tenders: Pick<Tenders, 'serve' | 'giveMilesBack' | 'giveCardBack'>
  readonly vouchers: Pick<Vouchers, 'giveBack'>
  readonly receipts: Pick<Receipts, 'enqueueDocument'>
  readonly custody: Pick<Custody, 'enter'>
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly profile: Profile
  readonly lane: Lane
  readonly locale: () => Locale
  readonly staffName: (id: string) => string
}

export type TakeBack = ReturnType<typeof createTakeBack>

/**
 * Gives one payment of an open sale back, in the form in which it was taken (docs/decisions/0048). Whatever follows
 * from it commits with it: the row that gives it back, the voucher's balance, the paper that opens the drawer, and for
 * miles the order to reverse, or the store credit where the window for that has closed. So the sale counts them no
 * more from that commit on, whatever becomes of the call: the journal carries it to its end, and what the machine
 * cannot settle is on the manager's list.
 */
export function createTakeBack(options: TakeBackOptions) {
  const { sales, repository, transact, vouchers, receipts, clock, profile, lane } = options

  /** The paper; the drawer opens for cash. */
  function enqueueDocument(
    tx: Tx,
    saleId: Sale['id'],
    tender: TenderRow,
    voucherLeftCents: number | null,
    tooLate: boolean,
  ): void {
    const { sale, cards } = sales.parts(saleId)
    const document = composePaymentBack({
      profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
      locale: options.locale(),
      lane: lane.id,
      copy: 0,
      cashierName: options.staffName(sale.servedBy),
      at: clock.now(),
      saleId,
      voucherLeftCents,
      tooLate,
      tender: viewTender(tender, cards),
    })
    receipts.enqueueDocument(tx, { kind: 'payment-back', id: saleId }, document, TENDER_TYPES[tender.kind].opensDrawer)
  }

  return {
    /**
     * Throws ProblemError `sale-not-open`, `sale-stale`, `sale-held-by-redemption`, or `tender-unknown` for one that is
     * not there or was given back.
     */
    takeBack(saleId: Sale['id'], version: number, number: number, actorId: string): Sale {
      transact((tx) => {
        const now = sales.forCommand(saleId, version)
        sales.refuseDuringPayment(now)
        const tender = now.tenders.find((one) => one.number === number)
        if (!tender) throw new ProblemError('tender-unknown')
        const left =
          tender.voucherId === null ? null : vouchers.giveBack(tx, saleId, tender.voucherId, tender.amountCents)
        repository.insertTender(
          tx,
          saleId,
          {
            ...tender,
            takesBack: number,
            voucherBalanceCents: left,
            amountCents: -tender.amountCents,
            roundingCents: 0 - tender.roundingCents,
            tenderedCents: tender.changeCents - tender.tenderedCents,
            changeCents: 0,
          },
          { at: clock.now(), shiftId: options.custody.enter(tx, now.sale.servedBy) },
        )
        // The miles of a sale stand in its newest redemption: another is not offered while one stands.
        let tooLate = false
        if (tender.kind === 'miles') {
          if (now.redemption?.id !== tender.operationId || now.redemption.state !== 'approved')
            throw new Error('miles that stand in a sale were approved')
          tooLate = !options.tenders.giveMilesBack(tx, now.redemption)
          const inquiry = now.inquiry
          if (inquiry) repository.setInquiry(tx, saleId, 'known', JSON.stringify(outdated(inquiry)))
        }
        options.tenders.giveCardBack(tx, now, tender)
        repository.touch(tx, saleId)
        options.tenders.serve(tx, saleId)
        enqueueDocument(tx, saleId, tender, left, tooLate)
        options.audit.record(tx, {
          kind: 'tender-taken-back',
          actorId,
          subject: saleId,
          detail: { tender: number, paidBy: tender.kind, amountCents: tender.amountCents },
        })
      })
      return sales.publish(saleId, 'tender')
    },
  }
}
