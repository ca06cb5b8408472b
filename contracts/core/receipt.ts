import { z } from 'zod'
import { Locale } from './locales.ts'

/** What a paper is of. */
export const DocumentKind = z.enum([
  'sale',
  /** Of another lane’s sale: a copy. */
  'store-sale',
  'gift',
  'payment-back',
  'return',
  'voucher',
  'cash-movement',
  'shift',
  'z-report',
  'closing',
])
export type DocumentKind = z.infer<typeof DocumentKind>

/**
 * Where a paper is on its way. sent: taken by a printer that confirms nothing; unknown: begun, and nobody knows how far
 * it came; failed: provably nothing came out.
 */
export const PrintState = z.enum(['queued', 'sent', 'confirmed', 'unknown', 'failed'])
export type PrintState = z.infer<typeof PrintState>

/**
 * A receipt as a document: what it says, not how a printer is told to say it.
 * `paperOnly` blocks (the collector's balances) are printed and never cross the local API.
 */
const paperOnly = { paperOnly: z.literal(true).optional() }
export const ReceiptBlock = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    text: z.string(),
    align: z.enum(['left', 'center', 'right']),
    bold: z.boolean().optional(),
    size: z.enum(['normal', 'large']).optional(),
    ...paperOnly,
  }),
  z.object({
    kind: z.literal('row'),
    left: z.string(),
    right: z.string(),
    bold: z.boolean().optional(),
    size: z.enum(['normal', 'large']).optional(),
    ...paperOnly,
  }),
  z.object({ kind: z.literal('rule'), ...paperOnly }),
  z.object({ kind: z.literal('space'), ...paperOnly }),
  /** An EAN-13 with a wrong check digit gets no bars, only its characters. */
  z.object({ kind: z.literal('barcode'), symbology: z.enum(['code128', 'ean13']), data: z.string(), ...paperOnly }),
  z.object({ kind: z.literal('qr'), data: z.string(), ...paperOnly }),
  /** The store's mark, where the profile names one: the document does not carry the picture. */
  z.object({ kind: z.literal('logo'), ...paperOnly }),
])
export type ReceiptBlock = z.infer<typeof ReceiptBlock>

export const ReceiptDocument = z.object({
  locale: Locale,
  title: z.string(),
  blocks: z.array(ReceiptBlock),
})
export type ReceiptDocument = z.infer<typeof ReceiptDocument>

/** A picture in black dots on paper, row by row: 1 is black. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly dots: Uint8Array
}
