import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { ReceiptTraces } from '../operations/call-traces.ts'
import { PrintAnswer, ReceiptView, ReprintPaper } from '../sales/sales.ts'
import {
  Closing,
  ClosingList,
  ClosingPaper,
  ClosingPaperId,
  ClosingPeriod,
  ClosingSpan,
  XReport,
  ZReport,
  ZReportList,
} from './day-end.ts'
import { ReportExport, ReportExportRequest, ReportRange, ReportRun } from './reports.ts'
import {
  EarlierSales,
  EarlierSalesQuery,
  JournalPage,
  JournalQuery,
  UnprintedDocuments,
  ReceiptsSummary,
} from './search.ts'
import {
  CashMovement,
  CloseShift,
  CountShift,
  CurrentShift,
  MoveCash,
  OpenShift,
  Shift,
  ShiftId,
  ShiftList,
} from './shifts.ts'
import { routes } from '../core/route.ts'

const number = z.coerce.number().pipe(z.int().min(1))
const shiftId = z.coerce.number().pipe(ShiftId)
const ShiftAnswer = z.object({ shift: Shift })

export const shiftsContract = routes('shifts', {
  'GET /shifts/current': { summary: 'The drawer of the signed-in person', answer: CurrentShift },
  'GET /shifts': {
    summary: 'Shifts, newest first',
    access: 'manager',
    query: z.object({ before: shiftId.optional() }),
    answer: ShiftList,
  },
  'POST /shifts': {
    summary: 'Open a drawer with a counted float',
    body: OpenShift,
    answer: ShiftAnswer,
  },
  'POST /shifts/current/movements': {
    summary: 'Move cash without a sale, or open the drawer',
    body: MoveCash,
    answer: z.object({ movement: CashMovement }),
  },
  'POST /cash-movements/:id/reprint': {
    summary: 'Print the slip of a cash movement that was not printed',
    params: { id: number },
    body: ReprintPaper,
    answer: PrintAnswer,
  },
  'POST /shifts/:id/counts': {
    summary: 'Commit a blind count',
    params: { id: shiftId },
    body: CountShift,
    answer: ShiftAnswer,
  },
  'POST /shifts/:id/reprint': {
    summary: 'Print the slip of a closed shift again',
    access: 'manager',
    params: { id: shiftId },
    answer: PrintAnswer,
  },
  'POST /shifts/:id/close': {
    summary: 'Close a counted shift',
    params: { id: shiftId },
    body: CloseShift,
    answer: ShiftAnswer,
  },
})

export const dayEndContract = routes('day-end', {
  'GET /x-report': { summary: 'Totals since the last Z', access: 'manager', answer: XReport },
  'GET /x-report.pdf': { summary: 'The X as a file', access: 'manager', file: ['application/pdf'] },
  'GET /z-reports': {
    summary: 'Z reports, newest first',
    access: 'manager',
    query: z.object({ before: number.optional() }),
    answer: ZReportList,
  },
  'GET /z-reports/:number': {
    summary: 'A Z report',
    access: 'manager',
    params: { number },
    answer: ZReport,
  },
  'GET /z-reports/:number/receipt': {
    summary: 'The paper of a Z report',
    access: 'manager',
    params: { number },
    answer: ReceiptView,
  },
  'GET /z-reports/:number/report.pdf': {
    summary: 'A Z as a file, marked as a copy',
    access: 'manager',
    params: { number },
    file: ['application/pdf'],
  },
  'POST /z-reports': { summary: 'Close the day', access: 'manager', answer: z.object({ report: ZReport }) },
  'POST /z-reports/:number/reprint': {
    summary: 'Print a Z report again',
    access: 'manager',
    params: { number },
    answer: PrintAnswer,
  },
  'GET /closings': {
    summary: 'Days or months with their Zs, newest first',
    access: 'manager',
    query: z.object({ span: ClosingSpan, before: ClosingPeriod.optional() }),
    answer: ClosingList,
  },
  'GET /closings/:period': {
    summary: 'A day or a month',
    access: 'manager',
    params: { period: ClosingPeriod },
    answer: Closing,
  },
  'GET /closings/:period/paper': {
    summary: 'The document of a day or a month',
    access: 'manager',
    params: { period: ClosingPeriod },
    answer: ClosingPaper,
  },
  'GET /closings/:period/report.pdf': {
    summary: 'A day or a month as a file',
    access: 'manager',
    params: { period: ClosingPeriod },
    file: ['application/pdf'],
  },
  'POST /closings/:period/print': {
    summary: 'Print a day or a month; again, as a copy',
    access: 'manager',
    params: {
      period: z
        .union([ClosingPeriod, ClosingPaperId])
        .describe('or an earlier print of it, regardless of Zs that were added since'),
    },
    answer: PrintAnswer,
  },
})

export const earlierSalesContract = routes('search', {
  'GET /sales/earlier': {
    summary: 'Closed sales and returns, newest first; a search finds receipts of the store’s other lanes too',
    query: EarlierSalesQuery,
    answer: EarlierSales,
  },
  'GET /receipts/owed': {
    summary: 'Documents other than receipts of sales that were never printed',
    answer: UnprintedDocuments,
  },
  'GET /receipts': {
    summary: 'The sale completed last, and the number of documents that were never printed',
    answer: ReceiptsSummary,
  },
})

export const reportsContract = routes('reports', {
  // The command is `awaited`, because a run of a report is in no table: its answer cannot be stored with its effect.
  'POST /reports/runs': {
    summary: 'Start reading a report',
    access: 'manager',
    command: 'awaited',
    body: ReportRange,
    answer: ReportRun,
  },
  'GET /reports/runs/:id': {
    summary: 'Progress of a report, and the report',
    access: 'manager',
    byItself: true,
    params: { id: number },
    answer: ReportRun,
  },
  'POST /reports/runs/:id/cancel': {
    summary: 'Cancel a report',
    access: 'manager',
    command: 'awaited',
    params: { id: number },
    answer: ReportRun,
  },
  'POST /reports/exports': {
    summary: 'Request a file; recorded in the audit trail',
    access: 'manager',
    body: ReportExportRequest,
    answer: ReportExport,
  },
  'GET /reports/exports/:id': {
    summary: 'The requested file, once, for the person who requested it',
    access: 'manager',
    params: { id: number },
    file: ['text/csv; charset=utf-8', 'application/json; charset=utf-8'],
  },
  'GET /journal': {
    summary: 'Closed sales, returns and cash movements that match the filter, newest first',
    access: 'manager',
    query: JournalQuery,
    answer: JournalPage,
  },
  'GET /journal/:receipt/traces': {
    summary: 'Traces and steps of a receipt’s calls that moved miles, oldest first',
    access: 'manager',
    params: { receipt: SaleId },
    answer: ReceiptTraces,
  },
})
