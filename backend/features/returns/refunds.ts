import { cents } from '../../../contracts/money.ts'
import type { CommitReturn } from '../../../contracts/api/returns.ts'
import type { Tx } from '../../db/transact.ts'
import type { SaleParts } from '../sales/view.ts'
import type { VoucherRow } from '../vouchers/repository.ts'
import type { ReturnsOptions } from './options.ts'
import { creditOf, type GoingBack } from './plans.ts'
import type { RefundRow, ReturnRow } from './repository.ts'

export type Refunds = ReturnType<typeof createRefunds>

/** How money and miles go back: each form is written with its return, and what has to be done for it is ordered. */
export function createRefunds({
  repository,
  storeRows,
  saleRows,
  cards,
  reversals,
  vouchers,
  tenders,
}: Pick<ReturnsOptions, 'repository' | 'storeRows' | 'saleRows' | 'cards' | 'reversals' | 'vouchers' | 'tenders'>) {
  /** Each card that paid gets back what it paid, in the order of the payments, until all has gone back. */
  function giveCardsBack(tx: Tx, { id, saleId }: ReturnRow, amountCents: number): void {
    if (saleId === null) throw new Error('goods without a record go back as store credit')
    let left = amountCents
    for (const payment of saleRows.cards.ofSale(saleId)) {
      if (payment.kind !== 'payment' || !payment.approval) continue
      const part = Math.min(left, payment.approval.amountCents - saleRows.cards.refundedCents(payment.reference))
      if (part <= 0) continue
      cards.refund(tx, payment, part, id)
      left -= part
    }
    if (left !== 0) throw new Error('no card gets back more than it paid')
  }

  // The window had closed when the reversal arrived (0080): the miles stay redeemed, so their worth becomes store
  // credit, never cash (specification 3 §4.5 rule 7), of the return that had it reversed, or of its sale.
  reversals.events.on('redemption.reversal-expired', (tx, redemption) => {
    const refund = repository.reversedBy(redemption.id)
    if (!refund) return tenders.creditLateReversal(tx, redemption)
    const source = { returnId: refund.returnId, operationId: redemption.id }
    vouchers.enqueueDocument(tx, vouchers.issue(tx, 'store-credit', refund.amountCents, source).id)
  })

  return {
    /**
     * Writes how the money goes back, and has its redemption reversed. `now`: the sale, null without a record. Answers
     * the store credit that it issues: one for all that goes back so.
     */
    insert(
      tx: Tx,
      row: ReturnRow,
      refunds: readonly GoingBack[],
      now: SaleParts | null,
      cardReference: string | null,
    ): VoucherRow | null {
      const insertRefund = now?.elsewhere ? storeRows.insertRefund : repository.insertRefund
      const creditCents = creditOf(refunds)
      const credit =
        creditCents > 0
          ? vouchers.issue(tx, 'store-credit', creditCents, { returnId: row.id, operationId: null })
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
            giveCardsBack(tx, row, amountCents)
            break
          case 'card':
            insertRefund(tx, row.id, { ...refund, reference: cardReference })
            break
          case 'miles': {
            const redemption = now?.elsewhere ? storeRows.reversed(tx, row.id, now) : now?.redemption
            if (!redemption) throw new Error('miles go back only to the redemption that they came from')
            insertRefund(tx, row.id, {
              ...refund,
              reference: redemption.confirmationNumber,
              operationId: redemption.id,
            })
            reversals.order(tx, redemption, {}, {}, now?.redemption?.id)
            break
          }
          case 'store-credit':
            if (!credit) throw new Error('store credit was issued before it is named')
            insertRefund(tx, row.id, { ...refund, reference: credit.last4, voucherId: credit.id })
        }
      }
      return credit
    },

    /** The credit of a return pays an open sale in the same commit. Answers whether it completed that sale. */
    payAtOnce(
      tx: Tx,
      { saleId, version }: NonNullable<CommitReturn['exchange']>,
      { id }: VoucherRow,
      paysCents: number,
    ): boolean {
      vouchers.remember(id, saleId)
      return tenders.apply(tx, saleId, { kind: 'voucher', version, voucherId: id, amountCents: cents(paysCents) })
    },
  }
}
