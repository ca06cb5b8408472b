import type { Control } from '../contracts/control-codes.ts'
import { actionOf, readContext, type Action, type ActionContext, type ActionId } from './actions.ts'
import { notify } from './stores/notices.ts'
import { dialogOpen, press, takeBackWaiting } from './type-ahead.ts'

/** What each control does: the first of these that can be done now. */
const ACTIONS_OF: Record<Control, readonly ActionId[]> = {
  redeem: ['redeem-confirm', 'redeem'],
  'exact-cash': ['cash-exact', 'complete-free'],
  'go-on': ['redemption-continue', 'redemption-dismiss', 'next-customer', 'return-next', 'return-continue', 'return-completed'],
  back: ['back'],
  undo: ['undo'],
  'print-again': ['reprint', 'reprint-last', 'reprint-chosen', 'return-reprint'],
}

/** Who has only a scanner at hand leaves a question as Esc does. Answers whether one was open. */
function leaveDialog(): boolean {
  const dialog = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].at(-1)
  return dialog !== undefined && !dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true, cancelable: true }))
}

/** Does what a scanned control stands for, as its key would; says so when that cannot be done now. */
export function performControl(control: Control): void {
  const fitting = (context: ActionContext): Action | undefined => ACTIONS_OF[control].map(actionOf).find((action) => action.when(context))
  if (control === 'back' && (leaveDialog() || takeBackWaiting())) return
  if (!dialogOpen() && press(fitting, readContext())) return
  notify('warning', ({ t }) => t('sale.controlRefused', { control: t(`controls.${control}`) }))
}
