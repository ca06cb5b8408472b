import type { Control } from '../../../contracts/core/text.ts'
import { actionOf, readContext, type ActionId } from '../../actions.ts'
import { notify, clearTopic } from '../state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { dialogOpen, OPEN_DIALOG, press, isTooEarlyToPay, secondTap, cancelWaiting } from '../state/waiting-keys.ts'

/** Actions of each control barcode: the first available action is performed. */
const ACTIONS_OF: Record<Control, readonly ActionId[]> = {
  redeem: ['redeem-confirm', 'redeem'],
  'exact-cash': ['cash-exact', 'complete-free', 'pay-out'],
  'go-on': [
    'redemption-continue',
    'redemption-dismiss',
    'next-customer',
    'return-next',
    'return-continue',
    'return-completed',
  ],
  back: ['back'],
  undo: ['undo'],
  'print-again': ['reprint', 'reprint-last', 'reprint-chosen', 'return-reprint'],
}

/**
 * Cancels an open question as Esc does, for a cashier who only uses the scanner. Returns whether a question was open.
 */
function leaveDialog(): boolean {
  const dialog = [...document.querySelectorAll(`${OPEN_DIALOG} [role]`)].find(
    ({ role }) => role === 'dialog' || role === 'alertdialog',
  )
  return (
    dialog !== undefined &&
    !dialog.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true, cancelable: true }),
    )
  )
}

const TOPIC = 'control-refused'
// The notice about an unavailable control disappears with the sale it concerned.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id) clearTopic(TOPIC)
})

/**
 * Performs the action of a scanned control barcode; shows a notice when it is unavailable. Ignores a second scan of a
 * control whose action is in flight or waits.
 */
export function performControl(control: Control): void {
  if (control === 'back' && (leaveDialog() || cancelWaiting())) return
  const actions = ACTIONS_OF[control].map(actionOf)
  const context = readContext()
  if (!dialogOpen() && (press((now) => actions.find((action) => action.when(now)), context) || secondTap(actions)))
    return clearTopic(TOPIC)
  isTooEarlyToPay(context, actions)
  notify('warning', ({ t }) => t('sale.controlRefused', { control: t(`controls.${control}`) }), { topic: TOPIC })
}
