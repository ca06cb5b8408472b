import { z } from 'zod'
import { UndoKind } from '../../../contracts/api/sale-changes.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

/**
 * A change of a sale and what stood before it. Redemptions and tenders are never among them: what moved money or miles
 * is taken back by its own rules. A line that was not there before becomes void, since no row is deleted.
 */
export const SaleChange = z.object({
  kind: UndoKind,
  before: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('line'),
      number: z.int(),
      row: z
        .object({
          quantity: z.int(),
          unitPriceCents: z.int(),
          regularPriceCents: z.int().nullable(),
          voided: z.union([z.literal(0), z.literal(1)]),
          note: z.string().nullable(),
        })
        .nullable(),
    }),
    z.object({ of: z.literal('discount'), number: z.int(), removed: z.boolean() }),
    /** The collector's number stays sealed here too (base64). */
    z.object({
      of: z.literal('member'),
      card: z
        .object({
          last4: z.string(),
          entryMode: z.enum(['SWIPE', 'SCAN', 'KEYED']).nullable(),
          sealed: z.string(),
          hash: z.string(),
        })
        .nullable(),
    }),
    z.object({ of: z.literal('note'), text: z.string().nullable() }),
    z.object({ of: z.literal('exemption'), json: z.string().nullable() }),
  ]),
})
export type SaleChange = z.infer<typeof SaleChange>

export type UndoRows = ReturnType<typeof createUndoRows>

/** Number of the newest payment of the sale that was not given back; 0 without one. */
const NEWEST_TENDER = `(SELECT coalesce(max(paid.number), 0) FROM tender AS paid WHERE paid.sale_id = +@saleId
  AND paid.takes_back IS NULL
  AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = paid.sale_id AND back.takes_back = paid.number))`

/** The changes of open sales, newest last: a stack that a payment seals while it stands (docs/decisions/0049). */
export function createUndoRows(db: Database) {
  // `+?` and `+@saleId`: see db/open.ts.
  const put = db.prepare(`INSERT INTO sale_undo (sale_id, number, after_tender, change)
    VALUES (@saleId, (SELECT coalesce(max(number), 0) + 1 FROM sale_undo WHERE sale_id = +@saleId), ${NEWEST_TENDER},
    @change)`)
  const newest = db.prepare<[string], { change: string; afterTender: number }>(
    'SELECT change, after_tender AS afterTender FROM sale_undo WHERE sale_id = +? ORDER BY number DESC LIMIT 1',
  )
  const drop = db.prepare(
    `DELETE FROM sale_undo WHERE sale_id = +@saleId
      AND number = (SELECT max(number) FROM sale_undo WHERE sale_id = +@saleId)`,
  )
  const forget = db.prepare('DELETE FROM sale_undo WHERE sale_id = +?')
  const forgetCollectors = db.prepare(`DELETE FROM sale_undo WHERE sale_id = +@saleId
    AND number <= (SELECT max(number) FROM sale_undo WHERE sale_id = +@saleId
    AND json_extract(change, '$.before.card.sealed') IS NOT NULL)`)
  return {
    /** Call in the transaction of the change. */
    keep: (tx: Tx, saleId: string, change: SaleChange): void => {
      tx.run(put, { saleId, change: JSON.stringify(change) })
    },
    /** The newest change was taken back: the one before it is next. */
    drop: (tx: Tx, saleId: string): void => {
      tx.run(drop, { saleId })
    },
    /** What stood before is out of reach for good. */
    forget: (tx: Tx, saleId: string): void => {
      tx.run(forget, saleId)
    },
    /**
     * A payment ties the sale to its collector: the sealed number of one who left it is kept no longer, nor what came
     * before. Where nobody was on the sale before, there is nothing to forget.
     */
    forgetCollectors: (tx: Tx, saleId: string): void => {
      tx.run(forgetCollectors, { saleId })
    },
    /** The newest change, where it can be taken back: where no payment that stands came after it. */
    ofSale(saleId: string, newestTender: number): SaleChange | null {
      const row = newest.get(saleId)
      return row && row.afterTender >= newestTender ? SaleChange.parse(JSON.parse(row.change)) : null
    },
  }
}
