import type { Sale } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { notify, clearTopic } from '../../core/state/notices.ts'
import { onCurrent } from '../../sales/sale-commands.ts'
import { useSale } from '../../sales/sale.ts'

/** Reasons against a redemption that concern the program instead of the card: another inquiry may succeed. */
const MAY_PASS: ReadonlySet<string> = new Set([
  'central-unreachable',
  'central-secret-refused',
  'central-outage',
  'central-refused',
  'temporarily-unavailable',
])

export const canRepeatInquiry = (sale: Pick<Sale, 'member' | 'redemption'> | null): boolean => {
  const member = sale?.member
  if (!member || member.state === 'pending' || member.entryMode === 'KEYED') return false
  if (sale.redemption && sale.redemption.state !== 'declined' && sale.redemption.state !== 'reversed') return false
  return member.noRedemption !== null && MAY_PASS.has(member.noRedemption)
}

export const askMemberAgain = (): Promise<boolean> =>
  onCurrent('member', (sale) => api.askMemberAgain(sale.id, sale.version))

const ASKING_TOPIC = 'member-asking'
export const notifyInquiryPending = (): void =>
  notify('info', ({ t }) => t('member.askingFirst'), { topic: ASKING_TOPIC })
// The answer to the inquiry makes the notice obsolete.
useSale.subscribe(({ current }, before) => {
  if (before.current?.member?.state === 'pending' && current?.member?.state !== 'pending') clearTopic(ASKING_TOPIC)
})
