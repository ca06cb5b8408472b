import { create } from 'zustand'
import type { z } from 'zod'
import type { DeviceHealth, QueueSummary, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { StoreState } from '../../../contracts/store/status.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { onAnswers } from '../api/client.ts'
import { openEventStream } from '../api/event-stream.ts'
import { ApiProblem } from '../api/problem.ts'
import { api } from '../api/terminal-api.ts'
import { askForOffersSoon, followBasketOffers, takeOfferStates } from '../../loyalty/offers/basket-offers.ts'
import { actAgain, claimedBadge, claimedCard, notifyTouches, takeActing, takeControl } from './window.ts'
import { announceChange } from './announcements.ts'
import { askPrice } from '../../sales/changes.ts'
import { showChoices, takeChoiceShown } from '../../loyalty/member/customer-choice.ts'
import { refreshHeldSales, loadHeldSales } from '../../sales/held-sales.ts'
import { takeHistoryShown } from '../../loyalty/member/member-history.ts'
import { loadMemberSession, takeMemberSession } from '../../loyalty/member/member-session.ts'
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
import { askAboutGoods, askForScanned, refreshClosed, refreshSale } from '../../sales/sale-commands.ts'
import { miss, notifyCentralTurned } from './command-queue.ts'
import { takeScannedReceipt } from '../../payments/earlier-sales/earlier-sales.ts'
import { notifyPrint, notifyPrinterReady } from '../../payments/receipt/documents.ts'
import { typedScanUnderWay } from './typed-scans.ts'
import { takeItemForReturn } from '../../payments/returns/unrecorded-return.ts'
import { followSounds, loadSounds, soundEvent } from '../../operations/sounds/sounds.ts'
import {
  loadTerminal,
  setSignedIn,
  setStopped,
  signInByBadge,
  useTerminal,
  windowRole,
  type StaffMember,
} from './terminal.ts'

export type DeviceFacts = z.infer<typeof DeviceHealth>
export type QueueFacts = z.infer<typeof QueueSummary>
type PrintJob = Extract<TerminalEvent, { type: 'print-job' }>

interface EventState {
  readonly connected: boolean
  readonly devices: readonly DeviceFacts[]
  readonly queue: QueueFacts | null
  /** Clock and backups; null until they are known. */
  readonly maintenance: Maintenance | null
  /** How the lane stands with its store's server; null until it is known. */
  readonly store: StoreState | null
  /** The latest state of the print job of each sale on this screen. */
  readonly prints: Readonly<Record<string, PrintJob['state']>>
  /** Grows when something that lists show has changed: they load again. */
  readonly echoCount: number
  readonly connectionCount: number
  readonly laneCheckCount: number
  readonly queueCount: number
  readonly printCount: number
  readonly trainingCount: number
  readonly shiftCount: number
  readonly settingsCount: number
  readonly catalogCount: number
  /** Receipts of this lane that never reached paper. */
  readonly notOnPaper: number
}

export const useEvents = create<EventState>()(() => ({
  connected: true,
  devices: [],
  queue: null,
  maintenance: null,
  store: null,
  prints: {},
  echoCount: 0,
  connectionCount: 0,
  laneCheckCount: 0,
  queueCount: 0,
  printCount: 0,
  trainingCount: 0,
  shiftCount: 0,
  settingsCount: 0,
  catalogCount: 0,
  notOnPaper: 0,
}))

/**
 * Follow the backend's pushes. `role` is cashier for the screen that acts and display for one that only watches.
 * Answers a function that stops.
 */
export function followEvents(role: 'cashier' | 'display'): () => void {
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
      if (fresh) void reload()
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

let reloads = 0

/** Load all that the events would have told, as far as whoever is signed in may ask. */
async function reload(): Promise<void> {
  reloads += 1
  const mine = reloads
  try {
    await loadTerminal()
    const signedIn = useTerminal.getState().terminal?.signedIn
    if (!signedIn) return
    await refreshSale()
    askForOffersSoon()
    notifyRecovered()
    await refreshClosed()
    const before = useSale.getState().lastSaleId
    const asked = useEvents.getState()
    const [{ devices }, queue, maintenance, store, { lastSaleId, notOnPaper }] = await Promise.all([
      api.devices(),
      api.queueSummary(),
      api.maintenance(),
      api.store(),
      api.receiptsSummary(),
    ])
    await Promise.all([loadHeldSales(), loadSounds(), loadMemberSession()])
    // Asked again meanwhile, for another person or after another loss: that answer is the newer one.
    if (mine !== reloads) return
    // An event that came after the question is newer than the answer.
    useEvents.setState((now) => ({
      devices: devices.map((device) => toldSince(asked.devices, now.devices, device)),
      ...(now.queue === asked.queue ? { queue } : {}),
      ...(now.maintenance === asked.maintenance ? { maintenance } : {}),
      ...(now.store === asked.store ? { store } : {}),
      ...(now.printCount === asked.printCount ? { notOnPaper } : {}),
    }))
    // A sale that was completed while this was asked is newer than the answer.
    useSale.setState((now) => (now.lastSaleId === before && lastSaleId !== null ? { lastSaleId } : {}))
  } catch (error) {
    // Who has just been signed out may not ask any more; the sign-in screen says so by itself.
    if (!(error instanceof ApiProblem) || error.code === 'terminal-unreachable') report(error)
  }
}
export const reloadState = reload

/** Where a window remembers the start of the terminal’s program that it has told of, over its own reload too. */
const TOLD_START = 'milepost.start'

/**
 * The terminal has started again and the sale is back: said once for each start, in a fresh window as in one that
 * stayed open.
 */
function notifyRecovered(): void {
  const { terminal } = useTerminal.getState()
  if (windowRole !== 'cashier' || !terminal || sessionStorage.getItem(TOLD_START) === terminal.startedAt) return
  sessionStorage.setItem(TOLD_START, terminal.startedAt)
  if (terminal.foundOpen !== null && useSale.getState().current?.id === terminal.foundOpen)
    notify('info', ({ t }) => t('sale.recovered'))
}

/** What an event told of this device between the question and its answer, else the answer. */
function toldSince(asked: readonly DeviceFacts[], now: readonly DeviceFacts[], answered: DeviceFacts): DeviceFacts {
  const ofRole = (devices: readonly DeviceFacts[]): DeviceFacts | undefined =>
    devices.find(({ role }) => role === answered.role)
  const told = ofRole(now)
  return told && told !== ofRole(asked) ? told : answered
}

/** A card that could not be read: settled by one that is. */
const CARD_TOPIC = 'card-refused'
// With the sale that it was at, too.
useSale.subscribe(({ current }, before) => {
  if (before.current && current?.id !== before.current.id) settleTopic(CARD_TOPIC)
})

export function takeEvent(event: TerminalEvent, role: 'cashier' | 'display'): void {
  if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) soundEvent(event)
  switch (event.type) {
    case 'resync':
      forgetRevisions()
      void reload()
      return
    case 'card-read':
      settleTopic(CARD_TOPIC)
      return
    case 'card-claimed':
      settleTopic(CARD_TOPIC)
      if (role === 'cashier') claimedCard(event)
      return
    case 'badge-presented':
      if (role === 'cashier' && !useTerminal.getState().terminal?.signedIn) void signInByBadge(event.readId)
      return
    case 'enrolment-scanned':
      useTerminal.setState({ ticket: { text: event.ticket } })
      return
    case 'badge-claimed':
      if (role === 'cashier') claimedBadge(event.readId)
      return
    case 'window-acting':
      takeActing(event.acting)
      return
    case 'card-refused':
      if (role === 'cashier')
        notify('warning', ({ t }) => t(event.reason === 'unreadable' ? 'sale.cardUnreadable' : 'sale.cardForeign'), {
          topic: CARD_TOPIC,
        })
      return
    case 'price-asked':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) askPrice(event.item)
      return
    case 'goods-asked':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) askAboutGoods(event.item, event.doubt)
      return
    case 'approval-asked':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) askForScanned(event.request)
      return
    case 'scan-unknown':
      if (role === 'cashier') notify('warning', ({ t }) => t('sale.scanUnknown', { code: event.code }))
      return
    case 'item-for-return':
      if (role === 'cashier') takeItemForReturn(event.item)
      return
    case 'voucher-presented':
      settleTopic('voucher')
      if (role === 'cashier') vouchers?.takeVoucherShown(event.voucher)
      return
    case 'gift-card-scanned':
      if (role === 'cashier') vouchers?.takeBlankCard(event.last4)
      return
    case 'control-scanned':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) takeControl(event.control)
      return
    case 'receipt-scanned':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) void takeScannedReceipt(event.saleId)
      return
    case 'scan-refused':
      if (role === 'cashier')
        notify('warning', inOwnLanguage(event.messages), { problem: event.code, offer: offerFor(event.code) })
      return
    case 'scan-unreadable':
      if (role === 'cashier') notify('warning', ({ t }) => t('sale.scanUnreadable'))
      return
    case 'sale-changed':
      takeSale(event.sale)
      // A key that waits was pressed before this item was in the basket: it would pay for it, or change it.
      if (event.cause === 'scan' && !typedScanUnderWay()) miss()
      if (event.cause === 'hold' && role === 'cashier' && useTerminal.getState().terminal?.signedIn)
        void refreshHeldSales()
      return
    case 'held-sales-changed':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) void refreshHeldSales()
      return
    case 'choice-shown':
      if (role === 'display') takeChoiceShown(event)
      return
    case 'member-session':
      takeMemberSession(event.session)
      return
    case 'offer-states':
      takeOfferStates(event.saleId)
      return
    case 'member-history-shown':
      if (role === 'display') takeHistoryShown(event)
      return
    case 'sale-closed':
      if (useSale.getState().current?.id === event.saleId) void refreshSale()
      return
    case 'queue-changed':
      useEvents.setState((state) => ({ queue: event.summary, queueCount: state.queueCount + 1 }))
      return
    case 'device-health':
      useEvents.setState(({ devices }) => ({
        devices: [...devices.filter((device) => device.role !== event.device.role), event.device],
      }))
      if (role === 'cashier' && event.device.role === 'printer' && event.device.state === 'ready') notifyPrinterReady()
      return
    case 'store-changed':
      useEvents.setState({ store: event.store })
      return
    case 'maintenance':
      useEvents.setState({ maintenance: event.maintenance })
      return
    case 'training-changed':
      useEvents.setState((state) => ({ trainingCount: state.trainingCount + 1 }))
      return
    case 'settings-changed':
      useEvents.setState((state) => ({ settingsCount: state.settingsCount + 1 }))
      return
    case 'shifts-changed':
      useEvents.setState((state) => ({ shiftCount: state.shiftCount + 1 }))
      return
    case 'catalog-changed':
      useEvents.setState((state) => ({ catalogCount: state.catalogCount + 1 }))
      return
    case 'echo-result':
      useEvents.setState((state) => ({ echoCount: state.echoCount + 1 }))
      return
    case 'connection-check-changed':
      useEvents.setState((state) => ({ connectionCount: state.connectionCount + 1 }))
      return
    case 'lane-check-changed':
      useEvents.setState((state) => ({ laneCheckCount: state.laneCheckCount + 1 }))
      return
    case 'central-turned':
      if (role === 'cashier' && useTerminal.getState().terminal?.signedIn) notifyCentralTurned(event)
      return
    case 'print-job':
      takePrintJob(event, role)
      return
    case 'signed-in':
      // A screen that only watches speaks the language of whoever serves; one that acts knows who signed in at it.
      if (role === 'display') takeSignedIn(event.staff, role)
      return
    case 'signed-out':
      // A sign-in signs out the other windows. Its own window may receive this event after the response.
      if (role === 'display') takeSignedIn(null, role)
      else void loadTerminal().catch(report)
      return
    case 'staff-changed':
      // Somebody who is signed in may have another role now, or none.
      if (role === 'cashier') void loadTerminal().catch(report)
      return
    case 'stopped':
      setStopped(event.reason)
      return
  }
}

/** The display speaks the language of whoever serves; a lane that was left shows a newcomer the sale that is open. */
function takeSignedIn(staff: StaffMember | null, role: 'cashier' | 'display'): void {
  const before = useTerminal.getState().terminal?.signedIn
  if (before?.id !== staff?.id) fallSilent()
  setSignedIn(staff)
  if (role === 'display' && staff && !before) void reload()
}

function takePrintJob(job: PrintJob, role: 'cashier' | 'display'): void {
  const { paper, saleId, state, notOnPaper } = job
  // Another paper of a sale says nothing of where its receipt is.
  useEvents.setState(({ prints, printCount }) => ({
    prints: paper === 'gift' || paper === 'payment-back' ? prints : { ...prints, [saleId]: state },
    printCount: printCount + 1,
    notOnPaper,
  }))
  if (role === 'cashier')
    notifyPrint(job, useEvents.getState().devices.find((device) => device.role === 'printer')?.trouble?.kind)
}
