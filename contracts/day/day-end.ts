import { z } from 'zod'
import { StaffId } from '../core/ids.ts'
import { Cents, Miles, cents } from '../core/money.ts'
import { PrintState, ReceiptDocument } from '../core/receipt.ts'
import { TaxCode } from '../core/regions.ts'
import { TenderKind } from '../payments/tenders/registry.ts'
import { MovementKind, ShiftId } from './shifts.ts'

const Count = z.int().min(0)
const Counted = z.object({ count: Count, amountCents: Cents })
const Taxes = z.array(z.object({ code: TaxCode, amountCents: Cents }))

/**
 * Totals of a tender type. `netCents` is taken − given back − refunded: the amount that it pays of sales, before cash
 * rounding.
 */
export const TenderTotals = z.object({
  kind: TenderKind,
  taken: Counted.describe('payments, less cash paid out for empty containers and balances of gift cards'),
  givenBack: Counted.describe('payments that were removed from their sale'),
  refunded: Counted.describe('refunds for returned goods'),
  netCents: Cents,
  roundingCents: Cents.describe('cash rounding: what the store gained (+) or forwent (−)'),
})
export type TenderTotals = z.infer<typeof TenderTotals>

/**
 * Totals of drawer shifts: an X report adds up the shifts since the last Z, a Z report the shifts that it closes, a
 * closing those of its Zs. Sales in training mode never count.
 */
export const DayTotals = z.object({
  sales: z.object({
    count: Count,
    grossCents: Cents.describe('goods before discounts and tax'),
    discountCents: Cents,
    netCents: Cents.describe('goods before tax'),
    taxes: Taxes,
    totalCents: Cents.describe('goods with tax, without gift cards, deposits and empties'),
    firstId: z.string().nullable(),
    lastId: z.string().nullable(),
  }),
  giftCards: Counted.default({ count: 0, amountCents: cents(0) }).describe(
    'gift cards sold: a liability. A Z made before this field has them in its sales and departments',
  ),
  deposits: z
    .object({ count: Count.describe('containers'), amountCents: Cents, returnedCents: Cents })
    .default({ count: 0, amountCents: cents(0), returnedCents: cents(0) })
    .describe('deposits charged, and refunded with returned goods: in no figure of sales and returns'),
  empties: Counted.default({ count: 0, amountCents: cents(0) }).describe('empty containers taken back; paid for them'),
  cashOuts: Counted.default({ count: 0, amountCents: cents(0) }).describe(
    'balances of gift cards paid out in cash; the payments of these cards and the cash are among the tenders',
  ),
  returns: z.object({ count: Count, netCents: Cents, taxes: Taxes, totalCents: Cents }),
  cancelled: Count.describe('cancelled sales'),
  departments: z.array(
    z.object({ id: z.string(), soldCents: Cents, returnedCents: Cents, netCents: Cents.describe('before tax') }),
  ),
  tenders: z.array(TenderTotals).describe('cheques include manufacturers’ coupons: see tenderRows'),
  manufacturerCoupons: z
    .object({ taken: Counted, givenBack: Counted })
    .default({ taken: { count: 0, amountCents: cents(0) }, givenBack: { count: 0, amountCents: cents(0) } })
    .describe('portion of the cheques that was paid with manufacturers’ coupons'),
  openSales: z
    .object({ beforeCents: Cents, afterCents: Cents })
    .describe('paid on sales that were not closed yet, at the beginning and at the end'),
  movements: z.array(z.object({ kind: MovementKind, count: Count, amountCents: Cents })),
  voidedLines: Count.describe('lines that remained voided'),
  priceChanges: Count,
  discounts: Count.describe('manual discounts on completed sales, without compensations for a wrong shelf price'),
  copies: Count.describe('documents reprinted as copies'),
  miles: z.object({
    redeemed: Miles,
    redeemedCents: Cents,
    issued: Miles.describe('confirmed by the program so far, without those taken back by returns'),
    unsent: Count.describe('calls that wait to be sent, regardless of the time of their sale'),
    undecided: Count.describe('calls with an unknown outcome that need a person, regardless of the time of their sale'),
  }),
})
export type DayTotals = z.infer<typeof DayTotals>

export const GrandTotals = z.object({
  sales: Count,
  salesCents: Cents.describe('sum of the sales totals of all Zs since the lane was installed'),
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
  broughtCents: Cents.describe('portion of the float that was not left in the drawer: taken from the safe'),
  toSafeCents: Cents.describe('moved to the safe at closing'),
  reason: z.string().nullable(),
})

/**
 * The newest entry of the journal or of the audit trail. A Z prints it, so that a copy of the database restored later
 * can be shown to lack entries.
 */
export const ChainHead = z.object({ seq: z.int().min(0), hash: z.string() })

export const ZReport = z.object({
  number: z.int().min(1),
  lane: z.string(),
  storeName: z.string(),
  at: z.string(),
  from: z.string().nullable().describe('end of the previous Z; null for the first'),
  closedBy: z.object({ id: StaffId, name: z.string() }),
  shifts: z.array(ZShift),
  totals: DayTotals,
  grandTotals: GrandTotals,
  journal: ChainHead,
  audit: ChainHead,
})
export type ZReport = z.infer<typeof ZReport>

/** GET /api/x-report returns the totals so far. They contain no cash until every drawer is closed. */
export const XReport = z.object({
  at: z.string(),
  from: z.string().nullable(),
  openShifts: z.array(z.object({ id: ShiftId, drawerOf: StaffId.nullable(), openedAt: z.string() })),
  totals: DayTotals.extend({
    openSales: DayTotals.shape.openSales.nullable().describe('null while cash is hidden: sales would reveal it'),
    cashHidden: z.boolean(),
  }),
})
export type XReport = z.infer<typeof XReport>

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
  next: z.int().min(1).describe('number of the next Z'),
  waiting: z.object({ closed: Count, counted: Count, open: Count }).describe('shifts that no Z contains yet'),
})
export type ZReportList = z.infer<typeof ZReportList>

/** A day (`2026-11-24`) or a month (`2026-11`) in store time. Its Zs are those whose first drawer was opened in it. */
export const ClosingPeriod = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])(-\d{2})?$/)
export const ClosingSpan = z.enum(['day', 'month'])
export type ClosingSpan = z.infer<typeof ClosingSpan>

const ZNumbers = z.array(z.object({ first: z.int().min(1), last: z.int().min(1) }))

export const Closing = z.object({
  period: ClosingPeriod,
  isOver: z.boolean().describe('it has ended and all its drawers are in a Z: it never changes again'),
  from: z.string().describe('when its first drawer was opened'),
  at: z.string().describe('time of its last Z'),
  closedBy: z.string().describe('the person who made its last Z'),
  zs: ZNumbers.describe('numbers of its Zs, as ranges without gaps'),
  shifts: Count,
  countedCents: Cents,
  differenceCents: Cents,
  totals: DayTotals,
  grandTotals: GrandTotals.describe('of its last Z'),
})
export type Closing = z.infer<typeof Closing>

/**
 * Id of a printed closing of a day or a month: `CLOSING20261124Z7`; it ends in X while Zs could still be added to the
 * period.
 */
export const ClosingPaperId = z.string().regex(/^CLOSING\d{6}(\d{2})?Z\d{1,9}X?$/)

export const ClosingPaper = z.object({
  id: z.string().describe('print id; changes when a Z is added, or the period is over'),
  print: PrintState.nullable().describe('of its newest print; null: never printed'),
  document: ReceiptDocument,
})
export type ClosingPaper = z.infer<typeof ClosingPaper>

export const ClosingList = z.object({
  closings: z.array(
    Closing.pick({ period: true, isOver: true, zs: true, differenceCents: true }).extend({
      sales: Count,
      totalCents: Cents,
      returnedCents: Cents,
    }),
  ),
  more: z.boolean(),
})
export type ClosingList = z.infer<typeof ClosingList>
