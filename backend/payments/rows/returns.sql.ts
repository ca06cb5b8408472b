import { z } from 'zod'
import { ReturnTotals, type RefundKind } from '../../../contracts/payments/returns.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import type { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import type { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import { type Database, namesOf } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { lineDiscount, type BasketLine, type Pieces } from '../../sales/sale/basket.ts'
import { storedMeasure, storedNames } from '../../sales/sale/sales.sql.ts'
import { perLane } from '../../core/context.ts'

export interface ReturnRow {
  readonly id: SaleId
  readonly saleId: SaleId | null
  readonly cashierId: string
  readonly approvedBy: string | null
  readonly reason: string | null
  readonly at: number
  readonly totals: ReturnTotals
}

export interface ReturnLineRow {
  readonly number: number
  readonly saleLineNumber: number | null
  readonly sku: string
  readonly name: Names
  readonly quantity: number
  readonly unitPriceCents: number
  readonly discountCents: number
  readonly taxCategory: TaxCategory
  readonly taxRule: TaxRule | null
  readonly departmentId: string
  readonly categoryId: string | null
  readonly measure: LineMeasure | null
}

export interface RefundRow {
  readonly number: number
  readonly kind: RefundKind
  readonly paidBy: PaidBy | null
  readonly amountCents: number
  readonly roundingCents: number
  /** Number of the card slip, confirmation number of the redemption, or last four characters of the store credit. */
  readonly reference: string | null
  readonly operationId: string | null
  readonly voucherId: string | null
}

type Stored = Omit<ReturnRow, 'totals'> & { subtotalCents: number; taxes: string; totalCents: number }

/** For a return of another lane's sale, the table `store_return` has sale, approver and reason (migration 0004). */
const RETURN = `SELECT id, coalesce(sale_return.sale_id, elsewhere.sale_id) AS saleId, cashier_id AS cashierId,
    iif(elsewhere.return_id IS NULL, sale_return.approved_by, elsewhere.approved_by) AS approvedBy,
    iif(elsewhere.return_id IS NULL, sale_return.reason, elsewhere.reason) AS reason, at,
    subtotal_cents AS subtotalCents, taxes, total_cents AS totalCents
  FROM sale_return LEFT JOIN store_return AS elsewhere ON elsewhere.return_id = sale_return.id`
const LINE = `SELECT number, sale_line_number AS saleLineNumber, sku, names, quantity,
  unit_price_cents AS unitPriceCents,
  discount_cents AS discountCents, tax_category AS taxCategory, tax_rule AS taxRule,
  department_id AS departmentId, category_id AS categoryId, measure FROM return_line`
const refundsIn = (
  table: string,
): string => `SELECT refund.number AS number, kind, paid_by AS paidBy, amount_cents AS amountCents,
    rounding_cents AS roundingCents, reference, operation_id AS operationId, voucher_id AS voucherId
    FROM ${table} AS refund`
const REFUND = refundsIn('refund')
const REFUND_ELSEWHERE = refundsIn('store_refund')

/**
 * SQL for the value, in cents, of what one person took back at a lane since an instant, except goods of this lane's
 * sales. It includes goods of other lanes' sales, which `RECORDED_ELSEWHERE` sums.
 */
export const UNRECORDED_CENTS = `SELECT coalesce(sum(total_cents), 0) FROM sale_return
  WHERE lane = @lane AND at >= @from AND +sale_id IS NULL AND cashier_id = @cashierId`
const RECORDED_ELSEWHERE = `SELECT coalesce(sum(total_cents), 0) FROM sale_return
  CROSS JOIN store_return ON store_return.return_id = sale_return.id
  WHERE lane = @lane AND at >= @from AND cashier_id = @cashierId`

/** SQL for the number and value, in cents, of the returns of a lane, or of one person there, since an instant. */
export const MADE_RETURNS = `SELECT count(*) AS count, coalesce(sum(total_cents), 0) AS totalCents FROM sale_return
  WHERE lane = @lane AND at >= @from AND (@cashierId IS NULL OR cashier_id = @cashierId)`

const Taxes = z.string().transform((text) => ReturnTotals.shape.taxes.parse(JSON.parse(text)))
const rowOf = ({ subtotalCents, taxes, totalCents, ...row }: Stored): ReturnRow => ({
  ...row,
  totals: ReturnTotals.parse({ subtotalCents, taxes: Taxes.parse(taxes), totalCents }),
})
function createReturnRows(db: Database) {
  const insert = db.prepare(`INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, approved_by, reason, at,
      subtotal_cents, taxes, total_cents, shift_id)
    VALUES (@id, @sequence, @saleId, @lane, @cashierId, @approvedBy, @reason, @at, @subtotalCents, @taxes,
    @totalCents, @shiftId)`)
  const insertLine =
    db.prepare(`INSERT INTO return_line (return_id, number, sale_line_number, sku, names, quantity, unit_price_cents,
      discount_cents, tax_category, tax_rule, department_id, category_id, measure)
    VALUES (@returnId, @number, @saleLineNumber, @sku, @names, @quantity, @unitPriceCents, @discountCents, @taxCategory,
    @taxRule, @departmentId, @categoryId, @measure)`)
  const byId = db.prepare<[string], Stored>(`${RETURN} WHERE id = ?`)
  const ofSale = db.prepare<[string], Stored>(`${RETURN} WHERE sale_return.sale_id = +? ORDER BY sequence`)
  const ofSaleElsewhere = db.prepare<[string], Stored>(`${RETURN} WHERE elsewhere.sale_id = +? ORDER BY sequence`)
  const lines = db.prepare<
    [string],
    Omit<ReturnLineRow, 'name' | 'measure'> & { names: string; measure: string | null }
  >(`${LINE} WHERE return_id = +? ORDER BY number`)
  const returnedElsewhere = db.prepare<
    [string],
    Pieces
  >(`SELECT sale_line_number AS number, sum(quantity) AS quantity FROM store_return_line
    JOIN store_return ON store_return.return_id = store_return_line.return_id WHERE sale_id = ?
    GROUP BY sale_line_number`)
  const returned = db.prepare<
    [string],
    Pieces
  >(`SELECT sale_line_number AS number, sum(quantity) AS quantity FROM return_line
    JOIN sale_return ON sale_return.id = return_line.return_id WHERE sale_id = ? GROUP BY sale_line_number`)

  return {
    insert(tx: Tx, { totals, ...row }: ReturnRow & { sequence: number; lane: string; shiftId: number }): void {
      tx.run(insert, {
        ...row,
        subtotalCents: totals.subtotalCents,
        taxes: JSON.stringify(totals.taxes),
        totalCents: totals.totalCents,
      })
    },
    insertLines(tx: Tx, { id, saleId }: Pick<ReturnRow, 'id' | 'saleId'>, lines: readonly BasketLine[]): void {
      for (const [index, line] of lines.entries()) {
        tx.run(insertLine, {
          returnId: id,
          number: index + 1,
          saleLineNumber: saleId === null ? null : line.number,
          sku: line.sku,
          ...storedNames({ name: line.name, measure: line.measure ?? null }),
          quantity: line.quantity,
          unitPriceCents: line.unitPriceCents,
          discountCents: lineDiscount(line),
          taxCategory: line.taxCategory,
          taxRule: line.taxRule ?? null,
          departmentId: line.departmentId,
          categoryId: line.categoryId,
        })
      }
    },
    byId(id: string): ReturnRow | undefined {
      const row = byId.get(id)
      return row && rowOf(row)
    },
    ofSale: (saleId: string): ReturnRow[] => [...ofSale.all(saleId), ...ofSaleElsewhere.all(saleId)].map(rowOf),
    lines: (returnId: string): ReturnLineRow[] =>
      lines.all(returnId).map(({ names, measure, ...line }) => ({
        ...line,
        name: namesOf(names),
        measure: null,
        ...storedMeasure(measure),
      })),
    returned: (saleId: string): Pieces[] => [...returned.all(saleId), ...returnedElsewhere.all(saleId)],
  }
}

function createRefundRows(db: Database) {
  const insertRefund =
    db.prepare(`INSERT INTO refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, reference,
      operation_id, voucher_id)
    VALUES (@returnId, @number, @kind, @paidBy, @amountCents, @roundingCents, @reference, @operationId, @voucherId)`)
  const refunds = db.prepare<[string], RefundRow>(`${REFUND} WHERE return_id = +? ORDER BY number`)
  const refundsElsewhere = db.prepare<[string], RefundRow>(`${REFUND_ELSEWHERE} WHERE return_id = +? ORDER BY number`)
  const refundsOfSaleElsewhere = db.prepare<[string], RefundRow>(
    `${REFUND_ELSEWHERE} JOIN store_return ON store_return.return_id = refund.return_id WHERE store_return.sale_id = ?
      ORDER BY refund.return_id, refund.number`,
  )
  const refundsOfSale = db.prepare<[string], RefundRow>(
    `${REFUND} JOIN sale_return ON sale_return.id = refund.return_id WHERE sale_return.sale_id = ?
      ORDER BY sequence, refund.number`,
  )
  const unrecordedCents = db
    .prepare<{ lane: string; cashierId: string; from: number }, number>(UNRECORDED_CENTS)
    .pluck()
  const recordedElsewhere = db
    .prepare<{ lane: string; cashierId: string; from: number }, number>(RECORDED_ELSEWHERE)
    .pluck()
  const made = db.prepare<
    { lane: string; cashierId: string | null; from: number },
    { count: number; totalCents: number }
  >(MADE_RETURNS)
  const reversedBy = db.prepare<[string], { returnId: SaleId; amountCents: number }>(
    'SELECT return_id AS returnId, amount_cents AS amountCents FROM refund WHERE operation_id = ?',
  )
  const reversedElsewhere = db.prepare<[string], { returnId: SaleId; amountCents: number }>(
    'SELECT return_id AS returnId, amount_cents AS amountCents FROM store_refund WHERE operation_id = ?',
  )

  return {
    insertRefund: (tx: Tx, returnId: string, refund: RefundRow): void =>
      void tx.run(insertRefund, { returnId, ...refund }),
    refunds: (returnId: string): RefundRow[] => [...refunds.all(returnId), ...refundsElsewhere.all(returnId)],
    refundsOfSale: (saleId: string): RefundRow[] => [
      ...refundsOfSale.all(saleId),
      ...refundsOfSaleElsewhere.all(saleId),
    ],
    unrecordedCents: (of: { readonly lane: string; readonly cashierId: string; readonly from: number }): Cents =>
      cents((unrecordedCents.get(of) ?? 0) - (recordedElsewhere.get(of) ?? 0)),
    madeSince: (of: { readonly lane: string; readonly cashierId: string | null; readonly from: number }) =>
      made.get(of) ?? { count: 0, totalCents: 0 },
    reversedBy: (operationId: string) => reversedBy.get(operationId) ?? reversedElsewhere.get(operationId),
  }
}

export const createReturnsRepository = (db: Database) => ({
  ...createReturnRows(db),
  ...createRefundRows(db),
})

export const returnRowsOf = perLane(({ db }) => createReturnsRepository(db))
