import { z } from 'zod'
import { ZReport } from '../day/day-end.ts'
import {
  BusinessDay,
  ReconciliationDay,
  ReconciliationReport,
  ReconciliationTotals,
} from '../loyalty/reconciliation.ts'
import { ReportFigure, ReportMiles, ReportSummary } from '../day/reports.ts'
import { Cents, Miles } from '../core/money.ts'
import { LaneHealth, LaneMode } from './protocol.ts'

/**
 * Requests of a lane to its store server on behalf of a manager: data and status of all lanes of the store. Money is in
 * cents, miles are whole. The lane sends the beginning and end of a day of the store, because the server knows no time
 * zone.
 */
export const OVERVIEW_PATHS = {
  lanes: '/lane/overview/lanes',
  day: '/lane/overview/day',
  z: '/lane/overview/z',
  queue: '/lane/overview/queue',
  reconciliation: '/lane/overview/reconciliation',
  reconciliationDay: '/lane/overview/reconciliation/day',
  reconciliationOriginal: '/lane/overview/reconciliation/original',
  reconciliationExport: '/lane/overview/reconciliation/export',
} as const

const OverviewRequest = z.object({ protocol: z.int() })
const Span = OverviewRequest.extend({ from: z.int(), before: z.int() })
const Time = z.iso.datetime()

/**
 * Time without contact, in milliseconds, after which a lane counts as silent: a lane sends a heartbeat every two
 * seconds.
 */
export const SILENT_AFTER_MS = 15_000
/** Maximum number of listed calls that need a person; the answer also contains their total number. */
export const MAX_CALLS = 200

export const LanesRequest = OverviewRequest
export const LaneOfStore = z.object({
  lane: z.string(),
  /** Whether the lane's last contact was within the last 15 seconds. */
  connected: z.boolean(),
  heardAt: Time.nullable(),
  version: z.string().nullable(),
  /** Latest health report of the lane; null: none yet, or in the format of another version. */
  health: LaneHealth.nullable(),
  aside: z.int(),
  /**
   * Why the server refused the lane at its last connection (`STORE_REFUSALS`), or `revoked` if its token was revoked;
   * null: it was accepted.
   */
  refused: z.string().nullable().default(null),
})
export type LaneOfStore = z.infer<typeof LaneOfStore>
/** Problems of gift cards and store credit that need a person. */
export const VouchersOfStore = z.object({
  /**
   * Set when the store server was restored from a backup: lanes that must first send it their facts again; '' is an
   * unknown lane.
   */
  awaited: z.array(
    z.object({
      lane: z.string(),
      since: Time,
      /** Other lanes that have read more of this lane's facts than the restored server has. */
      saidBy: z.array(z.string()).default([]),
    }),
  ),
  open: z.array(z.object({ last4: z.string(), lane: z.string(), amountCents: Cents, since: Time })),
  /** Gift cards that two lanes sold while they had no connection to each other: the card has the sum of all amounts. */
  soldTwice: z.array(
    z.object({ last4: z.string(), sold: z.array(z.object({ lane: z.string(), amountCents: Cents })) }),
  ),
})
export type VouchersOfStore = z.infer<typeof VouchersOfStore>
export const LanesOfStore = z.object({
  lanes: z.array(LaneOfStore),
  /** Optional, because a server of the previous release does not send it. */
  vouchers: VouchersOfStore.default({ awaited: [], open: [], soldTwice: [] }),
  mode: LaneMode.nullable().default(null),
  /** When the store's own authority ends, if within two years; null otherwise. */
  authorityEnds: Time.nullable().default(null),
})
export type LanesOfStore = z.infer<typeof LanesOfStore>

export const DayRequest = Span
export const StoreFigure = ReportFigure.extend({ id: z.string() })
export const StoreTotals = z.object({
  summary: ReportSummary,
  tenders: z.array(StoreFigure),
  taxes: z.array(StoreFigure),
  miles: ReportMiles.pick({ issued: true, redeemed: true, redeemedCents: true, redeemedSales: true }),
})
export type StoreTotals = z.infer<typeof StoreTotals>
export const LaneZ = z.object({
  stream: z.string(),
  number: z.int(),
  lane: z.string(),
  at: Time,
  closedBy: z.string(),
  sales: z.int(),
  totalCents: z.int(),
  differenceCents: z.int(),
})
export const LaneShift = z.object({
  stream: z.string(),
  id: z.int(),
  lane: z.string(),
  drawerOf: z.string().nullable(),
  openedAt: Time,
  closedAt: Time,
  closedBy: z.string(),
  differenceCents: z.int().nullable(),
})
export const StoreDay = z.object({
  lanes: z.array(StoreTotals.extend({ lane: z.string() })),
  zs: z.array(LaneZ),
  shifts: z.array(LaneShift),
  /** Lanes that sold or opened a drawer on this day and have made no Z report. */
  withoutZ: z.array(z.string()),
  /** Lanes with facts of this day that the store server lacks: silent since then, or with more to send. */
  incomplete: z.array(z.string()),
})
export type StoreDay = z.infer<typeof StoreDay>

export const ZRequest = OverviewRequest.extend({ stream: z.string().max(64), number: z.int().positive() })
export const StoreZ = z.object({ report: ZReport })

export const QueueRequest = OverviewRequest
export const StoreCall = z.object({
  id: z.string(),
  lane: z.string(),
  saleId: z.string(),
  type: z.string(),
  state: z.string(),
  createdAt: Time,
  changedAt: Time,
  amountCents: Cents.nullable(),
  miles: Miles.nullable(),
  responseCode: z.string().nullable(),
})
export type StoreCall = z.infer<typeof StoreCall>
export const StoreQueue = z.object({
  lanes: z.array(z.object({ lane: z.string(), attention: z.int() })),
  calls: z.array(StoreCall),
})
export type StoreQueue = z.infer<typeof StoreQueue>

/**
 * Body of POST reconciliation, which returns the days with approvals that came on a retry or with an original report,
 * newest first.
 */
export const ReconciliationRequest = OverviewRequest.extend({ today: BusinessDay })
export const StoreReconciliationDays = z.object({
  days: z.array(
    ReconciliationDay.pick({
      businessDay: true,
      totals: true,
      exportedAt: true,
      exportedBy: true,
      copies: true,
    }).extend({
      state: z.enum(['open', 'due', 'exported']),
      missing: z.array(z.string()),
    }),
  ),
})
export type StoreReconciliationDays = z.infer<typeof StoreReconciliationDays>

/**
 * Body of three requests for the reconciliation report of a day. POST reconciliation/day: a preview. POST
 * reconciliation/original: the original as it was made. POST reconciliation/export: the original the first time, then
 * copies.
 */
export const ReconciliationDayRequest = Span.extend({ day: BusinessDay })
export const MakeReconciliation = ReconciliationDayRequest.extend({ by: z.string().min(1).max(120) })
export const StoreReconciliation = ReconciliationReport.pick({
  businessDay: true,
  status: true,
  copy: true,
  exportedAt: true,
  exportedBy: true,
  sameAsOriginal: true,
  rows: true,
}).extend({
  totals: ReconciliationTotals,
  /** Lanes that had not sent all facts of the day, now or when the original report was made. */
  missing: z.array(z.string()),
})
export type StoreReconciliation = z.infer<typeof StoreReconciliation>
