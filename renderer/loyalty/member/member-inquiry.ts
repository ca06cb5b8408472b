import type { Sale } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { notify, settleTopic } from '../../core/state/notices.ts'
import { onCurrent } from '../../sales/sale-commands.ts'
import { useSale } from '../../sales/sale.ts'

/** Reasons that speak of the program and not of the card: another answer may follow another question. */
const MAY_PASS: ReadonlySet<string> = new Set([
  'central-unreachable',
  'central-secret-refused',
  'central-outage',
  'central-refused',
  'temporarily-unavailable',
])

/** The program could not be asked what this card may redeem, and may be asked again without another swipe. */
export const mayAskAgain = (sale: Pick<Sale, 'member' | 'redemption'> | null): boolean => {
  const member = sale?.member
  if (!member || member.state === 'pending' || member.entryMode === 'KEYED') return false
  if (sale.redemption && sale.redemption.state !== 'declined' && sale.redemption.state !== 'reversed') return false
  return member.noRedemption !== null && MAY_PASS.has(member.noRedemption)
}

export const askMemberAgain = (): Promise<boolean> =>
  onCurrent('member', (sale) => api.askMemberAgain(sale.id, sale.version))

const ASKING_TOPIC = 'member-asking'
/** Why miles cannot be redeemed this moment. */
export const notifyAsking = (): void => notify('info', ({ t }) => t('member.askingFirst'), { topic: ASKING_TOPIC })
// It is true no longer when the answer is there.
useSale.subscribe(({ current }, before) => {
  if (before.current?.member?.state === 'pending' && current?.member?.state !== 'pending') settleTopic(ASKING_TOPIC)
})
