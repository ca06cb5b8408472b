import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import type { Format } from '../core/i18n/format.ts'
import type { MessageKey } from '../core/i18n/message-key.ts'
import { isCharging, outcomeOf, type Panel, type SaleState } from '../sales/sale.ts'
import type { ChosenDocument } from '../payments/earlier-sales/earlier-sales.ts'
import { RETURN_PATH, type ReturnState } from '../payments/returns/returns.ts'
import type { MemberSessionShown } from '../loyalty/member/member-session.ts'

export interface ActionContext {
  readonly state: SaleState
  /** Kinds of the commands in flight, such as `ring` or `tender`. */
  readonly busy: ReadonlySet<string>
  readonly panel: Panel
  readonly path: string
  readonly training: boolean
  readonly payments: readonly PaymentKind[]
  readonly chosenReceipt: ChosenDocument | null
  /** Id of the earlier sale selected in the list; null if none is selected or its goods cannot be returned. */
  readonly chosenSale: string | null
  readonly memberSession: MemberSessionShown
  /** Number of offers to which one press would opt the signed-in member in. */
  readonly offersToOptIn: number
  readonly memberHistory: boolean
  readonly emailsReceipts: boolean
  readonly isManager: boolean
  readonly returning: ReturnState
  /** Whether the screen shows documents of gift cards or store credit. */
  readonly vouchersShown: boolean
}

export const GROUPS = ['selling', 'changing', 'paying', 'returning', 'terminal'] as const

/**
 * One action of the cashier. Buttons and keyboard keys use the same list, so that they offer the same actions. `keys`
 * are KeyboardEvent.key values with an optional Shift+ or Ctrl+ prefix; screens show the first.
 */
export interface Action {
  readonly id: string
  readonly labelKey: MessageKey
  /** Label of the action without an amount, where the amount is unknown or unwanted. */
  readonly plainKey?: MessageKey
  readonly values?: (context: ActionContext, format: Format) => Record<string, string>
  readonly keys: readonly string[]
  /** Whether the key acts only while no text field has the focus, because the field needs it. */
  readonly yieldsToFields?: boolean
  /** Kinds of commands that must be answered before this action starts; its key waits for them. */
  readonly after?: readonly string[]
  /** Each press counts: an action pressed twice while it waits runs twice. */
  readonly repeats?: true
  /** The action opens a field, so it runs without waiting: the keys typed next would be lost otherwise. */
  readonly atOnce?: true
  readonly trainingOnly?: true
  /** The action is available only where the store accepts all of these payment types. */
  readonly payments?: readonly PaymentKind[]
  readonly group: (typeof GROUPS)[number]
  readonly when: (context: ActionContext) => boolean
  readonly perform: (context: ActionContext) => unknown
}

export const onSale = ({ path, state }: ActionContext): boolean => path === '/' && !state.confirmingCancel

export const hasItems = ({ state }: ActionContext): boolean =>
  state.current?.lines.some((line) => !line.voided) ?? false

export const idle = ({ busy }: ActionContext, kind: string): boolean => !busy.has(kind)

/** Whether a payment by miles or by the card terminal is in progress: the sale must not change. */
export const redeeming = ({ state }: ActionContext): boolean =>
  (state.current?.redemption != null && outcomeOf(state.current.redemption) === 'progress') ||
  isCharging(state.current?.cardPayment)

/**
 * Whether the shown sale has items and can be closed: no tender or redemption command is unanswered, and no payment by
 * miles or by the card terminal is in progress.
 */
export const canClose = (context: ActionContext): boolean =>
  onSale(context) && hasItems(context) && idle(context, 'tender') && idle(context, 'redemption') && !redeeming(context)

/** Whether the cashier is choosing the goods of a sale to return. */
export const choosing = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.sale !== null && returning.done === null

export const redemptionOutcome = (context: ActionContext) => {
  const redemption = context.state.current?.redemption
  return redemption ? outcomeOf(redemption) : undefined
}
