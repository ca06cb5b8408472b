import type { MessageKey } from '../core/i18n/message-key.ts'
import { ACTIONS, type ActionId } from '../actions.ts'
import type { Action, ActionContext } from './action.ts'

/** Texts for the keyboard map, where those of the button fit one screen only. */
const TEXTS: Partial<Record<string, MessageKey>> = { 'redeem-confirm': 'shortcuts.pay', reprint: 'shortcuts.reprint' }

/** The same action of another screen under the same key: listed once. */
const SAME: Partial<Record<string, ActionId>> = {
  'reprint-last': 'reprint',
  'reprint-chosen': 'reprint',
  'return-reprint': 'reprint',
  'gift-receipt-chosen': 'gift-receipt',
  'return-chosen': 'return',
}

/**
 * Lines of a group on the keyboard map, each once and only for actions of this terminal: equal texts with equal keys of
 * two screens are one line.
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
