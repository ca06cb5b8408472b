import type { ItemList, QuickKeys } from '../../contracts/api/catalog.ts'
import type { ShowChoice } from '../../contracts/api/customer-display.ts'
import type { DeviceList, EchoHistory, EchoResult, QueueSummary, Upkeep } from '../../contracts/api/diagnostics.ts'
import type { EarlierSales, EarlierSalesQuery, ReceiptsSummary } from '../../contracts/api/earlier-sales.ts'
import type { HeldSales } from '../../contracts/api/held-sales.ts'
import type { OfferList } from '../../contracts/api/offers.ts'
import type { CorrectEntry, Queue, QueueDetail, ResolveEntry, TakeBack } from '../../contracts/api/queue.ts'
import type { ReconciliationDays, ReconciliationExport, ReconciliationReport } from '../../contracts/api/reconciliation.ts'
import type { AddTender, CurrentSale, ReceiptView, Sale } from '../../contracts/api/sales.ts'
import type { SoundSettings } from '../../contracts/api/sounds.ts'
import type { Staff, StaffList, StaffLocks, Terminal } from '../../contracts/api/session.ts'
import type { TrainingPanel } from '../../contracts/api/training.ts'
import type { z } from 'zod'
import type { Locale } from '../../contracts/locales.ts'
import type { PaperKind } from '../../contracts/receipt.ts'
import { get, post, put } from './client.ts'

type SaleAnswer = { sale: Sale }
/** Amounts in integer cents, before the contract has branded them: this side needs the contracts' types and none of their code. */
export type TenderRequest = z.input<typeof AddTender>
/** What to look for among earlier sales; `q` and `after` only where there is something to say. */
export type EarlierSalesAsked = { readonly filter?: z.infer<typeof EarlierSalesQuery>['filter']; readonly q?: string; readonly after?: string; readonly limit?: number }
type StaffAnswer = z.infer<typeof Staff>
type PrintState = z.infer<typeof ReceiptView>['print']

/** The longest that a call may take which waits for the program's services: two attempts and the time around them. */
const CENTRE_TIMEOUT_MS = 60_000
/** Where a paper is asked for again. */
const REPRINTS = { 'sale': 'sales', 'return': 'returns', 'store-credit': 'store-credits' } as const satisfies Record<PaperKind, string>

/** The local API, one function per route (contracts/api). Each throws ApiProblem. */
export const api = {
  openSession: (launchToken: string) => post<undefined>('session', { json: { launchToken } }),
  terminal: () => get<z.infer<typeof Terminal>>('terminal'),
  staff: () => get<z.infer<typeof StaffList>>('staff'),
  signIn: (staffId: string, pin: string) => post<{ staff: StaffAnswer }>('sign-in', { json: { staffId, pin } }),
  signOut: () => post<undefined>('sign-out'),
  staffLocks: () => get<StaffLocks>('staff/locks'),
  liftLock: (id: string) => post<StaffLocks>(`staff/${id}/lift-lock`),
  setLocale: (locale: Locale) => put<undefined>('staff/me/locale', { json: { locale } }),

  findItems: (q: string, limit: number, signal?: AbortSignal) => get<ItemList>('catalog/items', { search: { q, limit }, signal }),

  quickKeys: () => get<QuickKeys>('catalog/quick-keys'),

  currentSale: () => get<CurrentSale>('sales/current'),
  sale: (id: string) => get<SaleAnswer>(`sales/${id}`),
  ring: (sku: string, quantity = 1) => post<SaleAnswer>('sales/current/lines', { json: { sku, quantity } }),
  changeLine: (id: string, number: number, version: number, quantity: number) => put<SaleAnswer>(`sales/${id}/lines/${number}`, { json: { version, quantity } }),
  voidLine: (id: string, number: number, version: number) => post<SaleAnswer>(`sales/${id}/lines/${number}/void`, { json: { version } }),
  keyCollector: (number: string) => post<undefined>('devices/keyed-collector', { json: { number } }),
  identifyMember: (readId: string) => post<SaleAnswer>('sales/current/member', { json: { readId }, timeoutMs: CENTRE_TIMEOUT_MS }),
  removeMember: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/member/remove`, { json: { version } }),
  redeem: (id: string, version: number, units: number) => post<SaleAnswer>(`sales/${id}/redemption`, { json: { version, units }, timeoutMs: CENTRE_TIMEOUT_MS }),
  showChoice: (id: string, units: number | null) => put<ShowChoice>(`sales/${id}/choice-shown`, { json: { units } }),
  tender: (id: string, tender: TenderRequest) => post<SaleAnswer>(`sales/${id}/tenders`, { json: tender }),
  completeSale: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/complete`, { json: { version } }),
  holdSale: (id: string, version: number, name: string) => post<SaleAnswer>(`sales/${id}/hold`, { json: name === '' ? { version } : { version, name } }),
  heldSales: () => get<HeldSales>('sales/held'),
  resumeSale: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/resume`, { json: { version } }),
  cancelSale: (id: string, version: number) => post<SaleAnswer>(`sales/${id}/cancel`, { json: { version }, timeoutMs: CENTRE_TIMEOUT_MS }),
  receipt: (id: string) => get<z.infer<typeof ReceiptView>>(`sales/${id}/receipt`),
  earlierSales: (asked: EarlierSalesAsked, signal?: AbortSignal) => get<EarlierSales>('sales/earlier', { search: asked, signal }),
  receiptsSummary: () => get<ReceiptsSummary>('receipts'),
  reprint: (paper: PaperKind, id: string) => post<{ print: PrintState }>(`${REPRINTS[paper]}/${id}/reprint`),

  offers: (locale: Locale) => get<OfferList>('offers', { search: { locale }, timeoutMs: CENTRE_TIMEOUT_MS }),
  refreshOffers: (locale: Locale) => post<OfferList>('offers/refresh', { json: { locale }, timeoutMs: CENTRE_TIMEOUT_MS }),
  echoHistory: () => get<EchoHistory>('diagnostics/echo'),
  runEcho: () => post<EchoResult>('diagnostics/echo', { timeoutMs: CENTRE_TIMEOUT_MS }),
  upkeep: () => get<Upkeep>('diagnostics/upkeep'),
  sounds: () => get<SoundSettings>('sounds'),
  setSounds: (volume: number) => put<SoundSettings>('sounds', { json: { volume } }),
  devices: () => get<DeviceList>('devices'),
  queue: (sale?: string) => get<Queue>('queue', sale ? { search: { sale } } : {}),
  queueEntry: (id: string) => get<QueueDetail>(`queue/${id}`),
  sendAgain: (id: string) => post<QueueDetail>(`queue/${id}/send-again`),
  resolveEntry: (id: string, given: ResolveEntry) => post<QueueDetail>(`queue/${id}/resolve`, { json: given }),
  correctEntry: (id: string, given: CorrectEntry) => post<QueueDetail>(`queue/${id}/correct`, { json: given }),
  takeBack: (id: string, given: z.input<typeof TakeBack>) => post<QueueDetail>(`queue/${id}/take-back`, { json: given }),
  queueSummary: () => get<QueueSummary>('queue/summary'),

  reconciliationDays: () => get<ReconciliationDays>('reconciliation/days'),
  reconciliationDay: (day: string) => get<ReconciliationReport>(`reconciliation/days/${day}`),
  exportReconciliation: (day: string) => post<ReconciliationExport>(`reconciliation/days/${day}/exports`),

  trainingPanel: () => get<TrainingPanel>('training/panel'),
  trainingSwipe: (cardId: string, as: 'swipe' | 'scan') => post<undefined>('training/swipe', { json: { cardId, as } }),
  trainingScan: (code: string) => post<undefined>('training/scan', { json: { code } }),
  trainingPaper: (paper: 'ok' | 'out') => post<undefined>('training/paper', { json: { paper } }),
}
