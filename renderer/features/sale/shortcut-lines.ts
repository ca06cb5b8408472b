import { ACTIONS, type Action, type ActionContext, type ActionId } from '../../actions.ts'
import type { MessageKey } from '../../i18n/message-key.ts'

/** Words for the card, where those of the button speak of one screen alone. */
const WORDS: Partial<Record<string, MessageKey>> = { 'redeem-confirm': 'shortcuts.pay', reprint: 'shortcuts.reprint' }

/** The same thing done from another screen under the same key: on the card it stands once. */
const SAME: Partial<Record<string, ActionId>> = {
  'reprint-last': 'reprint',
  'reprint-chosen': 'reprint',
  'return-reprint': 'reprint',
  'gift-receipt-chosen': 'gift-receipt',
  'return-chosen': 'return',
}

/**
 * What the card says of each action of a group, once, and only of what this terminal can do: two screens that have the
 * same words for the same key are one line.
 */
export function linesOfGroup(
  group: Action['group'],
  say: (key: MessageKey) => string,
  { training, payments }: Pick<ActionContext, 'training' | 'payments'>,
): { id: string; words: string; keys: readonly string[] }[] {
  const lines = ACTIONS.filter(
    (action: Action) =>
      action.group === group &&
      (training || !action.trainingOnly) &&
      (action.payments ?? []).every((kind) => payments.includes(kind)) &&
      !(action.id in SAME),
  ).map((action: Action) => ({
    id: action.id,
    words: say(WORDS[action.id] ?? action.plainKey ?? action.labelKey),
    keys: action.keys,
  }))
  return lines.filter(
    ({ words, keys }, at) =>
      lines.findIndex((other) => other.words === words && other.keys.join() === keys.join()) === at,
  )
}
