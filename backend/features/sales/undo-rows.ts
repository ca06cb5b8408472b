import { z } from 'zod'
import { UndoKind } from '../../../contracts/api/sale-changes.ts'
import type { Database } from '../../db/open.ts'

/**
 * The last change of a sale and what stood before it. Redemptions and tenders are never among them: what moved money
 * or miles is taken back by its own rules. A line that was not there before becomes void, since no row is deleted.
 */
export const SaleChange = z.object({
  kind: UndoKind,
  before: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('line'), number: z.int(),
      row: z.object({ quantity: z.int(), unitPriceCents: z.int(), regularPriceCents: z.int().nullable(), voided: z.union([z.literal(0), z.literal(1)]), note: z.string().nullable() }).nullable(),
    }),
    z.object({ of: z.literal('discount'), number: z.int(), removed: z.boolean() }),
    /** The collector's number stays sealed here too (base64). */
    z.object({ of: z.literal('member'), card: z.object({ last4: z.string(), entryMode: z.enum(['SWIPE', 'SCAN', 'KEYED']).nullable(), sealed: z.string(), hash: z.string() }).nullable() }),
    z.object({ of: z.literal('note'), text: z.string().nullable() }),
    z.object({ of: z.literal('exemption'), json: z.string().nullable() }),
  ]),
})
export type SaleChange = z.infer<typeof SaleChange>

export type UndoRows = ReturnType<typeof createUndoRows>

export function createUndoRows(db: Database) {
  const put = db.prepare(`INSERT INTO sale_undo (sale_id, version, change) SELECT id, version, @change FROM sale WHERE id = @saleId
    ON CONFLICT (sale_id) DO UPDATE SET version = excluded.version, change = excluded.change`)
  const standing = db.prepare<[string], string>('SELECT change FROM sale_undo JOIN sale ON sale.id = sale_id AND sale.version = sale_undo.version WHERE sale_id = ?').pluck()
  const forget = db.prepare('DELETE FROM sale_undo WHERE sale_id = ?')
  return {
    /** Call in the transaction of the change, when the sale's version is raised already. */
    keep: (saleId: string, change: SaleChange): void => { put.run({ saleId, change: JSON.stringify(change) }) },
    /** What stood before is out of reach: it may hold the sealed number of a collector who is no part of the sale any more. */
    forget: (saleId: string): void => { forget.run(saleId) },
    /** The last change, where nothing has happened to the sale since. */
    ofSale(saleId: string): SaleChange | null {
      const text = standing.get(saleId)
      return text === undefined ? null : SaleChange.parse(JSON.parse(text))
    },
  }
}
