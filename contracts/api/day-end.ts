import { z } from 'zod'
import { StaffId } from '../ids.ts'
import { Miles } from '../miles.ts'
import { Cents } from '../money.ts'
import { TaxCode } from '../regions.ts'
import { TenderKind } from '../tenders/registry.ts'
import { MovementKind, ShiftId } from './shifts.ts'

const Count = z.int().min(0)
const Counted = z.object({ count: Count, amountCents: Cents })
const Taxes = z.array(z.object({ code: TaxCode, amountCents: Cents }))

/** Of a tender type. `net` = taken − given back − refunded; what it pays of sales, before cash rounding. */
export const TenderTotals = z.object({
  kind: TenderKind,
  taken: Counted,
  givenBack: Counted.describe('payments that were taken off their sale again'),
  refunded: Counted.describe('went back for returned goods'),
  netCents: Cents,
  roundingCents: Cents.describe('cash rounding: what the store gained (+) or forwent (−)'),
})
export type TenderTotals = z.infer<typeof TenderTotals>

/** Totals of shifts: an X has those so far, a Z those of its own. Training is a program of its own: none is in here. */
export const DayTotals = z.object({
  sales: z.object({
    count: Count,
    grossCents: Cents.describe('goods before discounts and tax'),
    discountCents: Cents,
    netCents: Cents.describe('goods before tax'),
    taxes: Taxes,
    totalCents: Cents,
    firstId: z.string().nullable(),
    lastId: z.string().nullable(),
  }),
  returns: z.object({ count: Count, netCents: Cents, taxes: Taxes, totalCents: Cents }),
  cancelled: Count.describe('sales that were cancelled'),
  departments: z.array(
    z.object({ id: z.string(), soldCents: Cents, returnedCents: Cents, netCents: Cents.describe('before tax') }),
  ),
  tenders: z.array(TenderTotals),
  openSales: z
    .object({ beforeCents: Cents, afterCents: Cents })
    .describe('paid on sales that were not closed yet, at the beginning and at the end'),
  movements: z.array(z.object({ kind: MovementKind, count: Count, amountCents: Cents })),
  /** From the audit trail, by the kinds of its entries. */
  voidedLines: Count,
  priceChanges: Count,
  discounts: Count,
  copies: Count.describe('papers that were printed again'),
  miles: z.object({
    redeemed: Miles,
    redeemedCents: Cents,
    issued: Miles.describe('confirmed by the program so far'),
    unsent: Count.describe('calls that wait to be sent, whenever their sale was'),
    undecided: Count.describe('calls whose outcome a person has to find out, whenever their sale was'),
  }),
})
export type DayTotals = z.infer<typeof DayTotals>

export const GrandTotals = z.object({
  sales: Count,
  salesCents: Cents.describe('total of all sales since the lane was installed'),
  returns: Count,
  returnsCents: Cents,
})
export type GrandTotals = z.infer<typeof GrandTotals>

export const ZShift = z.object({
  id: ShiftId,
  drawerOf: StaffId.nullable(),
  openedAt: z.string(),
  closedAt: z.string(),
  closedBy: StaffId,
  floatCents: Cents,
  expectedCents: Cents,
  countedCents: Cents,
  differenceCents: Cents.describe('over is positive, short is negative'),
  reason: z.string().nullable(),
})

/** The end of the journal: on paper it says what a later copy of the database must still hold. */
export const ChainHead = z.object({ seq: z.int().min(0), hash: z.string() })

/** A Z as it was made. It never changes. */
export const ZReport = z.object({
  number: z.int().min(1),
  lane: z.string(),
  storeName: z.string(),
  at: z.string(),
  from: z.string().nullable().describe('end of the Z before it; null of the first'),
  closedBy: z.object({ id: StaffId, name: z.string() }),
  shifts: z.array(ZShift),
  totals: DayTotals,
  grandTotals: GrandTotals,
  journal: ChainHead,
  audit: ChainHead,
})
export type ZReport = z.infer<typeof ZReport>

/** GET /api/x-report: so far. Cash stays out of it while its drawer was not counted. */
export const XReport = z.object({
  at: z.string(),
  from: z.string().nullable(),
  openShifts: z.array(z.object({ id: ShiftId, drawerOf: StaffId.nullable(), openedAt: z.string() })),
  totals: DayTotals.extend({ tenders: z.array(TenderTotals), cashHidden: z.boolean() }),
})
export type XReport = z.infer<typeof XReport>

/** GET /api/z-reports?before=NUMBER, newest first */
export const ZReportList = z.object({
  reports: z.array(
    z.object({
      number: z.int().min(1),
      at: z.string(),
      closedBy: z.string(),
      sales: Count,
      totalCents: Cents,
      differenceCents: Cents,
    }),
  ),
  more: z.boolean(),
  next: z.int().min(1).describe('the number of the Z that comes'),
  waiting: z.object({ closed: Count, counted: Count, open: Count }).describe('shifts that no Z has taken in yet'),
})
export type ZReportList = z.infer<typeof ZReportList>
