import { z } from 'zod'
import { Locale } from './locales.ts'

/** What a paper is of. */
export const PaperKind = z.enum(['sale', 'return', 'store-credit'])
export type PaperKind = z.infer<typeof PaperKind>

/**
 * A receipt as a document: what it says, not how a printer is told to say it.
 * `paperOnly` blocks (the collector's balances) are printed and never cross the local API.
 */
const paperOnly = { paperOnly: z.literal(true).optional() }
export const ReceiptBlock = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), align: z.enum(['left', 'center', 'right']), bold: z.boolean().optional(), size: z.enum(['normal', 'large']).optional(), ...paperOnly }),
  z.object({ kind: z.literal('row'), left: z.string(), right: z.string(), bold: z.boolean().optional(), size: z.enum(['normal', 'large']).optional(), ...paperOnly }),
  z.object({ kind: z.literal('rule'), ...paperOnly }),
  z.object({ kind: z.literal('space'), ...paperOnly }),
  z.object({ kind: z.literal('barcode'), symbology: z.literal('code128'), data: z.string(), ...paperOnly }),
])
export type ReceiptBlock = z.infer<typeof ReceiptBlock>

export const ReceiptDocument = z.object({
  locale: Locale,
  title: z.string(),
  blocks: z.array(ReceiptBlock),
})
export type ReceiptDocument = z.infer<typeof ReceiptDocument>
