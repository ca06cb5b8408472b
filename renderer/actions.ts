import { NO_PAYMENTS, panelOf, useSale } from './sales/sale.ts'
import { useCommands } from './core/state/command-queue.ts'
import { useEarlierSales } from './payments/earlier-sales/earlier-sales.ts'
import { RETURN_PATH, useReturn } from './payments/returns/returns.ts'
import { countToOptIn, useBasketOffers } from './loyalty/offers/basket-offers.ts'
import { useMemberSession } from './loyalty/member/member-session.ts'
import { useTerminal } from './core/state/terminal.ts'
import { useVoucherDocuments } from './payments/receipt/reprint-vouchers.ts'
import type { Action, ActionContext } from './actions/action.ts'
import { TERMINAL_ACTIONS } from './actions/terminal-actions.ts'
import { RETURN_ACTIONS } from './actions/return-actions.ts'
import { PAPER_ACTIONS } from './actions/paper-actions.ts'
import { PAYING_ACTIONS } from './actions/paying-actions.ts'
import { CUSTOMER_ACTIONS } from './actions/customer-actions.ts'
import { BASKET_ACTIONS } from './actions/basket-actions.ts'

export const ACTIONS = [
  ...BASKET_ACTIONS,
  ...CUSTOMER_ACTIONS,
  ...PAYING_ACTIONS,
  ...PAPER_ACTIONS,
  ...RETURN_ACTIONS,
  ...TERMINAL_ACTIONS,
] as const satisfies readonly Action[]

export type ActionId = (typeof ACTIONS)[number]['id']

const byId = new Map<string, Action>(ACTIONS.map((action) => [action.id, action]))

export function actionOf(id: ActionId): Action {
  const action = byId.get(id)
  if (!action) throw new Error(`no action ${id}`)
  return action
}

export function readContext(): ActionContext {
  const state = useSale.getState()
  return {
    state,
    busy: useCommands.getState().kinds,
    panel: panelOf(state),
    path: location.pathname,
    training: useTerminal.getState().terminal?.mode === 'training',
    payments: useTerminal.getState().terminal?.payments ?? NO_PAYMENTS,
    chosenReceipt: useEarlierSales.getState().chosen,
    chosenSale: useEarlierSales.getState().chosenSale,
    memberSession: useMemberSession.getState(),
    offersToOptIn: countToOptIn(useBasketOffers.getState()),
    memberHistory: useTerminal.getState().terminal?.memberHistory ?? false,
    emailsReceipts: useTerminal.getState().terminal?.emailsReceipts ?? false,
    isManager: useTerminal.getState().terminal?.signedIn?.role === 'manager',
    returning: useReturn.getState(),
    vouchersShown: useVoucherDocuments.getState().shown.length > 0,
  }
}

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey'> & { readonly ctrlKey?: boolean }
export const keyOf = (event: Pressed): string => {
  if (event.ctrlKey) return `Ctrl+${event.key.length === 1 ? event.key.toUpperCase() : event.key}`
  return event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
}

/** The action that a key triggers now, or undefined. `inField`: a text field has the focus and keeps its own keys. */
export function actionForKey(event: Pressed, context: ActionContext, inField: boolean): Action | undefined {
  const key = keyOf(event)
  return ACTIONS.find(
    (action: Action) => action.keys.includes(key) && !(inField && action.yieldsToFields) && action.when(context),
  )
}

/** Actions that this key has on this page, available or not. */
export const actionsOfKey = (event: Pressed, { path }: Pick<ActionContext, 'path'>): readonly Action[] =>
  ACTIONS.filter(
    ({ keys, group }: Action) => (group === 'returning') === (path === RETURN_PATH) && keys.includes(keyOf(event)),
  )

/**
 * Whether the key is a function key or a Ctrl key with an action of the terminal: such keys must not reach the browser
 * (F1 help, F3 find, F7 caret, F11 full screen).
 */
export const isOurs = (event: Pressed): boolean =>
  (/^F\d/.test(event.key) || event.ctrlKey === true) &&
  ACTIONS.some((action: Action) => action.keys.includes(keyOf(event)))
