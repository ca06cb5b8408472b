import { create } from 'zustand'
import type { z } from 'zod'
import type { DeviceHealth, QueueSummary, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { StoreState } from '../../../contracts/store/status.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { ApiProblem } from '../api/problem.ts'
import { api } from '../api/terminal-api.ts'
import { scheduleOffers } from '../../loyalty/offers/basket-offers.ts'
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
  /** State of the clock and the backups; null until loaded. */
  readonly maintenance: Maintenance | null
  /** The lane's connection to the store server; null until loaded. */
  readonly store: StoreState | null
  /** The latest print state that an event reported for each sale, by its id. */
  readonly prints: Readonly<Record<string, PrintJob['state']>>
  /** Counters that increase when the data of lists has changed, so that the lists reload. */
  readonly echoCount: number
  readonly connectionCount: number
  readonly laneCheckCount: number
  readonly queueCount: number
  readonly printCount: number
  readonly trainingCount: number
  readonly shiftCount: number
  readonly settingsCount: number
  readonly catalogCount: number
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

/** Loads the state that events keep current, as far as the signed-in person may read it. */
export async function reloadState(): Promise<void> {
  reloads += 1
  const mine = reloads
  try {
    await loadTerminal()
    const signedIn = useTerminal.getState().terminal?.signedIn
    if (!signedIn) return
    await refreshSale()
    scheduleOffers()
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
    // A newer reload has started, for another person or after another disconnect: only its answer is used.
    if (mine !== reloads) return
    // The state from an event received after the request was sent is newer than the answer.
    useEvents.setState((now) => ({
      devices: devices.map((device) => newerDevice(asked.devices, now.devices, device)),
      ...(now.queue === asked.queue ? { queue } : {}),
      ...(now.maintenance === asked.maintenance ? { maintenance } : {}),
      ...(now.store === asked.store ? { store } : {}),
      ...(now.printCount === asked.printCount ? { notOnPaper } : {}),
    }))
    // The last sale of an event received after the request was sent is newer than the answer.
    useSale.setState((now) => (now.lastSaleId === before && lastSaleId !== null ? { lastSaleId } : {}))
  } catch (error) {
    // After a sign-out the request is forbidden, which is no problem: the sign-in screen appears by itself.
    if (!(error instanceof ApiProblem) || error.code === 'terminal-unreachable') report(error)
  }
}

/**
 * Session storage key for the start of the terminal that this window checked last for a recovered sale; it remains when
 * the page reloads.
 */
const REPORTED_START = 'milepost.start'

/**
 * Shows once per start of the terminal that the open sale was recovered, in new windows and in those that stayed open.
 */
function notifyRecovered(): void {
  const { terminal } = useTerminal.getState()
  if (windowRole !== 'cashier' || !terminal || sessionStorage.getItem(REPORTED_START) === terminal.startedAt) return
  sessionStorage.setItem(REPORTED_START, terminal.startedAt)
  if (terminal.foundOpen !== null && useSale.getState().current?.id === terminal.foundOpen)
    notify('info', ({ t }) => t('sale.recovered'))
}

/** Returns the state of a device from an event received after the request, if there was one, else from the answer. */
function newerDevice(asked: readonly DeviceFacts[], now: readonly DeviceFacts[], answered: DeviceFacts): DeviceFacts {
  const ofRole = (devices: readonly DeviceFacts[]): DeviceFacts | undefined =>
    devices.find(({ role }) => role === answered.role)
  const latest = ofRole(now)
  return latest && latest !== ofRole(asked) ? latest : answered
}
