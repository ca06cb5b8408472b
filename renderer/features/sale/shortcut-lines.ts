import { ACTIONS, type Action } from '../../actions.ts'
import type { MessageKey } from '../../i18n/message-key.ts'

/** Words without an amount, for actions that name one. */
const PLAIN: Partial<Record<string, MessageKey>> = { 'redeem': 'actions.redeem-plain', 'redeem-confirm': 'shortcuts.pay', 'cash-exact': 'actions.cash-exact-plain', 'return-confirm': 'actions.return-confirm-plain' }

/** What the card says of each action of a group, once: two screens that have the same words for the same key are one line. */
export function linesOfGroup(group: Action['group'], say: (key: MessageKey) => string): { id: string; words: string; keys: readonly string[] }[] {
  const lines = ACTIONS.filter((action) => action.group === group).map((action: Action) => ({ id: action.id, words: say(PLAIN[action.id] ?? action.labelKey), keys: action.keys }))
  return lines.filter(({ words, keys }, at) => lines.findIndex((other) => other.words === words && other.keys.join() === keys.join()) === at)
}
