import { cashOutLimitCents } from '../../../contracts/core/region-rules.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import { api } from '../../core/api/terminal-api.ts'
import { type Notice, clearTopic, notify, report } from '../../core/state/notices.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { withApproval } from '../../sales/approvals.ts'
import { useSale } from '../../sales/sale.ts'

export const VOUCHER_TOPIC = 'voucher'

/**
 * Whether the customer may have the balance of a gift card in cash: one that is not reserved and at most the region's
 * limit, while no sale has lines or a member.
 */
function mayPayOut({ kind, balanceCents, reserved }: Voucher): boolean {
  const { terminal } = useTerminal.getState()
  const limit = terminal === null ? null : cashOutLimitCents(terminal.region)
  const { current } = useSale.getState()
  const isFree = current === null || (current.lines.length === 0 && current.member === null)
  return limit !== null && kind === 'gift-card' && isFree && balanceCents <= limit && reserved === undefined
}

/** Button of the notice that shows a balance; null if the balance is not paid out. */
export const cashOutOffer = (voucher: Voucher): Notice['offer'] =>
  mayPayOut(voucher)
    ? {
        text: ({ t, format }) => t('tender.cashOut', { amount: format.money(voucher.balanceCents) }),
        perform: () => void payOut(voucher).catch(report),
      }
    : null

async function payOut({ id, balanceCents }: Voucher): Promise<void> {
  clearTopic(VOUCHER_TOPIC)
  await withApproval(async (approval) => {
    const { cashCents, last4 } = await api.cashOut(id, { amountCents: balanceCents, approval })
    notify('success', ({ t, format }) => t('tender.cashedOut', { amount: format.money(cashCents), number: last4 }), {
      topic: VOUCHER_TOPIC,
    })
  })
}
