import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { z } from 'zod'
import type { AuditExportRequest } from '../../../contracts/staff/audit.ts'
import type { RestoreRequest } from '../../../contracts/operations/backups.ts'
import type { ClosingSpan } from '../../../contracts/day/day-end.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReportExportRequest, ReportRange } from '../../../contracts/day/reports.ts'
import type { UpdateDecision } from '../../../contracts/operations/updates.ts'
import type { ConnectionPeriod } from '../../../contracts/operations/connection.ts'
import type { MarkSent } from '../../../contracts/loyalty/reconciliation.ts'
import type { ChangeSetting, UndoSetting, WaitingChangeKey } from '../../../contracts/staff/settings.ts'
import type { ChangePerson, NewPerson } from '../../../contracts/staff/session.ts'
import type {
  CorrectEntry,
  CreditMiles,
  GiveMiles,
  ResolveEntry,
  ResolveNotice,
  TakeBack,
} from '../../../contracts/loyalty/queue.ts'
import type { InputRole } from '../../../contracts/operations/devices.ts'
import type { Approval } from '../../../contracts/sales/sale-changes.ts'
import type { CloseShift } from '../../../contracts/day/shifts.ts'
import { addressOf, get, http, refusalOf, search, send, unanswered } from './client.ts'
import { route, type Arguments, type Files, type SearchOf } from './routes.ts'
import type { MakeInvoice } from '../../../contracts/payments/receipt-delivery.ts'
import type { CashInput, CountInput, MovementInput } from './terminal-api.ts'
import type { PreviewPromotion, SavePromotion, SavePromotions } from '../../../contracts/catalog/promotions.ts'
import type { BookEntries, BookName } from '../../../contracts/catalog/book-files.ts'
import type { SaveCharge } from '../../../contracts/catalog/charges.ts'
import type { SaveManufacturerCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { DifferenceKind, SaveCoupon, SaveItem, SaveQuickKeys } from '../../../contracts/catalog/catalog.ts'

/**
 * Time limits of calls for which the backend calls the offer service: for one page, and page by page for whole lists.
 */
const OFFER_TIMEOUT_MS = 20_000
const LISTS_TIMEOUT_MS = 60_000

/** Time limit of a support file: the backend reads megabytes of log, and lets the lane's other work run in between. */
const SUPPORT_TIMEOUT_MS = 30_000

/** Time limit of calls for which the backend calls devices or the program's services. */
const CENTRAL_TIMEOUT_MS = 60_000

/**
 * Stores the response to a changing call in the query cache. An older request in flight could overwrite it with
 * outdated data, so that request is cancelled and sent again.
 */
export async function showAnswer<Answer>(queries: QueryClient, queryKey: QueryKey, answer: Answer): Promise<void> {
  const exactly = { queryKey, exact: true }
  const wasInFlight = queries.isFetching(exactly) > 0
  await queries.cancelQueries(exactly)
  queries.setQueryData<Answer>(queryKey, answer)
  if (wasInFlight) void queries.invalidateQueries(exactly)
}

export interface NamedFile {
  readonly name: string
  readonly file: Blob
}

/** Downloads a file without a time limit, under the name that the backend gives it. Throws ApiProblem. */
async function downloadNamed<Name extends Files>(file: Name, ...[options]: Arguments<Name>): Promise<NamedFile> {
  try {
    const response = await http(addressOf(file, options?.params)[1], { timeout: false })
    const [, name = ''] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
    return { name, file: await response.blob() }
  } catch (error) {
    throw refusalOf(error) ?? unanswered(error)
  }
}

const download = async <Name extends Files>(...file: [file: Name, ...Arguments<Name>]): Promise<Blob> =>
  (await downloadNamed(...file)).file

export const storeApi = {
  deliveries: () => get(route['GET /receipt-deliveries']),
  deliverySeen: (id: string) => send(route['POST /receipt-deliveries/:id/seen'], { params: { id } }),
  invoice: (id: string, json: z.input<typeof MakeInvoice>) =>
    send(route['POST /sales/:id/invoice'], { params: { id }, json }),
  shifts: (before?: string) => get(route['GET /shifts'], { search: { before } }),
  openShift: (float: CashInput, approval?: z.input<typeof Approval>) =>
    send(route['POST /shifts'], { json: { float, approval } }),
  moveCash: (given: MovementInput) => send(route['POST /shifts/current/movements'], { json: given }),
  countShift: (id: number, number: 1 | 2, count: CountInput) =>
    send(route['POST /shifts/:id/counts'], { params: { id }, json: { number, count } }),
  closeShift: (id: number, given: z.input<typeof CloseShift>) =>
    send(route['POST /shifts/:id/close'], { params: { id }, json: given }),
  checkDevices: () => send(route['POST /devices/check'], { timeoutMs: CENTRAL_TIMEOUT_MS }),
  deviceDetails: () => get(route['GET /devices/details']),
  testRead: (role: InputRole) =>
    send(route['POST /devices/test-read'], { json: { role }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  testPage: () => send(route['POST /devices/test-page'], { timeoutMs: CENTRAL_TIMEOUT_MS }),
  refreshOffers: (locale: Locale) =>
    send(route['POST /offers/refresh'], { json: { locale }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  madeReturn: (id: string) => get(route['GET /returns/:id'], { params: { id } }),
  returnReceipt: (id: string) => get(route['GET /returns/:id/receipt'], { params: { id } }),
  unprintedDocuments: () => get(route['GET /receipts/owed']),
  people: () => get(route['GET /people']),
  addPerson: (person: NewPerson) => send(route['POST /people'], { json: person }),
  changePerson: (id: string, change: ChangePerson) => send(route['PUT /people/:id'], { params: { id }, json: change }),
  resetPin: (id: string) => send(route['POST /people/:id/reset-pin'], { params: { id } }),
  waitingChanges: () => get(route['GET /waiting-changes']),
  confirmChange: (change: WaitingChangeKey) => send(route['POST /waiting-changes/confirm'], { json: change }),
  refuseChange: (change: WaitingChangeKey) => send(route['POST /waiting-changes/refuse'], { json: change }),
  sessions: () => get(route['GET /sessions']),
  endSession: (id: string) => send(route['POST /sessions/:id/end'], { params: { id } }),
  liftLock: (id: string) => send(route['POST /people/:id/lift-lock'], { params: { id } }),
  assignBadge: (id: string, readId: string) =>
    send(route['PUT /people/:id/badge'], { params: { id }, json: { readId } }),
  deactivateBadge: (id: string) => send(route['POST /people/:id/badge/deactivate'], { params: { id } }),
  queueEntry: (id: string) => get(route['GET /queue/:id'], { params: { id } }),
  sendAgain: (id: string) => send(route['POST /queue/:id/send-again'], { params: { id } }),
  creditMiles: (id: string, given: z.input<typeof CreditMiles>) =>
    send(route['POST /queue/:id/credit'], { params: { id }, json: given }),
  resolveEntry: (id: string, given: ResolveEntry) =>
    send(route['POST /queue/:id/resolve'], { params: { id }, json: given }),
  correctEntry: (id: string, given: CorrectEntry) =>
    send(route['POST /queue/:id/correct'], { params: { id }, json: given }),
  giveMiles: (id: string, given: z.input<typeof GiveMiles>) =>
    send(route['POST /queue/:id/give'], { params: { id }, json: given }),
  resolveNotice: (id: number, given: ResolveNotice) =>
    send(route['POST /queue/notices/:id/settle'], { params: { id }, json: given }),
  resolveSlip: (number: number, given: ResolveNotice) =>
    send(route['POST /queue/slips/:id/settle'], { params: { id: number }, json: given }),
  sendAllAgain: () => send(route['POST /queue/send-again']),
  corrections: (before?: string) => get(route['GET /queue/corrections'], { search: { before } }),
  takeBack: (id: string, given: z.input<typeof TakeBack>) =>
    send(route['POST /queue/:id/take-back'], { params: { id }, json: given }),
  connection: () => get(route['GET /diagnostics/connection']),
  checkConnection: () => send(route['POST /diagnostics/connection/check']),
  connectionHistory: (period: ConnectionPeriod) =>
    get(route['GET /diagnostics/connection/history'], { search: { period } }),
  settings: () => get(route['GET /settings']),
  changeSetting: (name: string, change: ChangeSetting) =>
    send(route['PUT /settings/:name'], { params: { name }, json: change }),
  undoSetting: (name: string, undo: UndoSetting) =>
    send(route['POST /settings/:name/undo'], { params: { name }, json: undo }),
  exportSettings: (format: 'csv' | 'json') => send(route['POST /settings/exports'], { json: { format } }),
  reconciliationDays: () => get(route['GET /reconciliation/days']),
  reconciliationDay: (day: string) => get(route['GET /reconciliation/days/:day'], { params: { day } }),
  exportReconciliation: (day: string) => send(route['POST /reconciliation/days/:day/exports'], { params: { day } }),
  originalReport: (day: string) => get(route['GET /reconciliation/days/:day/original'], { params: { day } }),
  markReportSent: (day: string, json: z.input<typeof MarkSent>) =>
    send(route['POST /reconciliation/days/:day/sent'], { params: { day }, json }),
  xReport: () => get(route['GET /x-report']),
  zReports: (before?: string) => get(route['GET /z-reports'], { search: { before } }),
  zReceipt: (number: number) => get(route['GET /z-reports/:number/receipt'], { params: { number } }),
  xPdf: () => downloadNamed(route['GET /x-report.pdf']),
  zPdf: (number: number) => downloadNamed(route['GET /z-reports/:number/report.pdf'], { params: { number } }),
  closings: (span: ClosingSpan, before?: string) => get(route['GET /closings'], { search: { span, before } }),
  closingPaper: (period: string) => get(route['GET /closings/:period/paper'], { params: { period } }),
  closingPdf: (period: string) => downloadNamed(route['GET /closings/:period/report.pdf'], { params: { period } }),
  closeDay: () => send(route['POST /z-reports']),
  audit: (asked: SearchOf<'GET /audit'>, signal?: AbortSignal) => get(route['GET /audit'], { search: asked, signal }),
  requestAuditExport: (asked: z.input<typeof AuditExportRequest>) =>
    send(route['POST /audit/exports'], { json: asked }),
  auditExport: (number: number) => download(route['GET /audit/exports/:number'], { params: { number } }),
  laneCheck: () => get(route['GET /diagnostics/lane']),
  checkLane: () => send(route['POST /diagnostics/lane']),
  startReport: (range: ReportRange) => send(route['POST /reports/runs'], { json: range }),
  reportRun: (id: number) => get(route['GET /reports/runs/:id'], { params: { id } }),
  cancelReport: (id: number) => send(route['POST /reports/runs/:id/cancel'], { params: { id } }),
  requestReportExport: (asked: ReportExportRequest) => send(route['POST /reports/exports'], { json: asked }),
  reportExport: (number: number) => download(route['GET /reports/exports/:id'], { params: { id: number } }),
  journal: (asked: SearchOf<'GET /journal'>, signal?: AbortSignal) =>
    get(route['GET /journal'], { search: asked, signal }),
  traces: (receipt: string) => get(route['GET /journal/:receipt/traces'], { params: { receipt } }),
  managerOffers: (asked: SearchOf<'GET /manager/offers'>, signal?: AbortSignal) =>
    get(route['GET /manager/offers'], { search: asked, signal, timeoutMs: OFFER_TIMEOUT_MS }),
  managerOffer: (id: string, locale: Locale, signal?: AbortSignal) =>
    get(route['GET /manager/offers/:id'], { params: { id }, search: { locale }, signal, timeoutMs: OFFER_TIMEOUT_MS }),
  offerLists: () => get(route['GET /manager/offer-lists']),
  refreshOfferLists: () => send(route['POST /manager/offer-lists/refresh'], { timeoutMs: LISTS_TIMEOUT_MS }),
  requestShelfCard: (id: string) =>
    send(route['POST /manager/offers/:id/shelf-card'], { params: { id }, timeoutMs: OFFER_TIMEOUT_MS }),
  shelfCard: (number: number) => download(route['GET /manager/shelf-cards/:number'], { params: { number } }),
  auditVerification: () => get(route['GET /audit/verification']),
  verifyAudit: () => send(route['POST /audit/verification']),
  previewSupportFile: () => send(route['POST /support-file/previews'], { timeoutMs: SUPPORT_TIMEOUT_MS }),
  requestSupportFile: (preview: string) => send(route['POST /support-file/exports'], { json: { preview } }),
  supportFile: (number: number) => download(route['GET /support-file/exports/:number'], { params: { number } }),
  backups: () => get(route['GET /backups']),
  backUp: () => send(route['POST /backups']),
  proveBackup: (name: string) => send(route['POST /backups/:name/proof'], { params: { name } }),
  previewRestore: (name: string) => send(route['POST /backups/:name/preview'], { params: { name } }),
  restoreBackup: (json: z.input<typeof RestoreRequest>) => send(route['POST /backups/restore'], { json }),
  storeLanes: () => get(route['GET /store/lanes']),
  storeDay: (day: string) => get(route['GET /store/days/:day'], { params: { day } }),
  exportStoreDay: (day: string) => send(route['POST /store/days/:day/exports'], { params: { day } }),
  storeZ: (stream: string, number: number) =>
    get(route['GET /store/z/:stream/:number'], { params: { stream, number } }),
  storeZPdf: (stream: string, number: number) =>
    downloadNamed(route['GET /store/z/:stream/:number/report.pdf'], { params: { stream, number } }),
  storeQueue: () => get(route['GET /store/queue']),
  storeReconciliation: () => get(route['GET /store/reconciliation']),
  storeReconciliationDay: (day: string) => get(route['GET /store/reconciliation/:day'], { params: { day } }),
  storeReconciliationOriginal: (day: string) =>
    get(route['GET /store/reconciliation/:day/original'], { params: { day } }),
  exportStoreReconciliation: (day: string) =>
    send(route['POST /store/reconciliation/:day/exports'], { params: { day } }),
  updates: () => get(route['GET /updates']),
  decideUpdate: (json: UpdateDecision) => send(route['POST /updates/order'], { json }),
}

const UPLOAD_TIMEOUT_MS = 120_000

const bookFile = (book: BookName) => ({
  download: () => get(route['GET /catalog/files/:book'], { params: { book } }),
  read: (file: File) =>
    search(route['POST /catalog/files/:book'], { params: { book }, body: file, timeoutMs: UPLOAD_TIMEOUT_MS }),
  save: ({ found }: { readonly found: BookEntries }) =>
    send(route['POST /catalog/files'], { json: found, timeoutMs: UPLOAD_TIMEOUT_MS }),
})

/** Calls of the catalog page, one function per route. Each throws ApiProblem. */
export const catalogApi = {
  state: () => get(route['GET /catalog/state']),
  upload: (file: File) =>
    search(route['POST /catalog/import'], { body: file, search: { name: file.name }, timeoutMs: UPLOAD_TIMEOUT_MS }),
  differences: (kind: DifferenceKind, after: number) =>
    get(route['GET /catalog/import/differences'], { search: { kind, after } }),
  apply: (id: string) => send(route['POST /catalog/import/apply'], { json: { id } }),
  drop: (id: string) => send(route['POST /catalog/import/drop'], { json: { id } }),
  undo: () => send(route['POST /catalog/undo-import'], { timeoutMs: UPLOAD_TIMEOUT_MS }),
  elsewhere: () => get(route['GET /catalog/elsewhere']),
  planned: (after?: string) => get(route['GET /catalog/planned-prices'], { search: { after } }),
  plan: (sku: string, priceCents: number, from: string) =>
    send(route['POST /catalog/planned-prices'], { json: { sku, priceCents, from } }),
  cancelPlanned: (sku: string, fromAt: string) =>
    send(route['POST /catalog/planned-prices/cancel'], { json: { sku, fromAt } }),
  departments: () => get(route['GET /catalog/departments']),
  saveItem: (given: z.input<typeof SaveItem>) => send(route['POST /catalog/items'], { json: given }),
  removeItem: (sku: string) => send(route['POST /catalog/items/remove'], { json: { sku } }),
  quickKeyLists: () => get(route['GET /catalog/quick-key-lists']),
  saveQuickKeys: (given: SaveQuickKeys) => send(route['POST /catalog/quick-key-lists'], { json: given }),
  charges: () => get(route['GET /catalog/charges']),
  saveCharge: (given: z.input<typeof SaveCharge>) => send(route['POST /catalog/charges'], { json: given }),
  removeCharge: (id: string) => send(route['POST /catalog/charges/remove'], { json: { id } }),
  coupons: () => get(route['GET /catalog/coupons']),
  saveCoupon: (given: z.input<typeof SaveCoupon>) => send(route['POST /catalog/coupons'], { json: given }),
  promotions: () => get(route['GET /catalog/promotions']),
  promotionFile: {
    download: () => get(route['GET /catalog/promotions/file']),
    read: (file: File) => search(route['POST /catalog/promotions/file'], { body: file, timeoutMs: UPLOAD_TIMEOUT_MS }),
    save: ({ promotions }: z.infer<typeof SavePromotions>) =>
      send(route['POST /catalog/promotions/save-all'], { json: { promotions }, timeoutMs: UPLOAD_TIMEOUT_MS }),
  },
  chargeFile: bookFile('charges'),
  couponFile: bookFile('coupons'),
  manufacturerCouponFile: bookFile('manufacturer-coupons'),
  savePromotion: (given: z.input<typeof SavePromotion>) => send(route['POST /catalog/promotions'], { json: given }),
  removePromotion: (id: string) => send(route['POST /catalog/promotions/remove'], { json: { id } }),
  previewPromotion: (given: z.input<typeof PreviewPromotion>) =>
    search(route['POST /catalog/promotions/preview'], { json: given }),
  manufacturerCoupons: () => get(route['GET /catalog/manufacturer-coupons']),
  saveManufacturerCoupon: (given: z.input<typeof SaveManufacturerCoupon>) =>
    send(route['POST /catalog/manufacturer-coupons'], { json: given }),
  removeManufacturerCoupon: (code: string) =>
    send(route['POST /catalog/manufacturer-coupons/remove'], { json: { code } }),
  removeCoupon: (code: string) => send(route['POST /catalog/coupons/remove'], { json: { code } }),
}
