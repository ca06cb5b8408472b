import { z } from 'zod'
import { ReturnTotals, type RefundKind } from '../../../contracts/api/returns.ts'
import { cents, type Cents } from '../../../contracts/money.ts'
import { type PaidBy } from '../../../contracts/tenders/registry.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Names } from '../../../contracts/locales.ts'
import type { TaxCategory } from '../../../contracts/regions.ts'
import { namesOf } from '../../db/names.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import type { Pieces } from '../../domain/returns.ts'

export interface ReturnRow {
  readonly id: SaleId
  /** Null without a record. */
  readonly saleId: SaleId | null
  readonly cashierId: string
  readonly approvedBy: string | null
  readonly reason: string | null
  /** Epoch ms. */
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
  readonly departmentId: string
  readonly categoryId: string | null
}

export interface RefundRow {
  readonly number: number
  readonly kind: RefundKind
  /** Null without a record. */
  readonly paidBy: PaidBy | null
  readonly amountCents: number
  readonly roundingCents: number
  /** Slip of the card, confirmation number of the redemption, last four of the store credit. */
  readonly reference: string | null
  readonly operationId: string | null
  readonly voucherId: string | null
}

type Stored = Omit<ReturnRow, 'totals'> & { subtotalCents: number; taxes: string; totalCents: number }

const RETURN = `SELECT id, sale_id AS saleId, cashier_id AS cashierId, approved_by AS approvedBy, reason, at,
    subtotal_cents AS subtotalCents, taxes, total_cents AS totalCents FROM sale_return`
const LINE = `SELECT number, sale_line_number AS saleLineNumber, sku, names, quantity,
  unit_price_cents AS unitPriceCents,
  discount_cents AS discountCents, tax_category AS taxCategory, department_id AS departmentId,
  category_id AS categoryId FROM return_line`
const REFUND = `SELECT refund.number AS number, kind, paid_by AS paidBy, amount_cents AS amountCents,
    rounding_cents AS roundingCents, reference, operation_id AS operationId, voucher_id AS voucherId FROM refund`

/** Cents of the goods that one person took back without a record on a lane, from an instant on. */
export const UNRECORDED_CENTS = `SELECT coalesce(sum(total_cents), 0) FROM sale_return
  WHERE lane = @lane AND at >= @from AND +sale_id IS NULL AND cashier_id = @cashierId`

const Taxes = z.string().transform((text) => ReturnTotals.shape.taxes.parse(JSON.parse(text)))
const rowOf = ({ subtotalCents, taxes, totalCents, ...row }: Stored): ReturnRow => ({
  ...row,
  totals: ReturnTotals.parse({ subtotalCents, taxes: Taxes.parse(taxes), totalCents }),
})

export type ReturnsRepository = ReturnType<typeof createReturnsRepository>

export function createReturnsRepository(db: Database) {
  const insert = db.prepare(`INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, approved_by, reason, at,
      subtotal_cents, taxes, total_cents, shift_id)
    VALUES (@id, @sequence, @saleId, @lane, @cashierId, @approvedBy, @reason, @at, @subtotalCents, @taxes,
    @totalCents, @shiftId)`)
  const insertLine =
    db.prepare(`INSERT INTO return_line (return_id, number, sale_line_number, sku, names, quantity, unit_price_cents,
      discount_cents, tax_category, department_id, category_id)
    VALUES (@returnId, @number, @saleLineNumber, @sku, @names, @quantity, @unitPriceCents, @discountCents, @taxCategory,
    @departmentId, @categoryId)`)
  const insertRefund =
    db.prepare(`INSERT INTO refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, reference,
      operation_id, voucher_id)
    VALUES (@returnId, @number, @kind, @paidBy, @amountCents, @roundingCents, @reference, @operationId, @voucherId)`)
  const byId = db.prepare<[string], Stored>(`${RETURN} WHERE id = ?`)
  const ofSale = db.prepare<[string], Stored>(`${RETURN} WHERE sale_id = +? ORDER BY sequence`)
  const lines = db.prepare<[string], Omit<ReturnLineRow, 'name'> & { names: string }>(
    `${LINE} WHERE return_id = +? ORDER BY number`,
  )
  const refunds = db.prepare<[string], RefundRow>(`${REFUND} WHERE return_id = +? ORDER BY number`)
  const refundsOfSale = db.prepare<[string], RefundRow>(
    `${REFUND} JOIN sale_return ON sale_return.id = refund.return_id WHERE sale_return.sale_id = ?
      ORDER BY sequence, refund.number`,
  )
  const returned = db.prepare<
    [string],
    Pieces
  >(`SELECT sale_line_number AS number, sum(quantity) AS quantity FROM return_line
    JOIN sale_return ON sale_return.id = return_line.return_id WHERE sale_id = ? GROUP BY sale_line_number`)
  const unrecordedCents = db
    .prepare<{ lane: string; cashierId: string; from: number }, number>(UNRECORDED_CENTS)
    .pluck()
  const reversedBy = db.prepare<[string], { returnId: SaleId; amountCents: number }>(
    'SELECT return_id AS returnId, amount_cents AS amountCents FROM refund WHERE operation_id = ?',
  )

  return {
    insert(tx: Tx, { totals, ...row }: ReturnRow & { sequence: number; lane: string; shiftId: number }): void {
      tx.run(insert, {
        ...row,
        subtotalCents: totals.subtotalCents,
        taxes: JSON.stringify(totals.taxes),
        totalCents: totals.totalCents,
      })
    },
    insertLine: (tx: Tx, returnId: string, { name, ...line }: ReturnLineRow): void => {
      tx.run(insertLine, { returnId, ...line, names: JSON.stringify(name) })
    },
    insertRefund: (tx: Tx, returnId: string, refund: RefundRow): void => {
      tx.run(insertRefund, { returnId, ...refund })
    },
    byId(id: string): ReturnRow | undefined {
      const row = byId.get(id)
      return row && rowOf(row)
    },
    /** The returns of a sale, oldest first. */
    ofSale: (saleId: string): ReturnRow[] => ofSale.all(saleId).map(rowOf),
    lines: (returnId: string): ReturnLineRow[] =>
      lines.all(returnId).map(({ names, ...line }) => ({ ...line, name: namesOf(names) })),
    refunds: (returnId: string): RefundRow[] => refunds.all(returnId),
    refundsOfSale: (saleId: string): RefundRow[] => refundsOfSale.all(saleId),
    /** Pieces of each line of a sale that came back so far. */
    returned: (saleId: string): Pieces[] => returned.all(saleId),
    unrecordedCents: (of: { readonly lane: string; readonly cashierId: string; readonly from: number }): Cents =>
      cents(unrecordedCents.get(of) ?? 0),
    /** The return that gave this redemption back. */
    reversedBy: (operationId: string) => reversedBy.get(operationId),
  }
}
