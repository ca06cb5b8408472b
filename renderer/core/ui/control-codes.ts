import type { Control } from '../../../contracts/core/text.ts'
import { actionOf, readContext, type ActionId } from '../../actions.ts'
import { notify, settleTopic } from '../state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { dialogOpen, OPEN_DIALOG, press, refusePaying, secondTap, takeBackWaiting } from '../state/waiting-keys.ts'

/** What each control does: the first of these that can be done now. */
const ACTIONS_OF: Record<Control, readonly ActionId[]> = {
  redeem: ['redeem-confirm', 'redeem'],
  'exact-cash': ['cash-exact', 'complete-free'],
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

/** Who has only a scanner at hand leaves a question as Esc does. Answers whether one was open. */
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
// It was about the customer who has left.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id) settleTopic(TOPIC)
})

/**
 * Does what a scanned control stands for, as its key would; says so when that cannot be done now. Scanned twice, it is
 * done once.
 */
export function performControl(control: Control): void {
  if (control === 'back' && (leaveDialog() || takeBackWaiting())) return
  const actions = ACTIONS_OF[control].map(actionOf)
  const context = readContext()
  if (!dialogOpen() && (press((now) => actions.find((action) => action.when(now)), context) || secondTap(actions)))
    return settleTopic(TOPIC)
  refusePaying(context, actions)
  notify('warning', ({ t }) => t('sale.controlRefused', { control: t(`controls.${control}`) }), { topic: TOPIC })
}
