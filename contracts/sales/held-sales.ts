import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { SaleId } from '../core/ids.ts'
import { Localized } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { Approval, ApprovalTerms } from './sale-changes.ts'
import { Sale, SaleCommand } from './sales.ts'

/** A held sale, as a list shows it, with only the last four digits of the collector number. */
export const HeldSale = z.object({
  id: SaleId,
  version: z.int(),
  name: z.string().describe('the name that the cashier gave it, else a number'),
  heldAt: z.string(),
  itemCount: z.int(),
  totalCents: Cents.describe('after tax'),
  memberLast4: z.string().nullable(),
  cashier: z.string().describe('name of the cashier who put it on hold'),
  lane: z.string().describe('the lane that put it on hold'),
  where: z
    .enum(['here', 'store', 'away', 'awaited', 'taken'])
    .describe(
      'here: at this lane; store: any lane may resume it; away: the store is unavailable; awaited: see awaits; ' +
        'taken: see takenBy',
    ),
  takenBy: z.string().nullable().describe('the lane that is resuming it'),
  copiedAt: z.string().nullable().describe('the lane that rang its goods again'),
})
export type HeldSale = z.infer<typeof HeldSale>

/**
 * GET /api/sales/held: held sales of all lanes of the store, or of this lane without a store, the oldest first. POST
 * /api/sales/:id/resume makes a held sale the open sale of this lane. POST /api/sales/:id/copy rings the goods of a
 * held sale that cannot be resumed now, at today's prices; the held sale remains.
 */
export const HeldSales = z.object({
  sales: z.array(HeldSale),
  awaits: Localized.nullable().describe(
    'why no sale can be resumed from the store until other lanes are started; null: sales can be resumed',
  ),
})
export type HeldSales = z.infer<typeof HeldSales>

/**
 * POST /api/sales/:id/resume. Prices, discounts and exemptions given at another lane may differ from today's. Then the
 * first call is refused as `held-sale-differs`, with both in `approval`, and the next call names the chosen prices.
 */
export const ResumeSale = SaleCommand.extend({
  prices: z.enum(['today', 'held']).optional().describe('left out: ask when they differ'),
  covers: ApprovalTerms.optional().describe('with `held`: the differences that were shown'),
  approval: Approval.optional(),
})
export type ResumeSale = z.infer<typeof ResumeSale>

/** POST /api/sales/:id/hold: puts an open sale on hold. Without a name, the terminal assigns the first free number. */
export const HoldSale = z.object({
  version: z.int().min(0),
  name: freeText({ max: 24 }).optional(),
  approval: Approval.optional(),
})

export const CopiedSale = z.object({ sale: Sale, missing: z.int().describe('lines that could not be rung') })
