import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import type { Format } from '../core/i18n/format.ts'
import type { MessageKey } from '../core/i18n/message-key.ts'
import { isCharging, outcomeOf, type Panel, type SaleState } from '../sales/sale.ts'
import type { ChosenDocument } from '../payments/earlier-sales/earlier-sales.ts'
import { RETURN_PATH, type ReturnState } from '../payments/returns/returns.ts'
import type { MemberSessionShown } from '../loyalty/member/member-session.ts'

/** What an action may look at to say whether it can be done now, and with what words. */
export interface ActionContext {
  readonly state: SaleState
  /** What is on its way to the terminal, by what it touches. */
  readonly busy: ReadonlySet<string>
  readonly panel: Panel
  readonly path: string
  readonly training: boolean
  /** The ways to pay that the store accepts. */
  readonly payments: readonly PaymentKind[]
  /** The paper of the earlier sale or return that is marked in the list, where it can be printed. */
  readonly chosenReceipt: ChosenDocument | null
  /** The earlier sale that is marked in the list and whose goods can come back. */
  readonly chosenSale: string | null
  /** The collector's sign-in with their own phone. */
  readonly memberSession: MemberSessionShown
  /** How many offers the member who is signed in would opt into by one press. */
  readonly offersToOptIn: number
  /** The lane has the history service of the program. */
  readonly memberHistory: boolean
  /** The return that is being made. */
  readonly returning: ReturnState
  /** The screen speaks of the documents of gift cards or store credit. */
  readonly vouchersShown: boolean
}

/** The parts of the keyboard map, in their order on the card. */
export const GROUPS = ['selling', 'changing', 'paying', 'returning', 'terminal'] as const

/**
 * One thing that the cashier can do. Buttons and keys both come from this list, so that neither can do what the other
 * cannot. `keys` are KeyboardEvent.key values, with Shift+ or Ctrl+ before them where it is needed; the first is the
 * one shown.
 */
export interface Action {
  readonly id: string
  readonly labelKey: MessageKey
  /** Its words without the amount, where that is not known yet or not meant. */
  readonly plainKey?: MessageKey
  readonly values?: (context: ActionContext, format: Format) => Record<string, string>
  readonly keys: readonly string[]
  /** A key that a text field needs for itself acts only while no field has the focus. */
  readonly yieldsToFields?: boolean
  /** Kinds of command whose answers come first, since it builds on what they bring: its key waits for them. */
  readonly after?: readonly string[]
  /** Each press counts: pressed again while it waits, it waits twice. */
  readonly repeats?: true
  /** Opens a field for what is typed next: its key goes behind no other, or what is typed would be lost. */
  readonly atOnce?: true
  /** Only a terminal in training mode has it. */
  readonly trainingOnly?: true
  /** Only where the store accepts all of these. */
  readonly payments?: readonly PaymentKind[]
  readonly group: (typeof GROUPS)[number]
  readonly when: (context: ActionContext) => boolean
  readonly perform: (context: ActionContext) => unknown
}

export const onSale = ({ path, state }: ActionContext): boolean => path === '/' && !state.confirmingCancel

export const hasItems = ({ state }: ActionContext): boolean =>
  state.current?.lines.some((line) => !line.voided) ?? false

export const idle = ({ busy }: ActionContext, kind: string): boolean => !busy.has(kind)

/** A payment is on its way, by miles or by the card terminal: the sale stays as it is. */
export const redeeming = ({ state }: ActionContext): boolean =>
  (state.current?.redemption != null && outcomeOf(state.current.redemption) === 'progress') ||
  isCharging(state.current?.cardPayment)

/** The sale may be brought to its end: nothing is on its way, and nothing is being redeemed. */
export const canClose = (context: ActionContext): boolean =>
  onSale(context) && hasItems(context) && idle(context, 'tender') && idle(context, 'redemption') && !redeeming(context)

/** The goods of a sale are being chosen for their return. */
export const choosing = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.sale !== null && returning.done === null

export const settled = (context: ActionContext) => {
  const redemption = context.state.current?.redemption
  return redemption ? outcomeOf(redemption) : undefined
}
