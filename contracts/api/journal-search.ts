import { z } from 'zod'
import { holdsCardNumber } from '../card-numbers.ts'
import { CARD_NUMBER, freeText } from '../free-text.ts'
import { SaleId, StaffId } from '../ids.ts'
import { Names } from '../locales.ts'
import { Cents } from '../money.ts'
import { JOURNAL_KINDS } from '../report-kinds.ts'
import { TenderKind } from '../tenders/registry.ts'
import { MovementKind } from './shifts.ts'

/** A moment, or a day of the store's own calendar. */
const When = z.union([z.iso.datetime(), z.iso.date()])

/** What is left out filters nothing. */
export const JournalFilter = z.object({
  receipt: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z0-9]{4,40}$/)
    .refine((receipt) => !holdsCardNumber(receipt), { error: CARD_NUMBER })
    .optional()
    .describe('a receipt number, or its end'),
  item: freeText({ max: 80 }).optional().describe('words of a name, an item number or a barcode'),
  amountCents: z.coerce
    .number()
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
  from: When.optional().describe('at or after; of a day its beginning'),
  to: When.optional().describe('before; of a day its end'),
})
export type JournalFilter = z.infer<typeof JournalFilter>

/** Place in the list: id of the last entry that was read. */
const JournalCursor = z.coerce.number().pipe(z.int().min(0))

/** GET /api/journal: newest first. */
export const JournalQuery = JournalFilter.extend({
  after: JournalCursor.optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(25),
})

export const JournalEntry = z.object({
  key: z.int().describe('its place in the list'),
  kind: z.enum(JOURNAL_KINDS),
  id: z.string().describe('number of the sale or return, id of the cash movement'),
  at: z.string(),
  person: z.string(),
  last4: z.string().nullable(),
  totalCents: Cents.nullable().describe('null of a cancelled sale, and of one that moved'),
  movedTo: z.string().nullable().describe('the lane that resumed a sale that was on hold here'),
  tenders: z.array(TenderKind),
  items: z.array(z.object({ name: Names, quantity: z.int() })).describe('the first few'),
  moreItems: z.int().min(0),
  ofSale: SaleId.nullable().describe('of a return'),
  movement: z.object({ kind: MovementKind, reason: z.string() }).nullable(),
})
export type JournalEntry = z.infer<typeof JournalEntry>

export const JournalPage = z.object({
  entries: z.array(JournalEntry),
  next: z.int().nullable().describe('where the next page begins; null at the end'),
  waiting: z.int().min(0).describe('closed and not searched yet: the page asks again'),
  people: z.array(z.object({ id: StaffId, name: z.string() })),
})
export type JournalPage = z.infer<typeof JournalPage>
