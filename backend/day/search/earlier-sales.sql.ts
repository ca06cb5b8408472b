import { z } from 'zod'
import type { EarlierSalesQuery, UnprintedDocument } from '../../../contracts/day/search.ts'
import { RefundKind } from '../../../contracts/payments/returns.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Database } from '../../core/db/database.ts'
import { perLane } from '../../core/context.ts'
import { CLOSED, IN_DOUBT, NOT_ON_PAPER, NOT_ON_PAPER_SQL, OTHER_UNPRINTED } from '../../payments/rows/receipts.sql.ts'

interface ClosedRow {
  readonly id: SaleId
  readonly sequence: number
  readonly closedAt: number
  readonly memberLast4: string | null
  readonly cashier: string
  /**
   * How many print jobs of the receipt were printed, are in progress, have an unknown outcome, and certainly printed
   * nothing.
   */
  readonly printed: number
  readonly printing: number
  readonly unknown: number
  readonly failed: number
}

export interface ClosedSaleRow extends ClosedRow {
  readonly state: 'completed' | 'cancelled'
}

export interface ReturnedRow extends ClosedRow {
  readonly state: 'returned'
  readonly ofSale: SaleId | null
  readonly totalCents: number
  readonly refunds: readonly RefundKind[]
}

/** A document that was not printed. For a shift, a Z report or a closing, `name` is its id in the print queue. */
export interface UnprintedRow {
  readonly paper: UnprintedDocument['paper']
  readonly id: string
  readonly name: string
  readonly at: number
  readonly totalCents: number | null
  readonly receipt: UnprintedDocument['receipt']
}

export interface Place {
  readonly closedAt: number
  readonly sequence: number
}

const jobs = (of: string, name: string, states: string): string =>
  `(SELECT count(*) FROM print_job WHERE ${of} AND state IN (${states})) AS ${name}`
const jobCounts = (of: string): string =>
  [
    jobs(of, 'printed', "'sent', 'confirmed'"),
    jobs(of, 'printing', "'queued'"),
    jobs(of, 'unknown', "'unknown'"),
    jobs(of, 'failed', "'failed'"),
  ].join(', ')
const SELECT = `SELECT sale.id, sale.sequence, sale.state, sale.closed_at AS closedAt, sale.member_last4 AS memberLast4,
  staff.name AS cashier,
  ${jobCounts("sale_id = sale.id AND kind = 'sale'")}`
const BEFORE = '(sale.closed_at, sale.sequence) < (@closedAt, @sequence)'
const NEWEST_FIRST = 'ORDER BY sale.closed_at DESC, sale.sequence DESC LIMIT @limit'
const CASHIER = 'JOIN staff ON staff.id = coalesce(sale.served_by, sale.cashier_id)'

const ENDS = 'substr(sale.id, -4) = substr(@q, -4) AND substr(sale.id, -length(@q)) = @q'

const RETURNED = `SELECT sale_return.id, sequence, 'returned' AS state, at AS closedAt, NULL AS memberLast4,
  staff.name AS cashier,
  coalesce(sale_id, (SELECT sale_id FROM store_return WHERE return_id = sale_return.id)) AS ofSale,
  total_cents AS totalCents,
  (SELECT json_group_array(kind)
  FROM (SELECT DISTINCT kind FROM refund WHERE return_id = sale_return.id ORDER BY number)) AS refunds,
  (SELECT json_group_array(kind)
  FROM (SELECT DISTINCT kind FROM store_refund WHERE return_id = sale_return.id ORDER BY number)) AS refundsElsewhere,
  ${jobCounts('return_id = sale_return.id')}
  FROM sale_return JOIN staff ON staff.id = sale_return.cashier_id`
const RETURNED_BEFORE = '(at, sequence) < (@closedAt, @sequence) ORDER BY at DESC, sequence DESC LIMIT @limit'

/** A document of a drawer or a day has the time of its first print job. */
const FIRST_JOB_AT = 'SELECT min(created_at) FROM print_job WHERE subject = unprinted.subject'
const JOBS_OF_UNPRINTED = `FROM print_job AS job WHERE (job.return_id = unprinted.return_id
  OR job.voucher_id = unprinted.voucher_id OR job.subject = unprinted.subject)`
const UNPRINTED = `SELECT coalesce(voucher.kind, unprinted.kind) AS paper,
  coalesce(sale_return.id, voucher.id, unprinted.subject) AS id,
  coalesce(substr(sale_return.id, -6), voucher.last4, cash_movement.kind, unprinted.subject) AS name,
  coalesce(sale_return.at, voucher.issued_at, (${FIRST_JOB_AT})) AS at,
  coalesce(sale_return.total_cents,
  (SELECT sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END) FROM voucher_entry
  WHERE voucher_id = voucher.id), nullif(abs(cash_movement.amount_cents), 0)) AS totalCents,
  CASE WHEN EXISTS (SELECT 1 ${JOBS_OF_UNPRINTED} AND job.state = 'queued') THEN 'printing'
  WHEN EXISTS (SELECT 1 ${JOBS_OF_UNPRINTED} AND job.state = 'unknown') THEN 'unknown'
  ELSE 'not-printed' END AS receipt
  FROM (SELECT doubt.* FROM ${OTHER_UNPRINTED}) AS unprinted
  LEFT JOIN sale_return ON sale_return.id = unprinted.return_id LEFT JOIN voucher ON voucher.id = unprinted.voucher_id
  LEFT JOIN cash_movement ON unprinted.kind = 'cash-movement'
    AND cash_movement.id = CAST(substr(unprinted.subject, ${'CASH'.length + 1}) AS INTEGER)
  ORDER BY at DESC LIMIT 50`

/** SQL of each list of sales. A test checks the query plans. */
export const EARLIER_SALES_SQL = {
  all: `${SELECT} FROM sale ${CASHIER} WHERE ${CLOSED} AND ${BEFORE} ${NEWEST_FIRST}`,
  'not-on-paper': `${SELECT} FROM ${IN_DOUBT} ${CASHIER}
    WHERE ${CLOSED} AND ${NOT_ON_PAPER} AND ${BEFORE} ${NEWEST_FIRST}`,
  // `+` makes SQLite use the index of the last characters of sale numbers.
  found: `${SELECT} FROM sale ${CASHIER} WHERE ${ENDS} AND +sale.lane = @lane AND sale.state <> 'open'
    AND ${BEFORE} ${NEWEST_FIRST}`,
  returned: `${RETURNED} WHERE sale_return.lane = @lane AND ${RETURNED_BEFORE}`,
  returnedFound: `${RETURNED} WHERE ${ENDS.replaceAll('sale.id', 'sale_return.id')} AND +sale_return.lane = @lane
    AND ${RETURNED_BEFORE}`,
  ...NOT_ON_PAPER_SQL,
  unprinted: UNPRINTED,
  last: `SELECT id FROM sale WHERE lane = @lane AND state <> 'open' AND state = 'completed'
    ORDER BY closed_at DESC, sequence DESC LIMIT 1`,
} as const

const Refunds = z.string().transform((text) => z.array(RefundKind).parse(JSON.parse(text)))
type StoredReturn = Omit<ReturnedRow, 'refunds'> & { readonly refunds: string; readonly refundsElsewhere: string }

const returnedRowOf = ({ refunds, refundsElsewhere, ...row }: StoredReturn): ReturnedRow => ({
  ...row,
  refunds: [...Refunds.parse(refunds), ...Refunds.parse(refundsElsewhere)],
})

const newestFirst = (one: Place, other: Place): number => other.closedAt - one.closedAt || other.sequence - one.sequence

interface ListQuery extends Place {
  readonly lane: string
  readonly limit: number
}

export function createEarlierSalesRepository(db: Database, lane: string) {
  const all = db.prepare<[ListQuery], ClosedSaleRow>(EARLIER_SALES_SQL.all)
  const notOnPaper = db.prepare<[ListQuery], ClosedSaleRow>(EARLIER_SALES_SQL['not-on-paper'])
  const found = db.prepare<[ListQuery & { q: string }], ClosedSaleRow>(EARLIER_SALES_SQL.found)
  const returned = db.prepare<[ListQuery], StoredReturn>(EARLIER_SALES_SQL.returned)
  const returnedFound = db.prepare<[ListQuery & { q: string }], StoredReturn>(EARLIER_SALES_SQL.returnedFound)
  const unprinted = db.prepare<[], UnprintedRow>(EARLIER_SALES_SQL.unprinted)
  const last = db.prepare<[{ lane: string }], SaleId>(EARLIER_SALES_SQL.last).pluck()
  return {
    /**
     * Returns at most `limit` closed sales and goods returns that follow the position, newest first. A search ignores
     * the filter. Documents other than receipts have a list of their own.
     */
    list(
      { filter, q, limit }: Pick<EarlierSalesQuery, 'filter' | 'q' | 'limit'>,
      before: Place,
    ): (ClosedSaleRow | ReturnedRow)[] {
      const asked = { lane, limit, closedAt: before.closedAt, sequence: before.sequence }
      if (q === undefined && filter !== 'all') return notOnPaper.all(asked)
      const sales = q === undefined ? all.all(asked) : found.all({ ...asked, q })
      const returns = q === undefined ? returned.all(asked) : returnedFound.all({ ...asked, q })
      return [...sales, ...returns.map(returnedRowOf)].sort(newestFirst).slice(0, limit)
    },
    unprinted: (): UnprintedRow[] => unprinted.all(),
    lastCompleted: (): SaleId | null => last.get({ lane }) ?? null,
  }
}

export const earlierSaleRowsOf = perLane(({ db, lane }) => createEarlierSalesRepository(db, lane.id))
