import { z } from 'zod'
import { holdsCardNumber } from '../card-numbers.ts'
import { CARD_NUMBER } from '../free-text.ts'
import { SaleId } from '../ids.ts'
import { Cents } from '../money.ts'
import { Sale } from './sales.ts'
import { MovementKind } from './shifts.ts'
import { TenderKind } from '../tenders/registry.ts'

/**
 * Where the receipt of a sale is. printed: at least one paper was confirmed or taken by a printer that confirms
 * nothing; printing: on its way; unknown: begun, and nobody knows how far it came; not-printed: provably nothing is on
 * paper; none: the sale has no receipt (it was cancelled, or the lane has no printer).
 */
export const ReceiptState = z.enum(['printed', 'printing', 'unknown', 'not-printed', 'none'])
export type ReceiptState = z.infer<typeof ReceiptState>

/**
 * A closed sale, or a return (`returned`), in a list. No card number and no balance: of the collector only the last
 * four digits.
 */
export const EarlierSale = z.object({
  id: SaleId,
  state: z.enum([...Sale.shape.state.exclude(['open', 'held']).options, 'returned']),
  ofSale: SaleId.nullable().describe('the sale whose goods came back; null for a sale, and for goods without a record'),
  closedAt: z.string(),
  totalCents: Cents.describe('after tax; of a return what went back'),
  tenders: z.array(TenderKind).describe('each kind once; of a return the forms in which the money went back'),
  memberLast4: z.string().nullable(),
  cashier: z.string().describe('name of who served: who took the last payment or closed the sale'),
  receipt: ReceiptState,
  lane: z.string().optional().describe('of a receipt of another lane of the store; left out: of this one'),
})
export type EarlierSale = z.infer<typeof EarlierSale>

/**
 * GET /api/sales/earlier: sales and returns. `q`: the id of one, or its last four characters or more. `after`: the
 * `next` of the page before.
 */
export const EarlierSalesQuery = z.object({
  filter: z.enum(['all', 'not-on-paper']).default('all'),
  q: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z0-9]{4,40}$/)
    .refine((receipt) => !holdsCardNumber(receipt), { error: CARD_NUMBER })
    .optional(),
  after: z
    .string()
    .regex(/^\d{1,15}-\d{1,9}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(50).default(8),
})
export type EarlierSalesQuery = z.infer<typeof EarlierSalesQuery>

/**
 * Newest first. `next` leads to the sales before these, null when there are none. `store`: of a search, whether the
 * receipts of the store's other lanes are among these; left out: this lane is alone, or nothing was searched for.
 */
export const EarlierSales = z.object({
  sales: z.array(EarlierSale),
  next: z.string().nullable(),
  store: z.enum(['reached', 'away']).optional(),
})
export type EarlierSales = z.infer<typeof EarlierSales>

/**
 * GET /api/receipts: the sale that was completed last on this lane, and how many documents never came out: receipts of
 * sales, and those that GET /api/receipts/owed lists.
 */
export const ReceiptsSummary = z.object({ lastSaleId: SaleId.nullable(), notOnPaper: z.int() })
export type ReceiptsSummary = z.infer<typeof ReceiptsSummary>

/** A paper of anything but a sale that never came out of the printer. */
const owed = { id: SaleId, at: z.string(), receipt: ReceiptState.extract(['printing', 'unknown', 'not-printed']) }
export const OwedDocument = z.discriminatedUnion('paper', [
  z.object({
    ...owed,
    paper: z.enum(['return', 'store-credit', 'gift-card']),
    name: z.string().describe('the end of its number or code'),
    totalCents: Cents,
  }),
  z.object({
    ...owed,
    paper: z.literal('cash-movement'),
    name: MovementKind,
    totalCents: Cents.nullable().describe('null where the drawer was opened without a sale'),
  }),
  z.object({
    ...owed,
    paper: z.enum(['z-report', 'shift', 'closing']),
    name: z.string().describe('the number of the Z or the shift; the day or the month'),
    totalCents: z.null(),
  }),
])
export type OwedDocument = z.infer<typeof OwedDocument>
/** GET /api/receipts/owed */
export const OwedDocuments = z.object({ documents: z.array(OwedDocument) })
export type OwedDocuments = z.infer<typeof OwedDocuments>
