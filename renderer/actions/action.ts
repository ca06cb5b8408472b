import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import type { Format } from '../core/i18n/format.ts'
import type { MessageKey } from '../core/i18n/message-key.ts'
import { isCharging, outcomeOf, type Panel, type SaleState } from '../sales/sale.ts'
import type { ChosenDocument } from '../payments/earlier-sales/earlier-sales.ts'
import { RETURN_PATH, type ReturnState } from '../payments/returns/returns.ts'
import type { MemberSessionShown } from '../loyalty/member/member-session.ts'

/** State from which an action decides whether it is available and which label it shows. */
export interface ActionContext {
  readonly state: SaleState
  /** Keys of the commands in flight, by what they change. */
  readonly busy: ReadonlySet<string>
  readonly panel: Panel
  readonly path: string
  readonly training: boolean
  /** The payment types that the store accepts. */
  readonly payments: readonly PaymentKind[]
  /** The printable document of the earlier sale or return that is marked in the list. */
  readonly chosenReceipt: ChosenDocument | null
  /** The marked earlier sale, if its goods can be returned. */
  readonly chosenSale: string | null
  /** The collector's sign-in with their own phone. */
  readonly memberSession: MemberSessionShown
  /** Number of offers that one press would opt the signed-in member into. */
  readonly offersToOptIn: number
  /** Whether the lane has the program's history service. */
  readonly memberHistory: boolean
  /** The return that is being made. */
  readonly returning: ReturnState
  /** Whether the screen shows documents of gift cards or store credit. */
  readonly vouchersShown: boolean
}

/** Groups of the keyboard map, in their order on the card. */
export const GROUPS = ['selling', 'changing', 'paying', 'returning', 'terminal'] as const

/**
 * One action of the cashier. Buttons and keys both come from this list, so that they offer the same. `keys` are
 * KeyboardEvent.key values with an optional Shift+ or Ctrl+ prefix; the first is shown.
 */
export interface Action {
  readonly id: string
  readonly labelKey: MessageKey
  /** Label without the amount, where that is unknown or unwanted. */
  readonly plainKey?: MessageKey
  readonly values?: (context: ActionContext, format: Format) => Record<string, string>
  readonly keys: readonly string[]
  /** The key acts only while no text field has the focus, because the field needs it. */
  readonly yieldsToFields?: boolean
  /** Kinds of commands that must be answered before this one starts; its key waits for them. */
  readonly after?: readonly string[]
  /** Each press counts: pressed twice while it waits, it runs twice. */
  readonly repeats?: true
  /** Opens a field: runs without waiting, or the keys typed next would be lost. */
  readonly atOnce?: true
  /** Available in training mode only. */
  readonly trainingOnly?: true
  /** Available only where the store accepts all of these. */
  readonly payments?: readonly PaymentKind[]
  readonly group: (typeof GROUPS)[number]
  readonly when: (context: ActionContext) => boolean
  readonly perform: (context: ActionContext) => unknown
}

export const onSale = ({ path, state }: ActionContext): boolean => path === '/' && !state.confirmingCancel

export const hasItems = ({ state }: ActionContext): boolean =>
  state.current?.lines.some((line) => !line.voided) ?? false

export const idle = ({ busy }: ActionContext, kind: string): boolean => !busy.has(kind)

/** A payment by miles or by the card terminal is in progress: the sale must not change. */
export const redeeming = ({ state }: ActionContext): boolean =>
  (state.current?.redemption != null && outcomeOf(state.current.redemption) === 'progress') ||
  isCharging(state.current?.cardPayment)

/** The sale can be closed: nothing is in flight and no redemption is in progress. */
export const canClose = (context: ActionContext): boolean =>
  onSale(context) && hasItems(context) && idle(context, 'tender') && idle(context, 'redemption') && !redeeming(context)

/** The cashier is choosing the goods of a sale to return. */
export const choosing = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.sale !== null && returning.done === null

export const redemptionOutcome = (context: ActionContext) => {
  const redemption = context.state.current?.redemption
  return redemption ? outcomeOf(redemption) : undefined
}
