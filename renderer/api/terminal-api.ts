import type { ItemList } from '../../contracts/api/catalog.ts'
import type { DeviceList, EchoHistory, EchoResult, Queue, QueueSummary, Upkeep } from '../../contracts/api/diagnostics.ts'
import type { OfferList } from '../../contracts/api/offers.ts'
import type { AddTender, CurrentSale, ReceiptView, Sale } from '../../contracts/api/sales.ts'
import type { Staff, StaffList, Terminal } from '../../contracts/api/session.ts'
import type { TrainingPanel } from '../../contracts/api/training.ts'
import type { z } from 'zod'
import type { Locale } from '../../contracts/locales.ts'
import { get, post, put } from './client.ts'

type SaleAnswer = { sale: Sale }
/** Amounts in integer cents, before the contract has branded them: this side needs the contracts' types and none of their code. */
export type TenderRequest = z.input<typeof AddTender>
type StaffAnswer = z.infer<typeof Staff>
type PrintState = z.infer<typeof ReceiptView>['print']

/** The longest that a call may take which waits for the program's services: two attempts and the time around them. */
const CENTRE_TIMEOUT_MS = 60_000

/** The local API, one function per route (contracts/api). Each throws ApiProblem. */
export const api = {
  openSession: (launchToken: string) => post<undefined>('session', { json: { launchToken } }),
  terminal: () => get<z.infer<typeof Terminal>>('terminal'),
  staff: () => get<z.infer<typeof StaffList>>('staff'),
  signIn: (staffId: string, pin: string) => post<{ staff: StaffAnswer }>('sign-in', { json: { staffId, pin } }),
  signOut: () => post<undefined>('sign-out'),
  setLocale: (locale: Locale) => put<undefined>('staff/me/locale', { json: { locale } }),

  findItems: (q: string, limit: number, signal?: AbortSignal) => get<ItemList>('catalog/items', { search: { q, limit }, signal }),

  currentSale: () => get<CurrentSale>('sales/current'),
  sale: (id: string) => get<SaleAnswer>(`sales/${id}`),
  ring: (sku: string, quantity = 1) => post<SaleAnswer>('sales/current/lines', { json: { sku, quantity } }),
  changeLine: (id: string, number: number, version: number, quantity: number) => put<SaleAnswer>(`sales/${id}/lines/${number}`, { json: { version, quantity } }),
  voidLine: (id: string, number: number, version: number) => post<SaleAnswer>(`sales/${id}/lines/${number}/void`, { json: { version } }),
  identifyMember: (readId: string) => post<SaleAnswer>('sales/current/member', { json: { readId }, timeoutMs: CENTRE_TIMEOUT_MS }),
  removeMember: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/member/remove`, { json: { version } }),
  redeem: (id: string, version: number, units: number) => post<SaleAnswer>(`sales/${id}/redemption`, { json: { version, units }, timeoutMs: CENTRE_TIMEOUT_MS }),
  tender: (id: string, tender: TenderRequest) => post<SaleAnswer>(`sales/${id}/tenders`, { json: tender }),
  cancelSale: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/cancel`, { json: { version }, timeoutMs: CENTRE_TIMEOUT_MS }),
  receipt: (id: string) => get<z.infer<typeof ReceiptView>>(`sales/${id}/receipt`),
  reprint: (id: string) => post<{ print: PrintState }>(`sales/${id}/reprint`),

  offers: (locale: Locale) => get<OfferList>('offers', { search: { locale }, timeoutMs: CENTRE_TIMEOUT_MS }),
  echoHistory: () => get<EchoHistory>('diagnostics/echo'),
  runEcho: () => post<EchoResult>('diagnostics/echo', { timeoutMs: CENTRE_TIMEOUT_MS }),
  upkeep: () => get<Upkeep>('diagnostics/upkeep'),
  devices: () => get<DeviceList>('devices'),
  queue: () => get<Queue>('queue'),
  queueSummary: () => get<QueueSummary>('queue/summary'),

  trainingPanel: () => get<TrainingPanel>('training/panel'),
  trainingSwipe: (cardId: string, as: 'swipe' | 'scan') => post<undefined>('training/swipe', { json: { cardId, as } }),
  trainingScan: (code: string) => post<undefined>('training/scan', { json: { code } }),
  trainingPaper: (paper: 'ok' | 'out') => post<undefined>('training/paper', { json: { paper } }),
}
