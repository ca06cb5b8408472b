import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Saying } from '../../core/state/notices.ts'

/** The bank approved less than was asked: the cashier must not hand over the goods yet. */
export function partialApproval({ state, cardPayment, totals }: Sale): Saying | null {
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
