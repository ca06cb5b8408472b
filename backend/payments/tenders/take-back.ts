import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Tx } from '../../core/db/transact.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import { columnsOfLane } from '../../core/paper/document.ts'
import { composePaymentBack } from '../receipts/receipt-blocks.ts'
import { ProblemError } from '../../core/problem.ts'
import { type TenderRow, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { outdated } from '../../sales/sale/sale-parts.ts'
import { viewTender } from '../../sales/sale/sale-view.ts'
import { salesOf } from '../../sales/sales.ts'
import { vouchersOf } from '../vouchers/vouchers.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { tendersOf } from './tenders.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export type TakeBack = ReturnType<typeof takeBackOf>

function enqueueDocument(
  ctx: Ctx,
  tx: Tx,
  saleId: Sale['id'],
  tender: TenderRow,
  voucherLeftCents: number | null,
  tooLate: boolean,
): void {
  const { sale, cards } = salesOf(ctx).parts(saleId)
  const document = composePaymentBack({
    profile: {
      mode: ctx.profile.mode,
      store: ctx.profile.store,
      receipt: ctx.profile.receipt,
      timeZone: ctx.profile.timeZone,
    },
    locale: receiptLocaleOf(ctx)(),
    lane: ctx.lane.id,
    copy: 0,
    columns: columnsOfLane(ctx.lane),
    cashierName: ctx.staffName(sale.servedBy),
    at: ctx.clock.now(),
    saleId,
    voucherLeftCents,
    tooLate,
    tender: viewTender(tender, cards),
  })
  receiptsOf(ctx).enqueueDocument(
    tx,
    { kind: 'payment-back', id: saleId },
    document,
    TENDER_TYPES[tender.kind].opensDrawer,
  )
}

/**
 * Gives back one payment of an open sale. Throws ProblemError `sale-not-open`, `sale-stale`, `sale-held-by-redemption`,
 * or `tender-unknown` for an unknown payment or one already given back.
 */
function takeBack(ctx: Ctx, saleId: Sale['id'], version: number, number: number, actorId: string): Sale {
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const tenders = tendersOf(ctx)
  ctx.transact((tx) => {
    const now = sales.forCommand(saleId, version)
    sales.refuseDuringPayment(now)
    const tender = now.tenders.find((one) => one.number === number)
    if (!tender) throw new ProblemError('tender-unknown')
    const left =
      tender.voucherId === null ? null : vouchersOf(ctx).giveBack(tx, saleId, tender.voucherId, tender.amountCents)
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
      { at: ctx.clock.now(), shiftId: custodyOf(ctx).enter(tx, now.sale.servedBy) },
    )
    // Only the newest redemption of a sale can have paid: before another one, it must be declined or reversed.
    let tooLate = false
    if (tender.kind === 'miles') {
      if (now.redemption?.id !== tender.operationId || now.redemption.state !== 'approved')
        throw new Error('the redemption of a payment in miles is not approved')
      tooLate = !tenders.giveMilesBack(tx, now.redemption)
      const inquiry = now.inquiry
      if (inquiry) repository.setInquiry(tx, saleId, 'known', JSON.stringify(outdated(inquiry)))
    }
    tenders.giveCardBack(tx, now, tender)
    sales.releasePrices(tx, sales.parts(saleId))
    repository.touch(tx, saleId)
    tenders.serve(tx, saleId)
    enqueueDocument(ctx, tx, saleId, tender, left, tooLate)
    ctx.audit.record(tx, {
      kind: 'tender-taken-back',
      actorId,
      subject: saleId,
      detail: { tender: number, paidBy: tender.kind, amountCents: tender.amountCents },
    })
  })
  return sales.publish(saleId, 'tender')
}

/**
 * Gives back one payment of an open sale in the form in which it was taken
 * (docs/decisions/0016-sale-commands-undo-and-giving-back.md). One commit has all effects: the reversing row, the
 * voucher's balance, the slip, and for miles the request to reverse, or store credit after the
 * reversal window has closed. From that commit on, the sale does not count the payment: the journal completes the
 * REVERSE call, or lists it for the manager.
 */
export const takeBackOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    takeBack,
  }),
)
