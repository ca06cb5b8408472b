import type { PaymentKind } from '../contracts/payments/tenders/registry.ts'
import { navigate } from 'wouter/use-browser-location'
import type { Format } from './core/i18n/format.ts'
import type { MessageKey } from './core/i18n/message-key.ts'
import {
  BEFORE_PAYING,
  handsOver,
  INTO_BASKET,
  isCharging,
  isPayment,
  NO_PAYMENTS,
  outcomeOf,
  PAYMENT_KEYS,
  PAYMENTS,
  panelOf,
  nextCustomer,
  selectLine,
  setStage,
  useSale,
  type Panel,
  type SaleState,
} from './sales/sale.ts'
import { useCommands } from './core/state/command-queue.ts'
import { askMemberAgain, mayAskAgain, notifyAsking } from './loyalty/member/member-inquiry.ts'
import {
  addQuantity,
  charge,
  completeFree,
  redeem,
  removeMember,
  stopCharge,
  seeOutcome,
  pay,
  undo,
  voidLine,
} from './sales/sale-commands.ts'
import { reprint, reprintInOtherLanguage } from './payments/receipt/documents.ts'
import {
  EARLIER_SALES_PATH,
  showEarlierSales,
  useEarlierSales,
  type ChosenDocument,
} from './payments/earlier-sales/earlier-sales.ts'
import { openChange } from './sales/changes.ts'
import {
  changePieces,
  confirmReturn,
  findAnother,
  giveUpReturn,
  goesBackCents,
  leaveReturn,
  piecesInHand,
  RETURN_PATH,
  setExchanging,
  showReturn,
  startUnrecorded,
  takeEverything,
  useReturn,
  type ReturnState,
} from './payments/returns/returns.ts'
import { leaveQuickKeys, openQuickKeys } from './sales/quick-keys/quick-keys.ts'
import { HELD_SALES_PATH, useHeldSales } from './sales/held-sales.ts'
import { OPT_IN_ALL, countToOptIn, optInToAll, useBasketOffers } from './loyalty/offers/basket-offers.ts'
import { openHistory } from './loyalty/member/member-history.ts'
import {
  beginMemberSession,
  cancelMemberSession,
  printMemberCode,
  sessionOf,
  useMemberSession,
  type MemberSessionShown,
} from './loyalty/member/member-session.ts'
import { useShell } from './core/state/window.ts'
import { confirmUnrecorded } from './payments/returns/unrecorded-return.ts'
import { signOut, useTerminal } from './core/state/terminal.ts'
import { reprintVouchers, useVoucherDocuments } from './payments/receipt/reprint-vouchers.ts'

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

/** A code is on its way or shown, or somebody has signed in on this sale. */
const isSigningIn = ({ state, memberSession }: ActionContext): boolean => {
  const session = sessionOf(state.current?.id, memberSession)
  return session !== null && session.state !== 'ended'
}
const hasSignedIn = ({ state, memberSession }: ActionContext): boolean =>
  sessionOf(state.current?.id, memberSession)?.state === 'signed-in'
const onSale = ({ path, state }: ActionContext): boolean => path === '/' && !state.confirmingCancel
const hasItems = ({ state }: ActionContext): boolean => state.current?.lines.some((line) => !line.voided) ?? false
const idle = ({ busy }: ActionContext, kind: string): boolean => !busy.has(kind)
/** A payment is on its way, by miles or by the card terminal: the sale stays as it is. */
const redeeming = ({ state }: ActionContext): boolean =>
  (state.current?.redemption != null && outcomeOf(state.current.redemption) === 'progress') ||
  isCharging(state.current?.cardPayment)
/**
 * Lines may change at any time before the sale closes; the backend refuses what would leave it worth less than was
 * paid.
 */
const lineOpen = (context: ActionContext): boolean =>
  onSale(context) &&
  (context.panel === 'ring' || context.panel === 'quick' || context.panel === 'redemption') &&
  context.state.selectedLine !== null &&
  hasItems(context) &&
  !redeeming(context)
/** The sale itself may change beside its lines: there is something in it, and nothing is on its way. */
const saleChangeable = (context: ActionContext): boolean =>
  onSale(context) &&
  (context.panel === 'ring' || context.panel === 'quick' || context.panel === 'redemption') &&
  hasItems(context) &&
  !redeeming(context) &&
  idle(context, 'change')
const selectedQuantity = ({ state: { current, selectedLine } }: ActionContext): number =>
  current?.lines.find(({ number }) => number === selectedLine)?.quantity ?? 0
const lineChangeable = (context: ActionContext): boolean => lineOpen(context) && idle(context, 'change')
/** The sale may be brought to its end: nothing is on its way, and nothing is being redeemed. */
const canClose = (context: ActionContext): boolean =>
  onSale(context) && hasItems(context) && idle(context, 'tender') && idle(context, 'redemption') && !redeeming(context)
/** Another payment may be taken now. */
const canPay = (context: ActionContext): boolean =>
  canClose(context) && (context.state.current?.totals.dueCents ?? 0) > 0
const hasTerminal = ({ payments }: ActionContext): boolean => payments.includes('card-terminal')
const canRedeem = (context: ActionContext): boolean =>
  canPay(context) &&
  context.panel !== 'redemption' &&
  context.state.current?.redemptionChoice != null &&
  idle(context, 'redemption')

/** The program has not said yet what this card may redeem: the key says so. */
const isAsking = ({ state }: ActionContext): boolean => state.current?.member?.state === 'pending'

/** The goods of a sale are being chosen for their return. */
const choosing = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.sale !== null && returning.done === null
const unrecorded = ({ path, returning }: ActionContext): boolean => path === RETURN_PATH && returning.unrecorded
const handedOut = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.done !== null && returning.seen
const takenOf = ({ returning: { selectedLine, pieces } }: ActionContext): number =>
  selectedLine === null ? 0 : (pieces[selectedLine] ?? 0)
const leftOf = ({ returning: { selectedLine, sale } }: ActionContext): number =>
  sale?.lines.find(({ number }) => number === selectedLine)?.leftQuantity ?? 0

const chosenUnits = (context: ActionContext): number => {
  const choice = context.state.current?.redemptionChoice
  return context.state.units ?? choice?.defaultUnits ?? 0
}
const unitsAmount = (context: ActionContext, format: Format, units: number): Record<string, string> => ({
  amount: format.money(units * (context.state.current?.redemptionChoice?.unitCents ?? 0)),
})
const moveSelection =
  (step: 1 | -1) =>
  ({ state }: ActionContext): void => {
    const open = state.current?.lines.filter((line) => !line.voided) ?? []
    const at = open.findIndex((line) => line.number === state.selectedLine)
    const next = open[Math.min(Math.max(at + step, 0), open.length - 1)]
    if (next) selectLine(next.number)
  }
const changeUnits =
  (step: 1 | -1) =>
  (context: ActionContext): void => {
    const choice = context.state.current?.redemptionChoice
    if (choice) useSale.setState({ units: Math.min(Math.max(chosenUnits(context) + step, 1), choice.maxUnits) })
  }
const selected = (context: ActionContext, run: (line: number) => unknown): unknown =>
  context.state.selectedLine === null ? undefined : run(context.state.selectedLine)

/** What is done to the marked line is done to the item that was rung last, also when that is not answered yet. */
const RUNG = ['ring'] as const

export const ACTIONS = [
  {
    id: 'search',
    labelKey: 'actions.search',
    keys: ['F2'],
    atOnce: true,
    group: 'selling',
    when: (c) => onSale(c) && !redeeming(c),
    perform: () => useShell.getState().focusSearch(),
  },
  {
    id: 'quick-keys',
    labelKey: 'actions.quick-keys',
    keys: ['Shift+F2'],
    group: 'selling',
    when: (c) => onSale(c) && c.panel !== 'quick' && !redeeming(c),
    perform: openQuickKeys,
  },
  {
    id: 'quantity',
    labelKey: 'actions.quantity',
    keys: ['F3'],
    after: RUNG,
    group: 'changing',
    when: lineOpen,
    perform: (c) => useSale.setState({ editingQuantity: c.state.selectedLine }),
  },
  {
    id: 'more',
    labelKey: 'actions.more',
    keys: ['+'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: lineOpen,
    perform: (c) => selected(c, (line) => addQuantity(line, 1)),
  },
  {
    id: 'fewer',
    labelKey: 'actions.fewer',
    keys: ['-'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && selectedQuantity(c) > 1,
    perform: (c) => selected(c, (line) => addQuantity(line, -1)),
  },
  {
    id: 'line-previous',
    labelKey: 'actions.line-previous',
    keys: ['ArrowUp'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && c.panel !== 'quick',
    perform: moveSelection(-1),
  },
  {
    id: 'line-next',
    labelKey: 'actions.line-next',
    keys: ['ArrowDown'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && c.panel !== 'quick',
    perform: moveSelection(1),
  },
  {
    id: 'line-void',
    labelKey: 'actions.line-void',
    keys: ['Delete'],
    yieldsToFields: true,
    after: RUNG,
    group: 'changing',
    when: lineOpen,
    perform: (c) => selected(c, voidLine),
  },
  {
    id: 'undo',
    labelKey: 'actions.undo',
    keys: ['Ctrl+Z'],
    yieldsToFields: true,
    after: INTO_BASKET,
    group: 'changing',
    when: (c) => onSale(c) && c.state.current?.undo != null && !redeeming(c) && idle(c, 'change'),
    perform: () => undo(),
  },
  {
    id: 'changes',
    labelKey: 'actions.changes',
    keys: ['Ctrl+E'],
    after: RUNG,
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'menu' }),
  },
  {
    id: 'discount-line',
    labelKey: 'actions.discount-line',
    keys: ['Ctrl+D'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'discount', line })),
  },
  {
    id: 'price',
    labelKey: 'actions.price',
    keys: ['Ctrl+P'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'price', line })),
  },
  {
    id: 'note-line',
    labelKey: 'actions.note-line',
    keys: ['Ctrl+L'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'note', line })),
  },
  {
    id: 'discount-sale',
    labelKey: 'actions.discount-sale',
    keys: ['Ctrl+S'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'discount', line: null }),
  },
  {
    id: 'coupon',
    labelKey: 'actions.coupon',
    keys: ['Ctrl+K'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'coupon' }),
  },
  {
    id: 'exemption',
    labelKey: 'actions.exemption',
    keys: ['Ctrl+I'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'exemption' }),
  },
  {
    id: 'note-sale',
    labelKey: 'actions.note-sale',
    keys: ['Ctrl+O'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'note', line: null }),
  },
  {
    id: 'sale-hold',
    labelKey: 'actions.sale-hold',
    keys: ['F5'],
    after: INTO_BASKET,
    group: 'selling',
    when: (c) =>
      canClose(c) &&
      idle(c, 'hold') &&
      c.state.current?.tenders.length === 0 &&
      settled(c) !== 'approved' &&
      c.state.current.redemption?.state !== 'escalated',
    perform: () => useHeldSales.setState({ naming: true }),
  },
  {
    id: 'held-sales',
    labelKey: 'actions.held-sales',
    keys: ['Shift+F5'],
    group: 'selling',
    when: (c) => c.path !== HELD_SALES_PATH,
    perform: () => navigate(HELD_SALES_PATH),
  },
  {
    id: 'member-key',
    labelKey: 'actions.member-key',
    keys: ['Shift+F3'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      idle(c, 'member') &&
      !redeeming(c) &&
      (c.state.current?.redemption == null || ['declined', 'reversed'].includes(c.state.current.redemption.state)),
    perform: () => useShell.setState({ keyingCollector: true }),
  },
  {
    id: 'member-ask',
    labelKey: 'actions.member-ask',
    keys: ['Ctrl+M'],
    group: 'selling',
    when: (c) => onSale(c) && idle(c, 'member') && !redeeming(c) && mayAskAgain(c.state.current),
    perform: askMemberAgain,
  },
  {
    id: 'member-sign-in',
    labelKey: 'actions.member-sign-in',
    keys: ['Ctrl+J'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      c.memberSession.offered &&
      c.state.current?.member != null &&
      idle(c, 'member-session') &&
      !isSigningIn(c),
    perform: beginMemberSession,
  },
  {
    id: 'member-sign-in-cancel',
    labelKey: 'actions.member-sign-in-cancel',
    keys: ['Ctrl+J'],
    group: 'selling',
    when: (c) => onSale(c) && idle(c, 'member-session') && isSigningIn(c),
    perform: cancelMemberSession,
  },
  {
    id: 'member-sign-in-print',
    labelKey: 'actions.member-sign-in-print',
    keys: ['Ctrl+U'],
    group: 'selling',
    when: (c) =>
      onSale(c) && !c.memberSession.printing && sessionOf(c.state.current?.id, c.memberSession)?.state === 'waiting',
    perform: printMemberCode,
  },
  {
    id: 'basket-offers',
    labelKey: 'actions.basket-offers',
    keys: ['Ctrl+F'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && c.panel !== 'after',
    perform: () => useBasketOffers.setState({ open: true }),
  },
  {
    id: 'offers-opt-in',
    labelKey: 'actions.offers-opt-in',
    keys: ['Ctrl+Y'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && c.offersToOptIn > 0 && idle(c, OPT_IN_ALL),
    perform: optInToAll,
  },
  {
    id: 'member-history',
    labelKey: 'actions.member-history',
    keys: ['Ctrl+H'],
    group: 'selling',
    when: (c) => onSale(c) && c.memberHistory && hasSignedIn(c),
    perform: openHistory,
  },
  {
    id: 'earning',
    labelKey: 'actions.earning',
    keys: ['Shift+F6'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current?.member != null && c.state.current.milesPreview !== null,
    perform: () => useShell.setState({ earningOpen: true }),
  },
  {
    id: 'member-remove',
    labelKey: 'actions.member-remove',
    keys: ['Shift+F8'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      c.state.current?.member != null &&
      c.state.current.redemption?.state !== 'approved' &&
      c.panel !== 'redemption' &&
      idle(c, 'member'),
    perform: () => removeMember(),
  },
  {
    id: 'sale-cancel',
    labelKey: 'actions.sale-cancel',
    keys: ['Shift+Delete'],
    yieldsToFields: true,
    after: INTO_BASKET,
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && idle(c, 'cancel') && idle(c, 'tender') && !redeeming(c),
    perform: () => useSale.setState({ confirmingCancel: true }),
  },

  {
    id: 'redeem',
    labelKey: 'actions.redeem',
    plainKey: 'actions.redeem-plain',
    values: (c, f) => unitsAmount(c, f, c.state.current?.redemptionChoice?.defaultUnits ?? 0),
    keys: ['F4'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => (canRedeem(c) && c.panel !== 'redeem') || (canPay(c) && isAsking(c)),
    perform: (c) => (isAsking(c) ? notifyAsking() : redeem(c.state.current?.redemptionChoice?.defaultUnits ?? 0)),
  },
  {
    id: 'redeem-other',
    labelKey: 'actions.redeem-other',
    keys: ['Shift+F4'],
    group: 'paying',
    when: (c) => canRedeem(c) && c.panel !== 'redeem',
    perform: () => setStage('redeem'),
  },
  {
    id: 'units-more',
    labelKey: 'redeem.more',
    keys: ['ArrowUp', '+'],
    yieldsToFields: true,
    repeats: true,
    group: 'paying',
    when: (c) =>
      onSale(c) && c.panel === 'redeem' && chosenUnits(c) < (c.state.current?.redemptionChoice?.maxUnits ?? 0),
    perform: changeUnits(1),
  },
  {
    id: 'units-fewer',
    labelKey: 'redeem.fewer',
    keys: ['ArrowDown', '-'],
    yieldsToFields: true,
    repeats: true,
    group: 'paying',
    when: (c) => onSale(c) && c.panel === 'redeem' && chosenUnits(c) > 1,
    perform: changeUnits(-1),
  },
  {
    id: 'redeem-confirm',
    labelKey: 'actions.redeem-confirm',
    plainKey: 'actions.redeem-plain',
    values: (c, f) => unitsAmount(c, f, chosenUnits(c)),
    keys: ['Enter', 'F4'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => canRedeem(c) && c.panel === 'redeem',
    perform: (c) => redeem(chosenUnits(c)),
  },
  {
    id: 'redemption-continue',
    labelKey: 'actions.redemption-continue',
    keys: ['Enter', 'Escape'],
    group: 'paying',
    when: (c) => onSale(c) && c.panel === 'redemption' && settled(c) === 'approved',
    perform: seeOutcome,
  },
  {
    id: 'redemption-dismiss',
    labelKey: 'actions.redemption-dismiss',
    keys: ['Enter', 'Escape'],
    group: 'paying',
    when: (c) => onSale(c) && c.panel === 'redemption' && (settled(c) === 'failed' || settled(c) === 'reversal'),
    perform: seeOutcome,
  },
  ...PAYMENTS.map(
    (kind) =>
      ({
        id: kind,
        labelKey: `tender.pay.${kind}`,
        keys: [PAYMENT_KEYS[kind]],
        payments: [kind],
        group: 'paying',
        when: (c) => canPay(c) && c.payments.includes(kind) && c.panel !== kind && !(kind === 'card' && hasTerminal(c)),
        perform: (c) => {
          seeOutcome()
          setStage(kind)
          // One key: the whole amount goes to the terminal. Stopped there, another amount can be sent.
          if (kind === 'card-terminal') return charge(c.state.current?.totals.dueCents ?? 0)
        },
      }) satisfies Action,
  ),
  {
    id: 'card-slip',
    labelKey: 'actions.card-slip',
    keys: ['Ctrl+F8'],
    payments: ['card', 'card-terminal'],
    group: 'paying',
    when: (c) => canPay(c) && c.payments.includes('card') && hasTerminal(c) && c.panel !== 'card',
    perform: () => {
      seeOutcome()
      setStage('card')
    },
  },
  {
    id: 'card-part',
    labelKey: 'actions.card-part',
    keys: ['Ctrl+F6'],
    payments: ['card-terminal'],
    group: 'paying',
    when: (c) => canPay(c) && hasTerminal(c) && c.panel !== 'card-terminal',
    perform: () => {
      seeOutcome()
      setStage('card-terminal')
    },
  },
  {
    id: 'card-stop',
    labelKey: 'actions.card-stop',
    keys: ['Escape'],
    payments: ['card-terminal'],
    group: 'paying',
    when: (c) => onSale(c) && isCharging(c.state.current?.cardPayment),
    perform: stopCharge,
  },
  {
    id: 'tender-back',
    labelKey: 'actions.tender-back',
    keys: ['Ctrl+B'],
    group: 'paying',
    when: (c) =>
      canClose(c) &&
      (c.panel === 'ring' || c.panel === 'quick' || c.panel === 'redemption') &&
      c.state.current !== null &&
      c.state.current.tenders.length > 0 &&
      idle(c, 'cancel'),
    perform: (c) => useSale.setState({ givingBack: c.state.current?.tenders.at(-1)?.number ?? null }),
  },
  {
    id: 'gift-card',
    labelKey: 'actions.gift-card',
    keys: ['Ctrl+G'],
    group: 'selling',
    when: (c) => onSale(c) && !redeeming(c) && (c.panel === 'ring' || isPayment(c.panel)) && idle(c, 'gift-card'),
    perform: () => setStage('gift-card'),
  },
  {
    id: 'cash-exact',
    labelKey: 'actions.cash-exact',
    plainKey: 'actions.cash-exact-plain',
    values: (c, f) => ({ amount: f.money(c.state.current?.totals.cashDueCents ?? 0) }),
    keys: ['F9'],
    after: BEFORE_PAYING,
    payments: ['cash'],
    group: 'paying',
    when: (c) => canPay(c) && c.payments.includes('cash') && c.panel !== 'gift-card',
    perform: (c) => pay({ kind: 'cash', tenderedCents: c.state.current?.totals.cashDueCents ?? 0 }),
  },
  {
    id: 'complete-free',
    labelKey: 'actions.complete-free',
    keys: ['F9'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => canClose(c) && c.state.current?.totals.dueCents === 0,
    perform: completeFree,
  },
  {
    id: 'next-customer',
    labelKey: 'actions.next-customer',
    keys: ['Enter'],
    group: 'paying',
    when: (c) =>
      onSale(c) && c.state.closed !== null && c.panel === 'after' && (c.state.closedSeen || !handsOver(c.state.closed)),
    perform: nextCustomer,
  },
  {
    id: 'reprint',
    labelKey: 'actions.reprint',
    keys: ['F11'],
    group: 'terminal',
    when: (c) => onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed' && idle(c, 'print'),
    perform: (c) => reprint(c.state.closed?.id ?? null),
  },
  {
    id: 'reprint-language',
    labelKey: 'actions.reprint-language',
    keys: ['Ctrl+F11'],
    group: 'terminal',
    when: (c) =>
      ((onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed') ||
        (c.path === EARLIER_SALES_PATH && c.chosenSale !== null)) &&
      idle(c, 'print'),
    perform: (c) => reprintInOtherLanguage(c.path === EARLIER_SALES_PATH ? c.chosenSale : (c.state.closed?.id ?? null)),
  },
  {
    id: 'gift-receipt',
    labelKey: 'actions.gift-receipt',
    keys: ['Shift+F9'],
    group: 'terminal',
    when: (c) => onSale(c) && c.panel === 'after' && c.state.closed?.state === 'completed' && idle(c, 'print'),
    perform: (c) => reprint(c.state.closed?.id ?? null, 'gift'),
  },
  {
    id: 'reprint-voucher',
    labelKey: 'actions.reprint-voucher',
    keys: ['Ctrl+G'],
    group: 'terminal',
    when: (c) =>
      c.vouchersShown &&
      ((onSale(c) && c.panel === 'after') || (c.path === RETURN_PATH && c.returning.done !== null)) &&
      idle(c, 'print'),
    perform: () => reprintVouchers(),
  },
  {
    id: 'gift-receipt-chosen',
    labelKey: 'actions.gift-receipt',
    keys: ['Shift+F9'],
    group: 'terminal',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenSale !== null && idle(c, 'print'),
    perform: (c) => reprint(c.chosenSale, 'gift'),
  },
  {
    id: 'reprint-last',
    labelKey: 'actions.reprint-last',
    keys: ['F11'],
    group: 'terminal',
    when: (c) =>
      onSale(c) &&
      c.state.current === null &&
      c.state.closed?.state !== 'completed' &&
      c.state.lastSaleId !== null &&
      idle(c, 'print'),
    perform: (c) => reprint(c.state.lastSaleId),
  },
  {
    id: 'reprint-chosen',
    labelKey: 'actions.reprint-chosen',
    keys: ['F11'],
    group: 'terminal',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenReceipt !== null && idle(c, 'print'),
    perform: (c) => reprint(c.chosenReceipt?.id ?? null, c.chosenReceipt?.paper),
  },

  {
    id: 'return',
    labelKey: 'actions.return',
    keys: ['Shift+F10'],
    group: 'returning',
    when: (c) => c.path !== RETURN_PATH && c.path !== EARLIER_SALES_PATH,
    perform: () => showReturn(null),
  },
  {
    id: 'return-chosen',
    labelKey: 'actions.return-chosen',
    keys: ['Shift+F10'],
    group: 'returning',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenSale !== null,
    perform: (c) => showReturn(c.chosenSale),
  },
  {
    id: 'return-find',
    labelKey: 'actions.return-find',
    keys: ['F2'],
    group: 'returning',
    when: (c) => (choosing(c) || unrecorded(c)) && !c.returning.busy,
    perform: findAnother,
  },
  {
    id: 'return-drop',
    labelKey: 'actions.return-drop',
    keys: ['Shift+Delete'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => c.path === RETURN_PATH && piecesInHand(c.returning) > 0 && !c.returning.busy,
    perform: giveUpReturn,
  },
  {
    id: 'return-unrecorded',
    labelKey: 'actions.return-unrecorded',
    keys: ['F4'],
    group: 'returning',
    when: (c) =>
      c.path === RETURN_PATH && c.returning.sale === null && c.returning.done === null && !c.returning.unrecorded,
    perform: startUnrecorded,
  },
  {
    id: 'return-unrecorded-confirm',
    labelKey: 'actions.return-unrecorded-confirm',
    keys: ['F9'],
    group: 'returning',
    when: (c) => unrecorded(c) && c.returning.unrecordedWorth && !c.returning.busy,
    perform: confirmUnrecorded,
  },
  {
    id: 'return-more',
    labelKey: 'actions.return-more',
    keys: ['+'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => choosing(c) && takenOf(c) < leftOf(c),
    perform: () => changePieces(1),
  },
  {
    id: 'return-fewer',
    labelKey: 'actions.return-fewer',
    keys: ['-'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => choosing(c) && takenOf(c) > 0,
    perform: () => changePieces(-1),
  },
  {
    id: 'return-all',
    labelKey: 'actions.return-all',
    keys: ['F3'],
    group: 'returning',
    when: (c) => choosing(c) && (c.returning.sale?.lines.some(({ leftQuantity }) => leftQuantity > 0) ?? false),
    perform: takeEverything,
  },
  {
    id: 'return-exchange',
    labelKey: 'actions.return-exchange',
    keys: ['F8'],
    group: 'returning',
    when: (c) => choosing(c) && piecesInHand(c.returning) > 0 && (c.state.current?.totals.dueCents ?? 0) > 0,
    perform: (c) => setExchanging(!c.returning.exchanging),
  },
  {
    id: 'return-confirm',
    labelKey: 'actions.return-confirm',
    plainKey: 'actions.return-confirm-plain',
    values: (c, f) => ({ amount: f.money(goesBackCents(c.returning.quote)) }),
    keys: ['F9'],
    group: 'returning',
    when: (c) => choosing(c) && c.returning.quote !== null && c.returning.quote.exchange === null && !c.returning.busy,
    perform: confirmReturn,
  },
  {
    id: 'return-exchange-confirm',
    labelKey: 'actions.return-exchange-confirm',
    plainKey: 'actions.return-exchange-confirm-plain',
    values: (c, f) => ({ amount: f.money(c.returning.quote?.exchange?.paysCents ?? 0) }),
    keys: ['F9'],
    group: 'returning',
    when: (c) => choosing(c) && c.returning.quote?.exchange != null && !c.returning.busy,
    perform: confirmReturn,
  },
  {
    id: 'return-reprint',
    labelKey: 'actions.reprint',
    keys: ['F11'],
    group: 'returning',
    when: (c) => c.path === RETURN_PATH && c.returning.done !== null && idle(c, 'print'),
    perform: (c) => reprint(c.returning.done?.id ?? null, 'return'),
  },
  {
    id: 'return-next',
    labelKey: 'actions.return-next',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => handedOut(c) && c.returning.exchanged === null && c.state.current === null,
    perform: leaveReturn,
  },
  {
    id: 'return-continue',
    labelKey: 'actions.return-continue',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => handedOut(c) && c.state.current !== null,
    perform: leaveReturn,
  },
  {
    id: 'return-completed',
    labelKey: 'actions.return-completed',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => handedOut(c) && c.returning.exchanged !== null && c.state.current === null,
    perform: leaveReturn,
  },

  {
    id: 'back',
    labelKey: 'actions.back',
    keys: ['Escape'],
    group: 'terminal',
    when: (c) =>
      c.path !== '/' || (isPayment(c.panel) && !redeeming(c)) || ['quick', 'redeem', 'gift-card'].includes(c.panel),
    perform: (c) => (c.path !== '/' ? navigate('/') : c.panel === 'quick' ? leaveQuickKeys() : setStage('ring')),
  },
  {
    id: 'sale',
    labelKey: 'actions.sale',
    keys: ['F1'],
    group: 'terminal',
    when: (c) => c.path !== '/',
    perform: () => navigate('/'),
  },
  {
    id: 'offers',
    labelKey: 'actions.offers',
    keys: ['F8'],
    group: 'terminal',
    when: (c) => c.path !== '/manager/offers' && !choosing(c),
    perform: () => navigate('/manager/offers'),
  },
  {
    id: 'earlier-sales',
    labelKey: 'actions.earlier-sales',
    keys: ['Shift+F11'],
    group: 'terminal',
    when: (c) => c.path !== EARLIER_SALES_PATH,
    perform: () => showEarlierSales({}),
  },
  {
    id: 'store',
    labelKey: 'actions.store',
    keys: ['Shift+F1'],
    group: 'terminal',
    when: (c) => !c.path.startsWith('/manager'),
    perform: () =>
      navigate(useTerminal.getState().terminal?.signedIn?.role === 'manager' ? '/manager/overview' : '/manager/drawer'),
  },
  {
    id: 'training',
    labelKey: 'actions.training',
    keys: ['F10'],
    trainingOnly: true,
    group: 'terminal',
    when: (c) => c.training,
    perform: () => useShell.setState(({ trainingOpen }) => ({ trainingOpen: !trainingOpen })),
  },
  {
    id: 'shortcuts',
    labelKey: 'actions.shortcuts',
    keys: ['?'],
    yieldsToFields: true,
    group: 'terminal',
    when: () => true,
    perform: () => useShell.setState({ shortcutsOpen: true }),
  },
  {
    id: 'switch-cashier',
    labelKey: 'actions.switch-cashier',
    keys: ['F12'],
    group: 'terminal',
    when: (c) => c.busy.size === 0 && !redeeming(c),
    perform: () => useShell.setState({ switchingCashier: true }),
  },
  {
    id: 'sign-out',
    labelKey: 'actions.sign-out',
    keys: ['Shift+F12'],
    group: 'terminal',
    when: (c) => c.busy.size === 0,
    perform: () => signOut().then(() => navigate('/')),
  },
] as const satisfies readonly Action[]

export type ActionId = (typeof ACTIONS)[number]['id']

const settled = (context: ActionContext) => {
  const redemption = context.state.current?.redemption
  return redemption ? outcomeOf(redemption) : undefined
}

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
    returning: useReturn.getState(),
    vouchersShown: useVoucherDocuments.getState().shown.length > 0,
  }
}

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey'> & { readonly ctrlKey?: boolean }
/** The name of a pressed key, as the list has it. */
export const keyOf = (event: Pressed): string => {
  if (event.ctrlKey) return `Ctrl+${event.key.length === 1 ? event.key.toUpperCase() : event.key}`
  return event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
}

/** The action that a key means now, or undefined. `inField`: a text field has the focus and keeps its own keys. */
export function actionForKey(event: Pressed, context: ActionContext, inField: boolean): Action | undefined {
  const key = keyOf(event)
  return ACTIONS.find(
    (action: Action) => action.keys.includes(key) && !(inField && action.yieldsToFields) && action.when(context),
  )
}

/** What a key is the key of on this page, whether or not it can be done now. */
export const actionsOfKey = (event: Pressed, { path }: Pick<ActionContext, 'path'>): readonly Action[] =>
  ACTIONS.filter(
    ({ keys, group }: Action) => (group === 'returning') === (path === RETURN_PATH) && keys.includes(keyOf(event)),
  )

/**
 * Every key of the list belongs to the terminal: none of them may reach the browser (F1 help, F3 find, F7 caret, F11
 * full screen).
 */
export const isOurs = (event: Pressed): boolean =>
  (/^F\d/.test(event.key) || event.ctrlKey === true) &&
  ACTIONS.some((action: Action) => action.keys.includes(keyOf(event)))
