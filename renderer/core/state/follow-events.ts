import type { Sale } from '../../../contracts/sales/sales.ts'
import type { PresentedCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { onAnswers } from '../api/client.ts'
import { openEventStream } from '../api/event-stream.ts'
import { followBasketOffers, takeOfferStates } from '../../loyalty/offers/basket-offers.ts'
import { actAgain, passBadge, passCard, notifyTouches, takeActing, takeControl } from './window.ts'
import { announceChange } from './announcements.ts'
import { askPrice } from '../../sales/changes.ts'
import { showChoices, applyChoice } from '../../loyalty/member/customer-choice.ts'
import { refreshHeldSales } from '../../sales/held-sales.ts'
import { applyHistory } from '../../loyalty/member/member-history.ts'
import { takeMemberSession } from '../../loyalty/member/member-session.ts'
import {
  inScreenLanguage,
  clearAnnouncements,
  notify,
  offerFor,
  report,
  clearTopic,
  clearUnreachable,
  notifyUnreachable,
} from './notices.ts'
import { forgetRevisions, takeSale, useSale, type SaleState } from '../../sales/sale.ts'
import { askWeight, confirmGoods, requestApprovalForScan, refreshSale } from '../../sales/sale-commands.ts'
import { takeScale } from '../../sales/weighing.ts'
import { invalidateQueued, notifyServicesChange } from './command-queue.ts'
import { takeScannedReceipt } from '../../payments/earlier-sales/earlier-sales.ts'
import { notifyPrint, notifyPrinterReady } from '../../payments/receipt/documents.ts'
import { isTypedScanInFlight } from './typed-scans.ts'
import { countScanned } from '../../sales/empties.ts'
import { usePriceCheck } from '../../sales/price-check.ts'
import { takeItemForReturn } from '../../payments/returns/unrecorded-return.ts'
import { followSounds, soundEvent } from '../../operations/sounds/sounds.ts'
import { loadTerminal, setSignedIn, setStopped, signInByBadge, useTerminal, type StaffMember } from './terminal.ts'
import { reloadState, useEvents, type EventState } from './events.ts'

/**
 * Applies the backend's events. `role`: cashier for a window in which a cashier acts, display for a window that only
 * shows. Returns a function that stops.
 */
export function followEvents(role: Role): () => void {
  const stopAnnouncing =
    role === 'cashier' ? useSale.subscribe((now, before) => announceOnce(shownSale(before), shownSale(now))) : undefined
  const stopSounds = role === 'cashier' ? followSounds() : undefined
  const stopShowing = role === 'cashier' ? showChoices() : undefined
  const stopOffers = followBasketOffers(role)
  const stopTouches = role === 'cashier' ? notifyTouches() : undefined
  onAnswers({ onAnswer: clearUnreachable, onRetry: notifyUnreachable })
  const stopListening = openEventStream({
    onEvent: (event) => takeEvent(event, role),
    onOpen: (fresh) => {
      useEvents.setState({ connected: true })
      clearUnreachable()
      if (role === 'cashier') actAgain()
      if (fresh) void reloadState()
    },
    onLost: () => useEvents.setState({ connected: false }),
  })
  return () => {
    stopListening()
    stopAnnouncing?.()
    stopSounds?.()
    stopShowing?.()
    stopOffers()
    stopTouches?.()
  }
}

const shownSale = ({ current, closed }: Pick<SaleState, 'current' | 'closed'>): Sale | null => current ?? closed

function announceOnce(before: Sale | null, now: Sale | null): void {
  if (now?.id !== before?.id) clearAnnouncements()
  if (now && now !== before) announceChange(before?.id === now.id ? before : null, now)
}

let vouchers: VoucherHandlers | null = null
export function onVouchers(handlers: VoucherHandlers): void {
  vouchers = handlers
}
interface VoucherHandlers {
  readonly takeVoucherShown: (voucher: Voucher) => void
  readonly takeCouponShown: (coupon: PresentedCoupon) => void
  readonly takeBlankCard: (last4: string) => void
}

/** Topic of the notice about a card that could not be read; the next successful read clears it. */
const CARD_TOPIC = 'card-refused'
// The notice about an unreadable card is also cleared with its sale.
useSale.subscribe(({ current }, before) => {
  if (before.current && current?.id !== before.current.id) clearTopic(CARD_TOPIC)
})

type Role = 'cashier' | 'display'
type Handlers = {
  readonly [Type in TerminalEvent['type']]?: (event: Extract<TerminalEvent, { type: Type }>) => unknown
}

type Counter = { [Name in keyof EventState]: EventState[Name] extends number ? Name : never }[keyof EventState]
const counting = (name: Counter) => (): void => useEvents.setState((state) => ({ [name]: state[name] + 1 }))
const reloadTerminal = (): unknown => loadTerminal().catch(report)
const clearCardNotice = (): void => clearTopic(CARD_TOPIC)

const FOR_EVERY_SCREEN = {
  resync: () => {
    forgetRevisions()
    void reloadState()
  },
  'card-read': clearCardNotice,
  'card-claimed': clearCardNotice,
  'enrolment-scanned': (event) => useTerminal.setState({ ticket: { text: event.ticket } }),
  'window-acting': (event) => takeActing(event.acting),
  'voucher-presented': () => clearTopic('voucher'),
  'sale-changed': (event) => {
    takeSale(event.sale)
    // A key pressed before this item was in the basket must not pay for it or change it.
    if (event.cause === 'scan' && !isTypedScanInFlight()) invalidateQueued()
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
  'scale-reading': (event) => takeScale(event.scale),
  'training-changed': counting('trainingCount'),
  'settings-changed': counting('settingsCount'),
  'shifts-changed': counting('shiftCount'),
  'catalog-changed': counting('catalogCount'),
  'echo-result': counting('echoCount'),
  'connection-check-changed': counting('connectionCount'),
  'lane-check-changed': counting('laneCheckCount'),
  'print-job': ({ paper, saleId, state, notOnPaper }) =>
    // A gift receipt or refund paper of a sale does not change the print state of its receipt.
    useEvents.setState(({ prints, printCount }) => ({
      prints: paper === 'gift' || paper === 'payment-back' ? prints : { ...prints, [saleId]: state },
      printCount: printCount + 1,
      notOnPaper,
    })),
  stopped: (event) => setStopped(event.reason),
} satisfies Handlers

const FOR_DISPLAY = {
  'choice-shown': applyChoice,
  'member-history-shown': applyHistory,
  // Only a display needs this event, for the language of the cashier: a cashier window knows its own sign-in.
  'signed-in': (event) => applySignedIn(event.staff),
  'signed-out': () => applySignedIn(null),
} satisfies Handlers

const FOR_CASHIER = {
  'card-claimed': passCard,
  'badge-presented': (event) => !isServed() && signInByBadge(event.readId),
  'badge-claimed': (event) => passBadge(event.readId),
  'card-refused': (event) =>
    notify('warning', ({ t }) => t(event.reason === 'unreadable' ? 'sale.cardUnreadable' : 'sale.cardForeign'), {
      topic: CARD_TOPIC,
    }),
  'scan-unknown': (event) => notify('warning', ({ t }) => t('sale.scanUnknown', { code: event.code })),
  'item-for-return': (event) => takeItemForReturn(event),
  'price-checked': ({ code, check }) => {
    if (!countScanned(code, check)) usePriceCheck.setState({ asked: { code, check } })
  },
  'next-quantity': ({ quantity }) => useSale.setState({ nextQuantity: quantity }),
  'voucher-presented': (event) => vouchers?.takeVoucherShown(event.voucher),
  'manufacturer-coupon-presented': (event) => vouchers?.takeCouponShown(event.coupon),
  'gift-card-scanned': (event) => vouchers?.takeBlankCard(event.last4),
  'scan-refused': (event) =>
    notify('warning', inScreenLanguage(event.messages), { problem: event.code, offer: offerFor(event.code) }),
  'scan-unreadable': () => notify('warning', ({ t }) => t('sale.scanUnreadable')),
  'device-health': ({ device }) => device.role === 'printer' && device.state === 'ready' && notifyPrinterReady(),
  'receipt-delivery': ({ saleId, state }) => {
    useEvents.setState(({ printCount }) => ({ printCount: printCount + 1 }))
    if (state === 'sent') notify('success', ({ t }) => t('after.emailSent'), { topic: `email ${saleId}` })
    if (state === 'failed') notify('warning', ({ t }) => t('after.emailFailed'), { topic: `email ${saleId}` })
  },
  'print-job': (job) =>
    notifyPrint(job, useEvents.getState().devices.find((device) => device.role === 'printer')?.trouble?.kind),
  // A sign-in in one window signs out the other windows. The window that signed in may receive this event after its
  // response.
  'signed-out': reloadTerminal,
  // The role of the signed-in person may have changed, or the person may have been signed out.
  'staff-changed': reloadTerminal,
} satisfies Handlers

const WHILE_SERVED = {
  'price-asked': (event) => askPrice(event.item),
  'weight-asked': (event) => askWeight(event.item),
  'goods-asked': (event) => confirmGoods(event.item, event.doubt),
  'approval-asked': (event) => requestApprovalForScan(event.request),
  'control-scanned': (event) => takeControl(event.control),
  'receipt-scanned': (event) => takeScannedReceipt(event.saleId),
  'sale-changed': (event) => event.cause === 'hold' && refreshHeldSales(),
  'held-sales-changed': refreshHeldSales,
  'central-turned': notifyServicesChange,
} satisfies Handlers

const isServed = (): boolean => useTerminal.getState().terminal?.signedIn != null

/** Compile-time check that each event has a handler in one of the tables. */
type Handled =
  | keyof typeof FOR_EVERY_SCREEN
  | keyof typeof FOR_DISPLAY
  | keyof typeof FOR_CASHIER
  | keyof typeof WHILE_SERVED
type HandledEvent = Extract<TerminalEvent, { type: Handled }>

function takeEvent(event: HandledEvent, role: Role): void {
  const handleWith = (handlers: Handlers): unknown =>
    (handlers[event.type] as ((one: TerminalEvent) => unknown) | undefined)?.(event)
  const served = role === 'cashier' && isServed()
  if (served) soundEvent(event)
  handleWith(FOR_EVERY_SCREEN)
  handleWith(role === 'cashier' ? FOR_CASHIER : FOR_DISPLAY)
  if (served) handleWith(WHILE_SERVED)
}

/** Applies the cashier's language to the display, and hides a completed sale from the next person at the lane. */
function applySignedIn(staff: StaffMember | null): void {
  const before = useTerminal.getState().terminal?.signedIn
  if (before?.id !== staff?.id) clearAnnouncements()
  setSignedIn(staff)
  if (staff && !before) void reloadState()
}
