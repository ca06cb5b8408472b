import { create } from 'zustand'
import type { z } from 'zod'
import type { DeviceHealth, QueueSummary, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { StoreState } from '../../../contracts/store/status.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { ApiProblem } from '../api/problem.ts'
import { api } from '../api/terminal-api.ts'
import { askForOffersSoon } from '../../loyalty/offers/basket-offers.ts'
import { loadHeldSales } from '../../sales/held-sales.ts'
import { loadMemberSession } from '../../loyalty/member/member-session.ts'
import { notify, report } from './notices.ts'
import { useSale } from '../../sales/sale.ts'
import { refreshClosed, refreshSale } from '../../sales/sale-commands.ts'
import { loadSounds } from '../../operations/sounds/sounds.ts'
import { loadTerminal, useTerminal, windowRole } from './terminal.ts'

export type DeviceFacts = z.infer<typeof DeviceHealth>
export type QueueFacts = z.infer<typeof QueueSummary>
type PrintJob = Extract<TerminalEvent, { type: 'print-job' }>

export interface EventState {
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

let reloads = 0

/** Load all that the events would have told, as far as whoever is signed in may ask. */
export async function reloadState(): Promise<void> {
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
