import type { Sale } from '../../../contracts/sales/sales.ts'
import type { LazyText } from '../../core/state/notices.ts'

/**
 * Text for a bank's partial approval of a card payment: the cashier must hold the goods until the amount due is paid.
 * Null without a partial approval.
 */
export function partialApproval({ state, cardPayment, totals }: Sale): LazyText | null {
  if (state !== 'open' || cardPayment?.state !== 'approved' || cardPayment.approvedCents === null) return null
  const { amountCents, approvedCents } = cardPayment
  if (approvedCents === amountCents) return null
  return ({ t, format }) =>
    t('tender.terminalPartial', {
      approved: format.money(approvedCents),
      asked: format.money(amountCents),
      due: format.money(totals.dueCents),
    })
}
