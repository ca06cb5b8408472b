import { z } from 'zod'
import { SaleId } from '../ids.ts'
import { Cents } from '../money.ts'
import { Approval } from './sale-changes.ts'

/** A sale that was put aside, as a list shows it. Of the collector only the last four digits. */
export const HeldSale = z.object({
  id: SaleId,
  version: z.int(),
  name: z.string().describe('what the cashier called it, else a number'),
  heldAt: z.string(),
  itemCount: z.int(),
  totalCents: Cents.describe('after tax'),
  memberLast4: z.string().nullable(),
  cashier: z.string().describe('name of who put it on hold'),
})
export type HeldSale = z.infer<typeof HeldSale>

/**
 * GET /api/sales/held: the sales of this lane that wait, the oldest first. POST /api/sales/:id/resume makes one the
 * open sale again.
 */
export const HeldSales = z.object({ sales: z.array(HeldSale) })
export type HeldSales = z.infer<typeof HeldSales>

/** POST /api/sales/:id/hold. Without a name the terminal gives the first number that is free. */
export const HoldSale = z.object({
  version: z.int().min(0),
  name: z.string().trim().min(1).max(24).optional(),
  approval: Approval.optional(),
})
