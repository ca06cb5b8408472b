import { ATTENTION_STATES, UNRESOLVED } from '../../core/outbox/operation-lists.ts'
import { CHARGE_SKUS, EMPTIES_SKU } from '../../../contracts/catalog/goods.ts'
import type { Database } from '../../core/db/database.ts'
import {
  ISSUED_MILES,
  REDEEMED_FIGURES,
  REFUND_FIGURES,
  RETURNED_NET,
  EFFECTIVE_DISCOUNT,
  EFFECTIVE_VOID,
  type ZOpening,
  Z_OPENINGS,
} from '../day-end/day-end.sql.ts'
import type { MeasureUnit } from '../../../contracts/catalog/measure-units.ts'
import { TENDER_KIND } from '../../sales/sale/sales.sql.ts'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { perLane } from '../../core/context.ts'

/** A span of time at a lane from one moment (epoch ms) up to, but not including, another. */
export interface Span {
  readonly lane: string
  readonly from: number
  readonly before: number
}

export interface SoldRow {
  readonly at: number
  readonly person: string
  readonly state: 'completed' | 'cancelled'
  readonly totals: string | null
}

export interface ReturnedRow {
  readonly at: number
  readonly person: string
  readonly netCents: number
  readonly taxes: string
  readonly totalCents: number
  readonly depositCents: number
}

export interface Amount {
  readonly id: string
  readonly count: number
  readonly cents: number
}

export interface Calls {
  readonly miles: number
  readonly unsent: number
  readonly undecided: number
}

/** Condition for closed sales of a lane in a span. It must use the index of closed sales by time. */
const CLOSED = `sale.lane = +@lane AND sale.state <> 'open' AND sale.closed_at >= @from AND sale.closed_at < @before`
const COMPLETED = `${CLOSED} AND sale.state = 'completed'`
const RETURNED = 'sale_return.lane = +@lane AND sale_return.at >= @from AND sale_return.at < @before'
const AUDITED = 'audit_entry.at >= @from AND audit_entry.at < @before'
const SALES = 'sale INDEXED BY sale_closed'
const CALLS = `${ISSUED_MILES} AS miles,
  coalesce(sum(operation.open AND operation.kind <> 'offer-state'), 0) AS unsent,
  count(CASE WHEN operation.id IN (SELECT id FROM operation WHERE ${ATTENTION_STATES} AND ${UNRESOLVED}) THEN 1 END)
    AS undecided`

const refundsIn = (table: string): string => `SELECT refund.kind AS id, ${REFUND_FIGURES}
    FROM sale_return CROSS JOIN ${table} AS refund ON refund.return_id = sale_return.id
    WHERE ${RETURNED} GROUP BY refund.kind`

/** SQL for the id of the deposit, fee or class of empties of a line; NULL for goods. */
const CLASS = (table: string): string =>
  `iif(${table}.sku IN ('${CHARGE_SKUS.deposit}', '${CHARGE_SKUS.fee}', '${EMPTIES_SKU}'), ${table}.category_id, NULL)`

/** SQL for the name of the item of a line; the name of a weighed line also has its weight and price. */
const ITEM_NAME = (table: string): string => `coalesce(json_extract(${table}.measure, '$.name'), ${table}.names)`
/**
 * SQL for the last term of a GROUP BY: deposits, fees and empties are also grouped by name, because the name contains
 * the number of containers.
 */
const BY_CONTAINERS = (table: string): string => `iif(class IS NULL, NULL, ${table}.names)`
/** SQL for the deposits of a return, which are in no figure of returns. */
const DEPOSITS_OF = (returnId: string): string => `(SELECT coalesce(sum(quantity * unit_price_cents), 0)
      FROM return_line WHERE return_id = ${returnId} AND sku = '${CHARGE_SKUS.deposit}')`

export const REPORT_SQL = {
  sold: `SELECT sale.closed_at AS at, coalesce(sale.served_by, sale.cashier_id) AS person, sale.state, sale.totals
    FROM ${SALES} WHERE ${CLOSED}
      AND NOT EXISTS (SELECT 1 FROM gift_card_cash_out AS paid WHERE paid.sale_id = sale.id)`,
  lines: `SELECT line.sku AS id, ${ITEM_NAME('line')} AS name, ${CLASS('line')} AS class, sum(line.quantity) AS count,
    sum(line.quantity * line.unit_price_cents) AS cents
    FROM ${SALES} CROSS JOIN sale_line AS line ON line.sale_id = sale.id AND line.voided = 0
    WHERE ${COMPLETED} GROUP BY line.sku, class, ${BY_CONTAINERS('line')}`,
  // Net quantities of lines sold by measure.
  measured: `SELECT line.sku AS id, json_extract(line.measure, '$.unit') AS unit,
    sum(json_extract(line.measure, '$.netThousandths')) AS thousandths
    FROM ${SALES} CROSS JOIN sale_line AS line ON line.sale_id = sale.id AND line.voided = 0
    WHERE ${COMPLETED} AND line.measure IS NOT NULL GROUP BY 1, 2`,
  returnedMeasures: `SELECT line.sku AS id, json_extract(line.measure, '$.unit') AS unit,
    -sum(json_extract(line.measure, '$.netThousandths')) AS thousandths
    FROM sale_return CROSS JOIN return_line AS line ON line.return_id = sale_return.id
    WHERE ${RETURNED} AND line.measure IS NOT NULL GROUP BY 1, 2`,
  // A payment that was given back has two rows, which cancel each other out. Cash paid out for empties counts as a
  // payment.
  tenders: `SELECT ${TENDER_KIND} AS id, sum(iif(tender.takes_back IS NULL, 1, -1)) AS count,
    sum(tender.amount_cents) AS cents, sum(tender.rounding_cents) AS roundingCents
    FROM ${SALES} CROSS JOIN tender ON tender.sale_id = sale.id WHERE ${COMPLETED} GROUP BY 1`,
  redeemed: `SELECT count(DISTINCT sale.id) AS sales, ${REDEEMED_FIGURES}
    FROM ${SALES} CROSS JOIN tender ON tender.sale_id = sale.id AND tender.kind = 'miles' AND tender.takes_back IS NULL
      AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = sale.id AND back.takes_back = tender.number)
    CROSS JOIN operation ON operation.id = tender.operation_id WHERE ${COMPLETED}`,
  calls: `SELECT ${CALLS} FROM ${SALES} CROSS JOIN operation ON operation.sale_id = sale.id WHERE ${CLOSED}`,
  // Number of sales with each promotion, and the sum of its reductions.
  promotions: `SELECT discount.promotion AS id, max(discount.names) AS name, count(DISTINCT sale.id) AS count,
    sum(discount.off_cents) AS cents
    FROM ${SALES} CROSS JOIN sale_discount AS discount
      ON discount.sale_id = sale.id AND discount.promotion IS NOT NULL AND discount.removed = 0
    WHERE ${COMPLETED} GROUP BY discount.promotion`,
  // Number of sales with each store coupon. The row of a promotion also has a coupon code, for an earlier program.
  coupons: `SELECT discount.coupon AS id, max(discount.names) AS name, count(DISTINCT sale.id) AS count, 0 AS cents
    FROM ${SALES} CROSS JOIN sale_discount AS discount ON discount.sale_id = sale.id
      AND discount.coupon IS NOT NULL AND discount.promotion IS NULL AND discount.removed = 0
    WHERE ${COMPLETED} GROUP BY discount.coupon`,
  // Manufacturers' coupons by their number, less those given back.
  manufacturerCoupons: `SELECT tender.reference AS id, coalesce(max(tender.coupon -> '$.name'), 'null') AS name,
    sum(sign(tender.amount_cents)) AS count, sum(tender.amount_cents) AS cents
    FROM ${SALES} CROSS JOIN tender ON tender.sale_id = sale.id AND tender.coupon IS NOT NULL
    WHERE ${COMPLETED} GROUP BY tender.reference`,
  // Items whose shelf price was below the scanned price: corrected lines, and the compensations that were given.
  corrections: `SELECT line.sku AS id, max(${ITEM_NAME('line')}) AS name, count(*) AS count,
    coalesce(sum(discount.off_cents), 0) AS cents
    FROM ${SALES} CROSS JOIN price_correction AS correction ON correction.sale_id = sale.id
    CROSS JOIN sale_line AS line ON line.sale_id = sale.id AND line.number = correction.line_number
      AND line.voided = 0 AND line.unit_price_cents = correction.shelf_cents
    LEFT JOIN sale_discount AS discount ON discount.sale_id = sale.id
      AND discount.number = correction.discount_number AND discount.removed = 0
    WHERE ${COMPLETED} GROUP BY line.sku`,
  cashOuts: `SELECT paid.staff_id AS id, count(*) AS count, sum(paid.amount_cents) AS cents
    FROM ${SALES} CROSS JOIN gift_card_cash_out AS paid ON paid.sale_id = sale.id WHERE ${CLOSED} GROUP BY 1`,
  // Sales with empty containers and what was paid for them, by the person who served: the approval limit is per sale.
  emptiesPaid: `SELECT coalesce(sale.served_by, sale.cashier_id) AS id, count(DISTINCT sale.id) AS count,
    -sum(line.quantity * line.unit_price_cents) AS cents
    FROM ${SALES} CROSS JOIN sale_line AS line ON line.sale_id = sale.id AND line.voided = 0
      AND line.sku = '${EMPTIES_SKU}'
    WHERE ${COMPLETED} GROUP BY 1`,
  // Discounts on a line or a sale that were not removed, by the person who gave them.
  discounts: `SELECT audit_entry.actor_id AS id, count(*) AS count,
    sum(json_extract(audit_entry.detail, '$.before') - json_extract(audit_entry.detail, '$.after')) AS cents
    FROM ${SALES} ${EFFECTIVE_DISCOUNT}
    CROSS JOIN audit_entry INDEXED BY audit_entry_subject ON audit_entry.subject = sale.id
      AND audit_entry.kind = 'discount-given' AND json_extract(audit_entry.detail, '$.discount') = discount.number
    WHERE ${COMPLETED} GROUP BY 1`,
  voids: `SELECT audit_entry.actor_id AS id, count(*) AS count, sum(json_extract(audit_entry.detail, '$.quantity')
      * json_extract(audit_entry.detail, '$.unitPriceCents')) AS cents
    FROM audit_entry INDEXED BY audit_entry_kind ${EFFECTIVE_VOID}
    WHERE audit_entry.kind = 'line-voided' AND ${AUDITED} GROUP BY 1`,
  prices: `SELECT actor_id AS id, count(*) AS count, 0 AS cents FROM audit_entry INDEXED BY audit_entry_kind
    WHERE kind = 'price-changed' AND ${AUDITED} GROUP BY 1`,
  noSales: `SELECT actor_id AS id, count(*) AS count, 0 AS cents FROM audit_entry INDEXED BY audit_entry_kind
    WHERE kind = 'cash-no-sale' AND ${AUDITED} GROUP BY 1`,
  returned: `SELECT at, cashier_id AS person, subtotal_cents AS netCents, taxes, total_cents AS totalCents,
    ${DEPOSITS_OF('sale_return.id')} AS depositCents
    FROM sale_return WHERE ${RETURNED}`,
  returnedLines: `SELECT return_line.sku AS id, ${ITEM_NAME('return_line')} AS name,
    return_line.department_id AS department, ${CLASS('return_line')} AS class,
    sum(return_line.quantity) AS count, sum(return_line.quantity * return_line.unit_price_cents) AS cents,
    ${RETURNED_NET} AS netCents
    FROM sale_return CROSS JOIN return_line ON return_line.return_id = sale_return.id
    WHERE ${RETURNED} GROUP BY return_line.sku, return_line.department_id, class,
      ${BY_CONTAINERS('return_line')}`,
  returnReasons: `SELECT iif(sale_return.sale_id IS NULL AND elsewhere.return_id IS NULL, 'unrecorded',
      coalesce(iif(elsewhere.return_id IS NULL, sale_return.reason, elsewhere.reason), 'none')) AS id,
    count(*) AS count, sum(sale_return.total_cents - ${DEPOSITS_OF('sale_return.id')}) AS cents
    FROM sale_return LEFT JOIN store_return AS elsewhere ON elsewhere.return_id = sale_return.id
    WHERE ${RETURNED} GROUP BY 1`,
  // Value of the returns that broke each rule; a return that broke two rules counts for both.
  returnRules: `SELECT json_extract(detail, '$.rule') AS id, count(*) AS count,
    sum(json_extract(detail, '$.totalCents') - ${DEPOSITS_OF('audit_entry.subject')}) AS cents
    FROM audit_entry INDEXED BY audit_entry_kind
    WHERE kind = 'return-rule-overridden' AND ${AUDITED} GROUP BY 1`,
  refunds: refundsIn('refund'),
  refundsElsewhere: refundsIn('store_refund'),
  returnedCalls: `SELECT ${CALLS} FROM sale_return CROSS JOIN operation ON operation.sale_id = sale_return.id
    WHERE ${RETURNED}`,
  // May scan the table, because the table has only a few rows a day.
  shifts: `SELECT coalesce(drawer_of, opened_by) AS id, count(*) AS count,
    sum(json_extract(closing, '$.result.cash.differenceCents')) AS cents
    FROM shift WHERE lane = @lane AND closed_at >= @from AND closed_at < @before GROUP BY 1`,
} as const

interface MeasuredItem {
  readonly id: string
  readonly unit: MeasureUnit
  readonly thousandths: number
}
type Named = Amount & { readonly name: string }
type Line = Named & { readonly class: string | null }
type Paid = Amount & { readonly roundingCents: number }

export type ReportRepository = ReturnType<typeof createReportRepository>

/** Reads sales and other events of a lane in a span of time, by a read-only connection of its own. */
export function createReportRepository(db: Database) {
  const amounts = (sql: string) => db.prepare<[Span], Amount>(sql)
  const sold = db.prepare<[Span], SoldRow>(REPORT_SQL.sold)
  const lines = db.prepare<[Span], Line>(REPORT_SQL.lines)
  const measured = [
    db.prepare<[Span], MeasuredItem>(REPORT_SQL.measured),
    db.prepare<[Span], MeasuredItem>(REPORT_SQL.returnedMeasures),
  ] as const
  const redeemed = db.prepare<[Span], { sales: number; cents: number; miles: number }>(REPORT_SQL.redeemed)
  const calls = [
    db.prepare<[Span], Calls>(REPORT_SQL.calls),
    db.prepare<[Span], Calls>(REPORT_SQL.returnedCalls),
  ] as const
  const tenders = db.prepare<[Span], Paid>(REPORT_SQL.tenders)
  const promotions = db.prepare<[Span], Named>(REPORT_SQL.promotions)
  const coupons = db.prepare<[Span], Named>(REPORT_SQL.coupons)
  const manufacturerCoupons = db.prepare<[Span], Named>(REPORT_SQL.manufacturerCoupons)
  const corrections = db.prepare<[Span], Named>(REPORT_SQL.corrections)
  const cashOuts = amounts(REPORT_SQL.cashOuts)
  const emptiesPaid = amounts(REPORT_SQL.emptiesPaid)
  const discounts = amounts(REPORT_SQL.discounts)
  const voids = db.prepare<[Omit<Span, 'lane'>], Amount>(REPORT_SQL.voids)
  const prices = db.prepare<[Omit<Span, 'lane'>], Amount>(REPORT_SQL.prices)
  const noSales = db.prepare<[Omit<Span, 'lane'>], Amount>(REPORT_SQL.noSales)
  const returnReasons = amounts(REPORT_SQL.returnReasons)
  const returnRules = db.prepare<[Omit<Span, 'lane'>], Amount>(REPORT_SQL.returnRules)
  const returned = db.prepare<[Span], ReturnedRow>(REPORT_SQL.returned)
  const returnedLines = db.prepare<[Span], Line & { department: string; netCents: number }>(REPORT_SQL.returnedLines)
  const refunds = [
    db.prepare<[Span], Paid>(REPORT_SQL.refunds),
    db.prepare<[Span], Paid>(REPORT_SQL.refundsElsewhere),
  ] as const
  const shifts = amounts(REPORT_SQL.shifts)
  return {
    sold: (span: Span) => sold.iterate(span),
    lines: (span: Span) => lines.all(span),
    /** Quantities of items sold by measure; those of returns are negative. */
    measured: (span: Span): MeasuredItem[] => measured.flatMap((statement) => statement.all(span)),
    tenders: (span: Span) => tenders.all(span),
    redeemed: (span: Span) => redeemed.get(span) ?? { sales: 0, cents: 0, miles: 0 },
    calls: (span: Span): Calls[] => calls.flatMap((statement) => statement.get(span) ?? []),
    promotions: (span: Span) => promotions.all(span),
    coupons: (span: Span) => coupons.all(span),
    manufacturerCoupons: (span: Span) => manufacturerCoupons.all(span),
    corrections: (span: Span) => corrections.all(span),
    cashOuts: (span: Span) => cashOuts.all(span),
    emptiesPaid: (span: Span) => emptiesPaid.all(span),
    discounts: (span: Span) => discounts.all(span),
    voids: ({ from, before }: Span) => voids.all({ from, before }),
    prices: ({ from, before }: Span) => prices.all({ from, before }),
    noSales: ({ from, before }: Span) => noSales.all({ from, before }),
    returnReasons: (span: Span) => returnReasons.all(span),
    returnRules: ({ from, before }: Span) => returnRules.all({ from, before }),
    returned: (span: Span) => returned.all(span),
    returnedLines: (span: Span) => returnedLines.all(span),
    /**
     * Sums of refunds by kind. A kind may have two rows: refunds for the lane’s own sales, and for sales of other
     * lanes.
     */
    refunds: (span: Span) => refunds.flatMap((statement) => statement.all(span)),
    shifts: (span: Span) => shifts.all(span),
  }
}

const Z_REPORT = 'SELECT report FROM z_report WHERE number = ?'
/**
 * Selects entries by their place in the journal, not by time: after a change of the clock an entry would otherwise be
 * in two Zs or in none. Reads all entries of a day, of which few match.
 */
export const LATE_CREDIT = `SELECT coalesce(sum(amount_cents), 0) FROM journal_entry
  CROSS JOIN voucher_entry ON voucher_entry.operation_id = journal_entry.operation_id AND voucher_entry.kind = 'issued'
  WHERE seq > @after AND seq <= @to AND to_state = 'reversal-expired'`
const ENTRY_BEFORE = 'SELECT last_entry FROM z_report WHERE number < ? ORDER BY number DESC LIMIT 1'

export interface AccountedZ {
  readonly report: ZReport
  /** Time (epoch ms) at which the first drawer of the Z was opened. */
  readonly openedAt: number
  /** Store credit in cents, issued since the previous Z for miles that could no longer be reversed. */
  readonly lateCreditCents: number
}

export function createAccountingRepository(db: Database) {
  const openings = db.prepare<[], ZOpening>(Z_OPENINGS)
  const byNumber = db.prepare<[number], string>(Z_REPORT).pluck()
  const lateCredit = db.prepare<[{ after: number; to: number }], number>(LATE_CREDIT).pluck()
  const entryBefore = db.prepare<[number], number>(ENTRY_BEFORE).pluck()
  return {
    /**
     * Yields, in order, the Zs for which `isWanted` accepts the time (epoch ms) at which their first drawer was opened.
     * Reads one Z at a time.
     */
    *zReports(isWanted: (openedAt: number) => boolean): Generator<AccountedZ> {
      for (const { number, openedAt } of openings.all()) {
        const row = isWanted(openedAt) ? byNumber.get(number) : undefined
        if (row === undefined) continue
        const report = ZReport.parse(JSON.parse(row))
        const span = { after: entryBefore.get(report.number) ?? 0, to: report.journal.seq }
        yield { report, openedAt, lateCreditCents: lateCredit.get(span) ?? 0 }
      }
    },
  }
}

export const accountingRowsOf = perLane(({ db }) => createAccountingRepository(db))
