import { z } from 'zod'
import { SaveCoupon } from './catalog.ts'
import { Charge } from './charges.ts'
import { readFile } from './files.ts'
import { SaveManufacturerCoupon } from './manufacturer-coupons.ts'

/**
 * Highest number of deposits and fees, and of coupons of each kind, that a store may have with the entries of a file.
 */
export const MAX_BOOK_ENTRIES = 2_000

/** Lists (books) that a manager can change by a CSV file; the list of promotions has its own routes. */
export const BookName = z.enum(['charges', 'coupons', 'manufacturer-coupons'])
export type BookName = z.infer<typeof BookName>

const ofBook = <Name extends BookName, Entry extends z.ZodType>(book: Name, entry: Entry) =>
  z.object({ book: z.literal(book), entries: z.array(entry).max(MAX_BOOK_ENTRIES) })

/**
 * POST /api/catalog/files: adds entries to one of these lists, or replaces the entries with the same keys; all or none.
 */
export const BookEntries = z.discriminatedUnion('book', [
  ofBook('charges', Charge),
  ofBook('coupons', SaveCoupon.shape.coupon),
  ofBook('manufacturer-coupons', SaveManufacturerCoupon.shape.coupon),
])
export type BookEntries = z.infer<typeof BookEntries>

/**
 * POST /api/catalog/files/:book compares a CSV file (application/octet-stream) with one of these lists; it changes
 * nothing.
 */
export const ReadBook = readFile({ found: BookEntries.describe('the added and changed ones') })
export type ReadBook = z.infer<typeof ReadBook>
