import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { onAnswers } from '../api/client.ts'
import { openEventStream } from '../api/event-stream.ts'
import { followBasketOffers, takeOfferStates } from '../../loyalty/offers/basket-offers.ts'
import { actAgain, claimedBadge, claimedCard, notifyTouches, takeActing, takeControl } from './window.ts'
import { announceChange } from './announcements.ts'
import { askPrice } from '../../sales/changes.ts'
import { showChoices, takeChoiceShown } from '../../loyalty/member/customer-choice.ts'
import { refreshHeldSales } from '../../sales/held-sales.ts'
import { takeHistoryShown } from '../../loyalty/member/member-history.ts'
import { takeMemberSession } from '../../loyalty/member/member-session.ts'
import {
  inOwnLanguage,
  fallSilent,
  notify,
  offerFor,
  report,
  settleTopic,
  settleUnreachable,
  notifyUnreachable,
} from './notices.ts'
import { forgetRevisions, takeSale, useSale, type SaleState } from '../../sales/sale.ts'
import { askAboutGoods, askForScanned, refreshSale } from '../../sales/sale-commands.ts'
import { miss, notifyCentralTurned } from './command-queue.ts'
import { takeScannedReceipt } from '../../payments/earlier-sales/earlier-sales.ts'
import { notifyPrint, notifyPrinterReady } from '../../payments/receipt/documents.ts'
import { typedScanUnderWay } from './typed-scans.ts'
import { takeItemForReturn } from '../../payments/returns/unrecorded-return.ts'
import { followSounds, soundEvent } from '../../operations/sounds/sounds.ts'
import { loadTerminal, setSignedIn, setStopped, signInByBadge, useTerminal, type StaffMember } from './terminal.ts'
import { reloadState, useEvents, type EventState } from './events.ts'

/**
 * Follow the backend's pushes. `role` is cashier for the screen that acts and display for one that only watches.
 * Answers a function that stops.
 */
export function followEvents(role: Role): () => void {
  const stopSpeaking =
    role === 'cashier' ? useSale.subscribe((now, before) => speakOf(shownSale(before), shownSale(now))) : undefined
  const stopSounds = role === 'cashier' ? followSounds() : undefined
  const stopShowing = role === 'cashier' ? showChoices() : undefined
  const stopOffers = followBasketOffers(role)
  const stopTurns = role === 'cashier' ? notifyTouches() : undefined
  onAnswers({ onAnswer: settleUnreachable, onSilence: notifyUnreachable })
  const stopListening = openEventStream({
    onEvent: (event) => takeEvent(event, role),
    onOpen: (fresh) => {
      useEvents.setState({ connected: true })
      settleUnreachable()
      if (role === 'cashier') actAgain()
      if (fresh) void reloadState()
    },
    onLost: () => useEvents.setState({ connected: false }),
  })
  return () => {
    stopListening()
    stopSpeaking?.()
    stopSounds?.()
    stopShowing?.()
    stopOffers()
    stopTurns?.()
  }
}

const shownSale = ({ current, closed }: Pick<SaleState, 'current' | 'closed'>): Sale | null => current ?? closed

/** Speak once of each change, whether an answer or an event brought it first. */
function speakOf(before: Sale | null, now: Sale | null): void {
  if (now?.id !== before?.id) fallSilent()
  if (now && now !== before) announceChange(before?.id === now.id ? before : null, now)
}

let vouchers: VoucherHandlers | null = null
/** Registers the handlers of scanned vouchers, which load with the sale screen. */
export function onVouchers(handlers: VoucherHandlers): void {
  vouchers = handlers
}
interface VoucherHandlers {
  readonly takeVoucherShown: (voucher: Voucher) => void
  readonly takeBlankCard: (last4: string) => void
}

/** A card that could not be read: settled by one that is. */
const CARD_TOPIC = 'card-refused'
// With the sale that it was at, too.
useSale.subscribe(({ current }, before) => {
  if (before.current && current?.id !== before.current.id) settleTopic(CARD_TOPIC)
})

type Role = 'cashier' | 'display'
type Handlers = {
  readonly [Type in TerminalEvent['type']]?: (event: Extract<TerminalEvent, { type: Type }>) => unknown
}

type Counter = { [Name in keyof EventState]: EventState[Name] extends number ? Name : never }[keyof EventState]
/** What lists show has changed. */
const counting = (name: Counter) => (): void => useEvents.setState((state) => ({ [name]: state[name] + 1 }))
const reloadTerminal = (): unknown => loadTerminal().catch(report)
const settleCard = (): void => settleTopic(CARD_TOPIC)

const FOR_EVERY_SCREEN = {
  resync: () => {
    forgetRevisions()
    void reloadState()
  },
  'card-read': settleCard,
  'card-claimed': settleCard,
  'enrolment-scanned': (event) => useTerminal.setState({ ticket: { text: event.ticket } }),
  'window-acting': (event) => takeActing(event.acting),
  'voucher-presented': () => settleTopic('voucher'),
  'sale-changed': (event) => {
    takeSale(event.sale)
    // A key that waits was pressed before this item was in the basket: it would pay for it, or change it.
    if (event.cause === 'scan' && !typedScanUnderWay()) miss()
  },
  'member-session': (event) => takeMemberSession(event.session),
  'offer-states': (event) => takeOfferStates(event.saleId),
  'sale-closed': (event) => useSale.getState().current?.id === event.saleId && refreshSale(),
  'queue-changed': ({ summary }) =>
    useEvents.setState((state) => ({ queue: summary, queueCount: state.queueCount + 1 })),
  'device-health': ({ device }) =>
    useEvents.setState(({ devices }) => ({ devices: [...devices.filter(({ role }) => role !== device.role), device] })),
  'store-changed': (event) => useEvents.setState({ store: event.store }),
  maintenance: (event) => useEvents.setState({ maintenance: event.maintenance }),
  'training-changed': counting('trainingCount'),
  'settings-changed': counting('settingsCount'),
  'shifts-changed': counting('shiftCount'),
  'catalog-changed': counting('catalogCount'),
  'echo-result': counting('echoCount'),
  'connection-check-changed': counting('connectionCount'),
  'lane-check-changed': counting('laneCheckCount'),
  'print-job': ({ paper, saleId, state, notOnPaper }) =>
    // Another paper of a sale says nothing of where its receipt is.
    useEvents.setState(({ prints, printCount }) => ({
      prints: paper === 'gift' || paper === 'payment-back' ? prints : { ...prints, [saleId]: state },
      printCount: printCount + 1,
      notOnPaper,
    })),
  stopped: (event) => setStopped(event.reason),
} satisfies Handlers

/** For a screen that only watches. */
const FOR_DISPLAY = {
  'choice-shown': takeChoiceShown,
  'member-history-shown': takeHistoryShown,
  // It speaks the language of whoever serves; a screen that acts knows who signed in at it.
  'signed-in': (event) => takeSignedIn(event.staff),
  'signed-out': () => takeSignedIn(null),
} satisfies Handlers

/** For a screen that acts. */
const FOR_CASHIER = {
  'card-claimed': claimedCard,
  'badge-presented': (event) => !isServed() && signInByBadge(event.readId),
  'badge-claimed': (event) => claimedBadge(event.readId),
  'card-refused': (event) =>
    notify('warning', ({ t }) => t(event.reason === 'unreadable' ? 'sale.cardUnreadable' : 'sale.cardForeign'), {
      topic: CARD_TOPIC,
    }),
  'scan-unknown': (event) => notify('warning', ({ t }) => t('sale.scanUnknown', { code: event.code })),
  'item-for-return': (event) => takeItemForReturn(event.item),
  'voucher-presented': (event) => vouchers?.takeVoucherShown(event.voucher),
  'gift-card-scanned': (event) => vouchers?.takeBlankCard(event.last4),
  'scan-refused': (event) =>
    notify('warning', inOwnLanguage(event.messages), { problem: event.code, offer: offerFor(event.code) }),
  'scan-unreadable': () => notify('warning', ({ t }) => t('sale.scanUnreadable')),
  'device-health': ({ device }) => device.role === 'printer' && device.state === 'ready' && notifyPrinterReady(),
  'print-job': (job) =>
    notifyPrint(job, useEvents.getState().devices.find((device) => device.role === 'printer')?.trouble?.kind),
  // A sign-in signs out the other windows. Its own window may receive this event after the response.
  'signed-out': reloadTerminal,
  // Somebody who is signed in may have another role now, or none.
  'staff-changed': reloadTerminal,
} satisfies Handlers

/** For a screen that acts, while somebody is signed in at it. */
const WHILE_SERVED = {
  'price-asked': (event) => askPrice(event.item),
  'goods-asked': (event) => askAboutGoods(event.item, event.doubt),
  'approval-asked': (event) => askForScanned(event.request),
  'control-scanned': (event) => takeControl(event.control),
  'receipt-scanned': (event) => takeScannedReceipt(event.saleId),
  'sale-changed': (event) => event.cause === 'hold' && refreshHeldSales(),
  'held-sales-changed': refreshHeldSales,
  'central-turned': notifyCentralTurned,
} satisfies Handlers

const isServed = (): boolean => useTerminal.getState().terminal?.signedIn != null

/** Fails to compile for an event that none of the tables has. */
type Handled =
  | keyof typeof FOR_EVERY_SCREEN
  | keyof typeof FOR_DISPLAY
  | keyof typeof FOR_CASHIER
  | keyof typeof WHILE_SERVED
type HandledEvent = Extract<TerminalEvent, { type: Handled }>

function takeEvent(event: HandledEvent, role: Role): void {
  const handleBy = (handlers: Handlers): unknown =>
    (handlers[event.type] as ((one: TerminalEvent) => unknown) | undefined)?.(event)
  const served = role === 'cashier' && isServed()
  if (served) soundEvent(event)
  handleBy(FOR_EVERY_SCREEN)
  handleBy(role === 'cashier' ? FOR_CASHIER : FOR_DISPLAY)
  if (served) handleBy(WHILE_SERVED)
}

/** The display speaks the language of whoever serves; a lane that was left shows a newcomer the sale that is open. */
function takeSignedIn(staff: StaffMember | null): void {
  const before = useTerminal.getState().terminal?.signedIn
  if (before?.id !== staff?.id) fallSilent()
  setSignedIn(staff)
  if (staff && !before) void reloadState()
}
