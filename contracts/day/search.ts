import { z } from 'zod'
import { holdsCardNumber } from '../core/card-numbers.ts'
import { CARD_NUMBER, freeText } from '../core/text.ts'
import { SaleId, StaffId } from '../core/ids.ts'
import { Cents } from '../core/money.ts'
import { Sale } from '../sales/sales.ts'
import { MovementKind } from './shifts.ts'
import { TenderKind } from '../payments/tenders/registry.ts'
import { Names } from '../core/locales.ts'
import { JOURNAL_KINDS } from './report-kinds.ts'

/**
 * Print state of a sale's receipt. printed: confirmed, or accepted by a printer that confirms nothing; printing:
 * queued; unknown: started with an unknown outcome; not-printed: certainly not printed; none: the sale has no receipt
 * (it was cancelled, or the lane has no printer).
 */
export const ReceiptState = z.enum(['printed', 'printing', 'unknown', 'not-printed', 'none'])
export type ReceiptState = z.infer<typeof ReceiptState>

/**
 * A closed sale, or a return (`returned`), in a list. It has no card number and no balance: of the collector number
 * only the last four digits.
 */
export const EarlierSale = z.object({
  id: SaleId,
  state: z.enum([...Sale.shape.state.exclude(['open', 'held']).options, 'returned']),
  ofSale: SaleId.nullable().describe(
    'the sale whose goods were returned; null for a sale, and for goods without a record',
  ),
  closedAt: z.string(),
  totalCents: Cents.describe('after tax; for a return, the refund'),
  tenders: z.array(TenderKind).describe('each kind once; for a return, the forms of the refund'),
  memberLast4: z.string().nullable(),
  cashier: z.string().describe('name of the person who took the last payment or closed the sale'),
  receipt: ReceiptState,
  lane: z.string().optional().describe('the lane of a receipt of another lane; left out: this lane'),
})
export type EarlierSale = z.infer<typeof EarlierSale>

/**
 * GET /api/sales/earlier returns sales and returns. `q`: an id, or at least its last four characters. `after`: the
 * `next` of the previous page.
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
 * A page of sales and returns, the newest first. `next` is the cursor of the next page; null on the last one. `store`:
 * for a search, whether receipts of the store's other lanes are included (`away`: the server does not answer);
 * left out if this lane has no store server, or nothing was searched for.
 */
export const EarlierSales = z.object({
  sales: z.array(EarlierSale),
  next: z.string().nullable(),
  store: z.enum(['reached', 'away']).optional(),
})
export type EarlierSales = z.infer<typeof EarlierSales>

/**
 * GET /api/receipts returns the sale completed last on this lane, and the number of documents that were never printed:
 * receipts of sales, and the documents of GET /api/receipts/owed.
 */
export const ReceiptsSummary = z.object({ lastSaleId: SaleId.nullable(), notOnPaper: z.int() })
export type ReceiptsSummary = z.infer<typeof ReceiptsSummary>

/** A document that was never printed and is not the receipt of a sale. */
const owed = { id: SaleId, at: z.string(), receipt: ReceiptState.extract(['printing', 'unknown', 'not-printed']) }
export const UnprintedDocument = z.discriminatedUnion('paper', [
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
    totalCents: Cents.nullable().describe('null when the drawer was opened without a sale'),
  }),
  z.object({
    ...owed,
    paper: z.enum(['z-report', 'shift', 'closing']),
    name: z.string().describe('the number of the Z or the shift; the day or the month'),
    totalCents: z.null(),
  }),
])
export type UnprintedDocument = z.infer<typeof UnprintedDocument>
export const UnprintedDocuments = z.object({ documents: z.array(UnprintedDocument) })
export type UnprintedDocuments = z.infer<typeof UnprintedDocuments>

const When = z.union([z.iso.datetime(), z.iso.date()])

export const JournalFilter = z.object({
  receipt: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z0-9]{4,40}$/)
    .refine((receipt) => !holdsCardNumber(receipt), { error: CARD_NUMBER })
    .optional()
    .describe('a receipt number, or its end'),
  item: freeText({ max: 80 }).optional().describe('text in a name, an item number or a barcode'),
  amountCents: z.coerce
    .number<string | number>()
    .pipe(z.int().min(0).max(100_000_000))
    .optional()
    .describe('a total, or one payment of it'),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .optional()
    .describe('of the collector number'),
  person: StaffId.optional(),
  kind: z.enum(JOURNAL_KINDS).optional(),
  from: When.optional().describe('at or after; for a day, its beginning'),
  to: When.optional().describe('before; for a day, its end'),
})
export type JournalFilter = z.infer<typeof JournalFilter>

const JournalCursor = z.coerce.number().pipe(z.int().min(0))

export const JournalQuery = JournalFilter.extend({
  after: JournalCursor.optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(25),
})

export const JournalEntry = z.object({
  key: z.int().describe('its position in the list'),
  kind: z.enum(JOURNAL_KINDS),
  id: z.string().describe('number of the sale or return, id of the cash movement'),
  at: z.string(),
  person: z.string(),
  last4: z.string().nullable(),
  totalCents: Cents.nullable().describe('null for a cancelled sale, and for one that moved'),
  movedTo: z.string().nullable().describe('the lane that resumed a sale that was held here'),
  tenders: z.array(TenderKind),
  items: z.array(z.object({ name: Names, quantity: z.int() })).describe('the first few'),
  moreItems: z.int().min(0),
  ofSale: SaleId.nullable().describe('for a return'),
  movement: z.object({ kind: MovementKind, reason: z.string() }).nullable(),
})
export type JournalEntry = z.infer<typeof JournalEntry>

export const JournalPage = z.object({
  entries: z.array(JournalEntry),
  next: z.int().nullable().describe('start of the next page; null at the end'),
  waiting: z.int().min(0).describe('closed and not indexed yet: the page repeats the request'),
  people: z.array(z.object({ id: StaffId, name: z.string() })),
})
export type JournalPage = z.infer<typeof JournalPage>
