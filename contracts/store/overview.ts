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
 * What a lane asks its store's server in the name of a manager: what all lanes of the store have told and say of
 * themselves. Money in cents, miles whole. The lane says when a day of the store begins and ends: the server knows no
 * time zone.
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

const Asked = z.object({ protocol: z.int() })
/** Of the store's calendar, in epoch milliseconds: from its beginning on, before its end. */
const Span = Asked.extend({ from: z.int(), before: z.int() })
const Time = z.iso.datetime()

/** A lane that was not heard of for so long is silent, in milliseconds: it says something every two seconds. */
export const SILENT_AFTER_MS = 15_000
/** So many calls that need a person are listed; how many there are is said. */
export const MOST_CALLS = 200

/** POST lanes */
export const AskLanes = Asked
export const LaneOfStore = z.object({
  lane: z.string(),
  /** Whether it was heard of within the last quarter of a minute. */
  connected: z.boolean(),
  heardAt: Time.nullable(),
  version: z.string().nullable(),
  /** What it said of itself last; null: nothing yet, or in the words of another version. */
  health: LaneHealth.nullable(),
  /** Facts of it that the server could not read. */
  aside: z.int(),
  /** Why its last greeting was refused (`STORE_REFUSALS`), or `revoked`: so was its token; null: it was not. */
  refused: z.string().nullable().default(null),
})
export type LaneOfStore = z.infer<typeof LaneOfStore>
/** What of gift cards and store credit a person has to look at. */
export const VouchersOfStore = z.object({
  /** The store's data came back from a backup, and it waits for these lanes; '' is one that it does not know. */
  awaited: z.array(
    z.object({
      lane: z.string(),
      since: Time,
      /** Lanes that read more of it than the store has. */
      saidBy: z.array(z.string()).default([]),
    }),
  ),
  /** Drawn by a lane that never told what became of it. */
  open: z.array(z.object({ last4: z.string(), lane: z.string(), amountCents: Cents, since: Time })),
  /** Sold by lanes that were cut off from each other: all amounts are on the card. */
  soldTwice: z.array(
    z.object({ last4: z.string(), sold: z.array(z.object({ lane: z.string(), amountCents: Cents })) }),
  ),
})
export type VouchersOfStore = z.infer<typeof VouchersOfStore>
export const LanesOfStore = z.object({
  lanes: z.array(LaneOfStore),
  /** A server of the release before does not say it. */
  vouchers: VouchersOfStore.default({ awaited: [], open: [], soldTwice: [] }),
  /** What all its lanes do; null: none has said so yet. */
  mode: LaneMode.nullable().default(null),
  /** The store's own authority ends within two years; null: it does not, or there is none. */
  authorityEnds: Time.nullable().default(null),
})
export type LanesOfStore = z.infer<typeof LanesOfStore>

/** POST day */
export const AskDay = Span
export const StoreFigure = ReportFigure.extend({ id: z.string() })
/** The same figures as the report of a lane has (backend/day/reports). */
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
  /** Lanes that sold or had a drawer on this day, and made no Z of it. */
  withoutZ: z.array(z.string()),
  /** Lanes that have not told everything of this day: they are silent since, or have more to tell. */
  incomplete: z.array(z.string()),
})
export type StoreDay = z.infer<typeof StoreDay>

/** POST z: a Z as its lane made it. */
export const AskZ = Asked.extend({ stream: z.string().max(64), number: z.int().positive() })
export const StoreZ = z.object({ report: ZReport })

/** POST queue */
export const AskQueue = Asked
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
  /** The newest first, at most `MOST_CALLS`. */
  calls: z.array(StoreCall),
})
export type StoreQueue = z.infer<typeof StoreQueue>

/** POST reconciliation: days with approvals of a retry or an original, newest first. */
export const AskReconciliation = Asked.extend({ today: BusinessDay })
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
 * POST reconciliation/day: to look at. POST reconciliation/original: as it was made. POST reconciliation/export: the
 * original the first time, then copies.
 */
export const AskReconciliationDay = Span.extend({ day: BusinessDay })
export const MakeReconciliation = AskReconciliationDay.extend({ by: z.string().min(1).max(120) })
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
  /** Lanes that had not told everything of the day: by now, or when the original was made. */
  missing: z.array(z.string()),
})
export type StoreReconciliation = z.infer<typeof StoreReconciliation>
