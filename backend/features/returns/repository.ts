import { z } from 'zod'
import { ReturnTotals, type RefundKind, type StoreCreditCode } from '../../../contracts/api/returns.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { TaxCategory } from '../../../contracts/regions.ts'
import type { Database } from '../../db/open.ts'
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
  readonly nameEn: string
  readonly nameFr: string
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
  readonly amountCents: number
  readonly roundingCents: number
  /** Slip of the card, confirmation number of the redemption, code of the store credit. */
  readonly reference: string | null
  readonly operationId: string | null
  readonly storeCreditCode: string | null
}

export interface StoreCreditRow {
  readonly code: StoreCreditCode
  readonly issuedAt: number
  readonly balanceCents: number
  /** The return that it was issued for, and who served there. */
  readonly returnId: string
  readonly cashierId: string
}

type Stored = Omit<ReturnRow, 'totals'> & { subtotalCents: number; taxes: string; totalCents: number }

const RETURN = 'SELECT id, sale_id AS saleId, cashier_id AS cashierId, approved_by AS approvedBy, reason, at, subtotal_cents AS subtotalCents, taxes, total_cents AS totalCents FROM sale_return'
const LINE = `SELECT number, sale_line_number AS saleLineNumber, sku, name_en AS nameEn, name_fr AS nameFr, quantity, unit_price_cents AS unitPriceCents,
  discount_cents AS discountCents, tax_category AS taxCategory, department_id AS departmentId, category_id AS categoryId FROM return_line`
const REFUND = 'SELECT refund.number AS number, kind, amount_cents AS amountCents, rounding_cents AS roundingCents, reference, operation_id AS operationId, store_credit_code AS storeCreditCode FROM refund'

const Taxes = z.string().transform((text) => ReturnTotals.shape.taxes.parse(JSON.parse(text)))
const rowOf = ({ subtotalCents, taxes, totalCents, ...row }: Stored): ReturnRow => ({ ...row, totals: ReturnTotals.parse({ subtotalCents, taxes: Taxes.parse(taxes), totalCents }) })

export type ReturnsRepository = ReturnType<typeof createReturnsRepository>

export function createReturnsRepository(db: Database) {
  const insert = db.prepare(`INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents)
    VALUES (@id, @sequence, @saleId, @lane, @cashierId, @approvedBy, @reason, @at, @subtotalCents, @taxes, @totalCents)`)
  const insertLine = db.prepare(`INSERT INTO return_line (return_id, number, sale_line_number, sku, name_en, name_fr, quantity, unit_price_cents, discount_cents, tax_category, department_id, category_id)
    VALUES (@returnId, @number, @saleLineNumber, @sku, @nameEn, @nameFr, @quantity, @unitPriceCents, @discountCents, @taxCategory, @departmentId, @categoryId)`)
  const insertRefund = db.prepare(`INSERT INTO refund (return_id, number, kind, amount_cents, rounding_cents, reference, operation_id, store_credit_code)
    VALUES (@returnId, @number, @kind, @amountCents, @roundingCents, @reference, @operationId, @storeCreditCode)`)
  const byId = db.prepare<[string], Stored>(`${RETURN} WHERE id = ?`)
  const ofSale = db.prepare<[string], Stored>(`${RETURN} WHERE sale_id = ? ORDER BY sequence`)
  const lines = db.prepare<[string], ReturnLineRow>(`${LINE} WHERE return_id = ? ORDER BY number`)
  const refunds = db.prepare<[string], RefundRow>(`${REFUND} WHERE return_id = ? ORDER BY number`)
  const refundsOfSale = db.prepare<[string], RefundRow>(`${REFUND} JOIN sale_return ON sale_return.id = refund.return_id WHERE sale_return.sale_id = ? ORDER BY sequence, refund.number`)
  const returned = db.prepare<[string], Pieces>(`SELECT sale_line_number AS number, sum(quantity) AS quantity FROM return_line
    JOIN sale_return ON sale_return.id = return_line.return_id WHERE sale_id = ? GROUP BY sale_line_number`)
  const reversedBy = db.prepare<[string], { returnId: SaleId; amountCents: number }>('SELECT return_id AS returnId, amount_cents AS amountCents FROM refund WHERE operation_id = ?')
  const insertCredit = db.prepare('INSERT INTO store_credit (code, issued_at) VALUES (?, ?)')
  const insertIssued = db.prepare("INSERT INTO store_credit_entry (code, at, kind, amount_cents, return_id, operation_id) VALUES (@code, @at, 'issued', @amountCents, @returnId, @operationId)")
  const credit = db.prepare<[string], StoreCreditRow>(`SELECT store_credit.code AS code, issued_at AS issuedAt, issued.return_id AS returnId, cashier_id AS cashierId,
    (SELECT sum(CASE kind WHEN 'issued' THEN amount_cents ELSE -amount_cents END) FROM store_credit_entry WHERE code = store_credit.code) AS balanceCents
    FROM store_credit JOIN store_credit_entry AS issued ON issued.code = store_credit.code AND issued.kind = 'issued' JOIN sale_return ON sale_return.id = issued.return_id WHERE store_credit.code = ?`)

  return {
    insert({ totals, ...row }: ReturnRow & { sequence: number; lane: string }): void {
      insert.run({ ...row, subtotalCents: totals.subtotalCents, taxes: JSON.stringify(totals.taxes), totalCents: totals.totalCents })
    },
    insertLine: (returnId: string, line: ReturnLineRow): void => { insertLine.run({ returnId, ...line }) },
    insertRefund: (returnId: string, refund: RefundRow): void => { insertRefund.run({ returnId, ...refund }) },
    byId(id: string): ReturnRow | undefined {
      const row = byId.get(id)
      return row && rowOf(row)
    },
    /** The returns of a sale, oldest first. */
    ofSale: (saleId: string): ReturnRow[] => ofSale.all(saleId).map(rowOf),
    lines: (returnId: string): ReturnLineRow[] => lines.all(returnId),
    refunds: (returnId: string): RefundRow[] => refunds.all(returnId),
    refundsOfSale: (saleId: string): RefundRow[] => refundsOfSale.all(saleId),
    /** Pieces of each line of a sale that came back so far. */
    returned: (saleId: string): Pieces[] => returned.all(saleId),
    /** The return that gave this redemption back. */
    reversedBy: (operationId: string) => reversedBy.get(operationId),
    /** `operationId`: the redemption that could no longer be reversed, where that is why. */
    issueCredit(entry: { code: StoreCreditCode; at: number; amountCents: number; returnId: string; operationId: string | null }): void {
      insertCredit.run(entry.code, entry.at)
      insertIssued.run(entry)
    },
    credit: (code: string): StoreCreditRow | undefined => credit.get(code),
  }
}
