import { z } from 'zod'
import { RefusedRow } from './catalog.ts'

/** A list of promotions, deposits and fees, or coupons as the text of a CSV file, one entry per row. */
export const ExportedFile = z.object({ csv: z.string(), fileName: z.string() })
export type ExportedFile = z.infer<typeof ExportedFile>

const RefusedFile = z.object({
  kind: z.literal('refused'),
  rows: z.array(RefusedRow).describe('the first two hundred'),
  refused: z.int(),
})
export type RefusedFile = z.infer<typeof RefusedFile>

const ReadCounts = z.object({ kind: z.literal('read'), added: z.int(), changed: z.int(), same: z.int() })
export type ReadCounts = z.infer<typeof ReadCounts>

/**
 * Schema of the result of reading a file and comparing it with the list of the store. `found`: schema of the added and
 * changed entries.
 */
export const readFile = <Found extends z.ZodRawShape>(found: Found) =>
  z.discriminatedUnion('kind', [RefusedFile, ReadCounts.extend(found)])
