import type { MessageKey } from '../core/i18n/message-key.ts'
import { ACTIONS, type ActionId } from '../actions.ts'
import type { Action, ActionContext } from './action.ts'

const TEXTS: Partial<Record<string, MessageKey>> = { 'redeem-confirm': 'shortcuts.pay', reprint: 'shortcuts.reprint' }

/** Actions that the list does not show, and the action shown instead: it has the same key on another screen. */
const SAME: Partial<Record<string, ActionId>> = {
  'reprint-last': 'reprint',
  'reprint-chosen': 'reprint',
  'return-reprint': 'reprint',
  'gift-receipt-chosen': 'gift-receipt',
  'email-chosen': 'email-receipt',
  'return-chosen': 'return',
  'quantity-leave': 'back',
  'next-quantity-remove': 'back',
}

/**
 * Lines of a group in the list of keyboard shortcuts, only for actions of this lane. Actions with equal texts and equal
 * keys on two screens share one line.
 */
export function linesOfGroup(
  group: Action['group'],
  localize: (key: MessageKey) => string,
  { training, payments }: Pick<ActionContext, 'training' | 'payments'>,
): { id: string; text: string; keys: readonly string[] }[] {
  const lines = ACTIONS.filter(
    (action: Action) =>
      action.group === group &&
      (training || !action.trainingOnly) &&
      (action.payments ?? []).every((kind) => payments.includes(kind)) &&
      !(action.id in SAME),
  ).map((action: Action) => ({
    id: action.id,
    text: localize(TEXTS[action.id] ?? action.plainKey ?? action.labelKey),
    keys: action.keys,
  }))
  return lines.filter(
    ({ text, keys }, at) => lines.findIndex((other) => other.text === text && other.keys.join() === keys.join()) === at,
  )
}
