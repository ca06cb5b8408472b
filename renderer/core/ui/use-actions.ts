import { useLayoutEffect } from 'react'
import { useLocation } from 'wouter'
import { actionForKey, actionOf, actionsOfKey, isOurs, keyOf, readContext, type ActionId } from '../../actions.ts'
import type { Action, ActionContext } from '../../actions/action.ts'
import { useI18n } from '../i18n/i18n.ts'
import { performControl } from './control-codes.ts'
import { countToOptIn, useBasketOffers } from '../../loyalty/offers/basket-offers.ts'
import { useCommands } from '../state/command-queue.ts'
import { onControl, useShell } from '../state/window.ts'
import { notify } from '../state/notices.ts'
import { useEarlierSales } from '../../payments/earlier-sales/earlier-sales.ts'
import { useMemberSession } from '../../loyalty/member/member-session.ts'
import { useReturn } from '../../payments/returns/returns.ts'
import { NO_PAYMENTS, panelOf, useSale } from '../../sales/sale.ts'
import { useTerminal } from '../state/terminal.ts'
import { keyName } from './key-names.ts'
import { isTooEarlyToConfirm, dialogOpen, press, isTooEarlyToPay, cancelWaiting } from '../state/waiting-keys.ts'
import { useVoucherDocuments } from '../../payments/receipt/reprint-vouchers.ts'

export function useActionContext(): ActionContext {
  const state = useSale()
  const busy = useCommands(({ kinds }) => kinds)
  const [path] = useLocation()
  const training = useTerminal((terminal) => terminal.terminal?.mode === 'training')
  const payments = useTerminal(({ terminal }) => terminal?.payments) ?? NO_PAYMENTS
  const chosenReceipt = useEarlierSales((earlier) => earlier.chosen)
  const chosenSale = useEarlierSales((earlier) => earlier.chosenSale)
  const memberSession = useMemberSession()
  const offersToOptIn = useBasketOffers(countToOptIn)
  const memberHistory = useTerminal(({ terminal }) => terminal?.memberHistory) ?? false
  const emailsReceipts = useTerminal(({ terminal }) => terminal?.emailsReceipts) ?? false
  const isManager = useTerminal(({ terminal }) => terminal?.signedIn?.role === 'manager')
  const returning = useReturn()
  const vouchersShown = useVoucherDocuments(({ shown }) => shown.length > 0)
  return {
    state,
    busy,
    panel: panelOf(state),
    path,
    training,
    payments,
    chosenReceipt,
    chosenSale,
    memberSession,
    offersToOptIn,
    memberHistory,
    emailsReceipts,
    isManager,
    returning,
    vouchersShown,
  }
}

export function useAction(id: ActionId): {
  readonly label: string
  readonly keys: readonly string[]
  readonly enabled: boolean
  readonly perform: () => void
} {
  const context = useActionContext()
  const { t, format } = useI18n()
  const action: Action = actionOf(id)
  return {
    label: t(action.labelKey, action.values?.(context, format)),
    keys: action.keys,
    enabled: action.when(context),
    // The context is read at the moment of the tap, because an outdated screen must not act on an old sale.
    perform: () => void press((now) => (action.when(now) ? action : undefined), readContext()),
  }
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/**
 * Whether the focused control keeps the key. A radio button or checkbox keeps only the arrow keys, which move its
 * selection.
 */
const keepsKey = (target: EventTarget | null, key: string): boolean =>
  isField(target) && (!isChoice(target) || key.startsWith('Arrow'))

const isChoice = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && (target.type === 'radio' || target.type === 'checkbox')

const takesEnter = (target: EventTarget | null): boolean =>
  isField(target) || target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement

/**
 * Installs the one listener for all keys of the terminal, and for control barcodes. An open dialog captures the keys.
 */
export function useKeyboardMap(): void {
  // Installed before paint, because a key may be pressed as soon as the screen is visible.
  useLayoutEffect(() => onControl(performControl), [])
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.metaKey || event.isComposing) return
      if (isOurs(event)) event.preventDefault()
      if (event.repeat || dialogOpen()) return
      if (event.key === 'Enter' && takesEnter(event.target)) return
      // The search field handles Esc itself: the first Esc empties it, the next leaves it.
      if (event.key === 'Escape' && event.target instanceof HTMLInputElement && event.target.type === 'search') return
      // Esc closes an open explanation of the status bar and has no other effect.
      if (event.key === 'Escape' && useShell.getState().explained !== null) return
      // Esc cancels waiting keys before it acts on the screen.
      if (event.key === 'Escape' && cancelWaiting()) return event.preventDefault()
      const context = readContext()
      // The item search passes its keys on to its list as new events: these still count as keys of the field.
      const inField = keepsKey(event.target, event.key) || keepsKey(document.activeElement, event.key)
      const meant = (now: ActionContext): Action | undefined => actionForKey(event, now, inField)
      if (press(meant, context)) return event.preventDefault()
      const actions = actionsOfKey(event, context)
      if (/^F\d/.test(event.key) && (isTooEarlyToPay(context, actions) || isTooEarlyToConfirm(context, actions)))
        notify('info', ({ t }) => t('sale.keyTooEarly', { key: keyName(keyOf(event), t) }), { topic: 'key-too-early' })
    }
    // The listener captures, so that no control stops a key of the terminal.
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
}
