import type { z } from 'zod'
import type {
  AuditExport,
  AuditExportRequest,
  AuditPage,
  AuditQuery,
  AuditVerification,
} from '../../../contracts/staff/audit.ts'
import type { Backups, OrderRestore } from '../../../contracts/operations/backups.ts'
import type {
  ClosingList,
  ClosingPaper,
  ClosingSpan,
  XReport,
  ZReport,
  ZReportList,
} from '../../../contracts/day/day-end.ts'
import type { ReceiptTraces } from '../../../contracts/operations/call-traces.ts'
import type { JournalPage, JournalQuery, OwedDocuments } from '../../../contracts/day/search.ts'
import type {
  ManagerOfferAnswer,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferList,
  OfferLists,
  ShelfCardOrder,
} from '../../../contracts/loyalty/offers.ts'
import type { LastLaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReportExport, ReportExportRequest, ReportRange, ReportRun } from '../../../contracts/day/reports.ts'
import type { ReceiptView } from '../../../contracts/sales/sales.ts'
import type {
  StoreDayFile,
  StoreDayReport,
  StoreLanes,
  StoreReconciliationFile,
  StoreZPaper,
} from '../../../contracts/day/store-overview.ts'
import type { StoreQueue, StoreReconciliation, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import type { SupportExport, SupportPreview } from '../../../contracts/operations/support.ts'
import type { OrderUpdate, Updates } from '../../../contracts/operations/updates.ts'
import type {
  ConnectionCheck,
  ConnectionHistory,
  ConnectionPeriod,
  ConnectionStatus,
} from '../../../contracts/operations/connection.ts'
import type {
  MarkSent,
  ReconciliationDays,
  ReconciliationExport,
  ReconciliationReport,
} from '../../../contracts/loyalty/reconciliation.ts'
import type {
  ChangeSetting,
  SettingList,
  SettingsExport,
  UndoSetting,
  WaitingChangeKey,
  WaitingChanges,
} from '../../../contracts/staff/settings.ts'
import type {
  ChangePerson,
  NewPerson,
  OneTimePin,
  PeopleList,
  PersonAdded,
  SessionList,
} from '../../../contracts/staff/session.ts'
import type {
  CorrectEntry,
  CorrectionList,
  CreditMiles,
  GiveMiles,
  Queue,
  QueueDetail,
  ResolveEntry,
  SettleNotice,
  TakeBack,
} from '../../../contracts/loyalty/queue.ts'
import type {
  DeviceDetailsList,
  InputRole,
  TestPageAnswer,
  TestReadAnswer,
} from '../../../contracts/operations/devices.ts'
import type { DeviceList } from '../../../contracts/operations/diagnostics.ts'
import type { Approval } from '../../../contracts/sales/sale-changes.ts'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import type { CloseShift, Shift, ShiftList } from '../../../contracts/day/shifts.ts'
import { download, downloadNamed, get, given, post, put, upload } from './client.ts'
import type { GivenCash, GivenCount, GivenMovement } from './terminal-api.ts'
import type {
  CatalogElsewhere,
  CatalogImport,
  CatalogState,
  CouponList,
  DepartmentList,
  DifferenceKind,
  DifferenceList,
  PlannedList,
  QuickKeyLists,
  SaveCoupon,
  SaveItem,
  SaveQuickKeys,
  SavedItem,
} from '../../../contracts/catalog/catalog.ts'

/** The backend asks the offer service meanwhile, page by page where it fetches whole lists. */
const OFFER_TIMEOUT_MS = 20_000
const LISTS_TIMEOUT_MS = 60_000

/** Megabytes of log are read meanwhile, between the sales. */
const SUPPORT_TIMEOUT_MS = 30_000

/** The backend asks devices or central services meanwhile. */
const CENTRAL_TIMEOUT_MS = 60_000
type ShiftAnswer = { shift: Shift }

/** What the pages of the store ask for: they come behind the sign-in. */
export const storeApi = {
  shifts: (before?: string) =>
    get<z.infer<typeof ShiftList>>('shifts', before === undefined ? {} : { search: { before } }),
  openShift: (float: GivenCash, approval?: z.input<typeof Approval>) =>
    post<ShiftAnswer>('shifts', { json: { float, approval } }),
  moveCash: (given: GivenMovement) => post<undefined>('shifts/current/movements', { json: given }),
  countShift: (id: number, number: 1 | 2, count: GivenCount) =>
    post<ShiftAnswer>(`shifts/${id}/counts`, { json: { number, count } }),
  closeShift: (id: number, given: z.input<typeof CloseShift>) =>
    post<ShiftAnswer>(`shifts/${id}/close`, { json: given }),
  checkDevices: () => post<DeviceList>('devices/check', { timeoutMs: CENTRAL_TIMEOUT_MS }),
  deviceDetails: () => get<DeviceDetailsList>('devices/details'),
  testRead: (role: InputRole) =>
    post<TestReadAnswer>('devices/test-read', { json: { role }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  testPage: () => post<TestPageAnswer>('devices/test-page', { timeoutMs: CENTRAL_TIMEOUT_MS }),
  refreshOffers: (locale: Locale) =>
    post<OfferList>('offers/refresh', { json: { locale }, timeoutMs: CENTRAL_TIMEOUT_MS }),
  madeReturn: (id: string) => get<{ return: SaleReturn }>(`returns/${id}`),
  returnReceipt: (id: string) => get<z.infer<typeof ReceiptView>>(`returns/${id}/receipt`),
  owedDocuments: () => get<OwedDocuments>('receipts/owed'),
  people: () => get<PeopleList>('people'),
  addPerson: (person: NewPerson) => post<PersonAdded>('people', { json: person }),
  changePerson: (id: string, change: ChangePerson) => put<PeopleList>(`people/${id}`, { json: change }),
  resetPin: (id: string) => post<OneTimePin>(`people/${id}/reset-pin`),
  waitingChanges: () => get<WaitingChanges>('waiting-changes'),
  confirmChange: (change: WaitingChangeKey) => post<WaitingChanges>('waiting-changes/confirm', { json: change }),
  refuseChange: (change: WaitingChangeKey) => post<WaitingChanges>('waiting-changes/refuse', { json: change }),
  sessions: () => get<SessionList>('sessions'),
  endSession: (id: string) => post<SessionList>(`sessions/${id}/end`),
  liftLock: (id: string) => post<PeopleList>(`people/${id}/lift-lock`),
  assignBadge: (id: string, readId: string) => put<PeopleList>(`people/${id}/badge`, { json: { readId } }),
  deactivateBadge: (id: string) => post<PeopleList>(`people/${id}/badge/deactivate`),
  queueEntry: (id: string) => get<QueueDetail>(`queue/${id}`),
  sendAgain: (id: string) => post<QueueDetail>(`queue/${id}/send-again`),
  creditMiles: (id: string, given: z.input<typeof CreditMiles>) =>
    post<QueueDetail>(`queue/${id}/credit`, { json: given }),
  resolveEntry: (id: string, given: ResolveEntry) => post<QueueDetail>(`queue/${id}/resolve`, { json: given }),
  correctEntry: (id: string, given: CorrectEntry) => post<QueueDetail>(`queue/${id}/correct`, { json: given }),
  giveMiles: (id: string, given: z.input<typeof GiveMiles>) => post<QueueDetail>(`queue/${id}/give`, { json: given }),
  settleNotice: (id: number, given: SettleNotice) => post<Queue>(`queue/notices/${id}/settle`, { json: given }),
  settleSlip: (number: number, given: SettleNotice) => post<Queue>(`queue/slips/${number}/settle`, { json: given }),
  sendAllAgain: () => post<Queue>('queue/send-again'),
  corrections: (before?: string) => get<CorrectionList>('queue/corrections', { search: given({ before }) }),
  takeBack: (id: string, given: z.input<typeof TakeBack>) =>
    post<QueueDetail>(`queue/${id}/take-back`, { json: given }),
  connection: () => get<ConnectionStatus>('diagnostics/connection'),
  checkConnection: () => post<ConnectionCheck>('diagnostics/connection/check'),
  connectionHistory: (period: ConnectionPeriod) =>
    get<ConnectionHistory>('diagnostics/connection/history', { search: { period } }),
  settings: () => get<SettingList>('settings'),
  changeSetting: (name: string, change: ChangeSetting) => put<SettingList>(`settings/${name}`, { json: change }),
  undoSetting: (name: string, undo: UndoSetting) => post<SettingList>(`settings/${name}/undo`, { json: undo }),
  exportSettings: (format: 'csv' | 'json') => post<SettingsExport>('settings/exports', { json: { format } }),
  reconciliationDays: () => get<ReconciliationDays>('reconciliation/days'),
  reconciliationDay: (day: string) => get<ReconciliationReport>(`reconciliation/days/${day}`),
  exportReconciliation: (day: string) => post<ReconciliationExport>(`reconciliation/days/${day}/exports`),
  originalReport: (day: string) => get<ReconciliationExport>(`reconciliation/days/${day}/original`),
  markReportSent: (day: string, json: z.input<typeof MarkSent>) =>
    post<ReconciliationDays>(`reconciliation/days/${day}/sent`, { json }),
  xReport: () => get<XReport>('x-report'),
  zReports: (before?: string) => get<ZReportList>('z-reports', before === undefined ? {} : { search: { before } }),
  zReceipt: (number: number) => get<z.infer<typeof ReceiptView>>(`z-reports/${number}/receipt`),
  xPdf: () => downloadNamed('x-report.pdf'),
  zPdf: (number: number) => downloadNamed(`z-reports/${number}/report.pdf`),
  closings: (span: ClosingSpan, before?: string) => get<ClosingList>('closings', { search: given({ span, before }) }),
  closingPaper: (period: string) => get<ClosingPaper>(`closings/${period}/paper`),
  closingPdf: (period: string) => downloadNamed(`closings/${period}/report.pdf`),
  closeDay: () => post<{ report: ZReport }>('z-reports'),
  audit: (asked: z.input<typeof AuditQuery>, signal?: AbortSignal) =>
    get<AuditPage>('audit', { search: given(asked), signal }),
  orderAuditExport: (asked: z.input<typeof AuditExportRequest>) => post<AuditExport>('audit/exports', { json: asked }),
  auditExport: (number: number) => download(`audit/exports/${number}`),
  laneCheck: () => get<LastLaneCheck>('diagnostics/lane'),
  checkLane: () => post<LastLaneCheck>('diagnostics/lane'),
  startReport: (range: ReportRange) => post<ReportRun>('reports/runs', { json: range }),
  reportRun: (id: number) => get<ReportRun>(`reports/runs/${id}`),
  cancelReport: (id: number) => post<ReportRun>(`reports/runs/${id}/cancel`),
  orderReportExport: (asked: ReportExportRequest) => post<ReportExport>('reports/exports', { json: asked }),
  reportExport: (number: number) => download(`reports/exports/${number}`),
  journal: (asked: z.input<typeof JournalQuery>, signal?: AbortSignal) =>
    get<JournalPage>('journal', { search: given(asked), signal }),
  traces: (receipt: string) => get<ReceiptTraces>(`journal/${receipt}/traces`),
  managerOffers: (asked: z.input<typeof ManagerOfferQuery>, signal?: AbortSignal) =>
    get<ManagerOfferPage>('manager/offers', { search: given(asked), signal, timeoutMs: OFFER_TIMEOUT_MS }),
  managerOffer: (id: string, locale: Locale, signal?: AbortSignal) =>
    get<ManagerOfferAnswer>(`manager/offers/${id}`, { search: { locale }, signal, timeoutMs: OFFER_TIMEOUT_MS }),
  offerLists: () => get<OfferLists>('manager/offer-lists'),
  refreshOfferLists: () => post<OfferLists>('manager/offer-lists/refresh', { timeoutMs: LISTS_TIMEOUT_MS }),
  orderShelfCard: (id: string) =>
    post<ShelfCardOrder>(`manager/offers/${id}/shelf-card`, { timeoutMs: OFFER_TIMEOUT_MS }),
  shelfCard: (number: number) => download(`manager/shelf-cards/${number}`),
  auditVerification: () => get<AuditVerification>('audit/verification'),
  verifyAudit: () => post<AuditVerification>('audit/verification'),
  previewSupportFile: () => post<SupportPreview>('support-file/previews', { timeoutMs: SUPPORT_TIMEOUT_MS }),
  orderSupportFile: (preview: string) => post<SupportExport>('support-file/exports', { json: { preview } }),
  supportFile: (number: number) => download(`support-file/exports/${number}`),
  backups: () => get<Backups>('backups'),
  backUp: () => post<Backups>('backups'),
  proveBackup: (name: string) => post<Backups>(`backups/${name}/proof`),
  previewRestore: (name: string) => post<Backups>(`backups/${name}/preview`),
  restoreBackup: (json: z.input<typeof OrderRestore>) => post<Backups>('backups/restore', { json }),
  storeLanes: () => get<StoreLanes>('store/lanes'),
  storeDay: (day: string) => get<StoreDayReport>(`store/days/${day}`),
  exportStoreDay: (day: string) => post<StoreDayFile>(`store/days/${day}/exports`),
  storeZ: (stream: string, number: number) => get<StoreZPaper>(`store/z/${stream}/${number}`),
  storeZPdf: (stream: string, number: number) => downloadNamed(`store/z/${stream}/${number}/report.pdf`),
  storeQueue: () => get<StoreQueue>('store/queue'),
  storeReconciliation: () => get<StoreReconciliationDays>('store/reconciliation'),
  storeReconciliationDay: (day: string) => get<StoreReconciliation>(`store/reconciliation/${day}`),
  storeReconciliationOriginal: (day: string) => get<StoreReconciliationFile>(`store/reconciliation/${day}/original`),
  exportStoreReconciliation: (day: string) => post<StoreReconciliationFile>(`store/reconciliation/${day}/exports`),
  updates: () => get<Updates>('updates'),
  orderUpdate: (json: OrderUpdate) => post<Updates>('updates/order', { json }),
}

/** A large file over a slow disk; it goes to the lane's own program and no further. */
const UPLOAD_TIMEOUT_MS = 120_000

/** What a manager does with the catalog, one function per route. Each throws ApiProblem. */
export const catalogApi = {
  state: () => get<CatalogState>('catalog/state'),
  upload: (file: File) =>
    upload<CatalogImport>('catalog/import', { body: file, search: { name: file.name }, timeoutMs: UPLOAD_TIMEOUT_MS }),
  differences: (kind: DifferenceKind, after: number) =>
    get<DifferenceList>('catalog/import/differences', { search: { kind, after } }),
  apply: (id: string) => post<undefined>('catalog/import/apply', { json: { id } }),
  drop: (id: string) => post<undefined>('catalog/import/drop', { json: { id } }),
  undo: () => post<CatalogState>('catalog/undo-import', { timeoutMs: UPLOAD_TIMEOUT_MS }),
  elsewhere: () => get<CatalogElsewhere>('catalog/elsewhere'),
  planned: (after?: string) =>
    get<PlannedList>('catalog/planned-prices', { search: after === undefined ? {} : { after } }),
  plan: (sku: string, priceCents: number, from: string) =>
    post<undefined>('catalog/planned-prices', { json: { sku, priceCents, from } }),
  cancelPlanned: (sku: string, fromAt: string) =>
    post<undefined>('catalog/planned-prices/cancel', { json: { sku, fromAt } }),
  departments: () => get<DepartmentList>('catalog/departments'),
  saveItem: (given: z.input<typeof SaveItem>) => post<z.infer<typeof SavedItem>>('catalog/items', { json: given }),
  removeItem: (sku: string) => post<z.infer<typeof SavedItem>>('catalog/items/remove', { json: { sku } }),
  quickKeyLists: () => get<QuickKeyLists>('catalog/quick-key-lists'),
  saveQuickKeys: (given: SaveQuickKeys) => post<QuickKeyLists>('catalog/quick-key-lists', { json: given }),
  coupons: () => get<CouponList>('catalog/coupons'),
  saveCoupon: (given: z.input<typeof SaveCoupon>) => post<CouponList>('catalog/coupons', { json: given }),
  removeCoupon: (code: string) => post<CouponList>('catalog/coupons/remove', { json: { code } }),
}
