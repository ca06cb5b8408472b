import { z } from 'zod'
import { Locale } from './locales.ts'

export const DocumentKind = z.enum([
  'sale',
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
 * State of a print job. sent: accepted by a printer that confirms nothing; unknown: started with an unknown outcome;
 * failed: certainly not printed.
 */
export const PrintState = z.enum(['queued', 'sent', 'confirmed', 'unknown', 'failed'])
export type PrintState = z.infer<typeof PrintState>

/**
 * Content of a receipt, independent of printer commands. `paperOnly` blocks (the collector's balances) are printed and
 * never returned by the local API.
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
  /** A barcode. An EAN-13 with a wrong check digit is printed as characters, without bars. */
  z.object({ kind: z.literal('barcode'), symbology: z.enum(['code128', 'ean13']), data: z.string(), ...paperOnly }),
  z.object({ kind: z.literal('qr'), data: z.string(), ...paperOnly }),
  /** The store's logo, when the profile names one; the document does not contain the image. */
  z.object({ kind: z.literal('logo'), ...paperOnly }),
])
export type ReceiptBlock = z.infer<typeof ReceiptBlock>

export const ReceiptDocument = z.object({
  locale: Locale,
  title: z.string(),
  blocks: z.array(ReceiptBlock),
})
export type ReceiptDocument = z.infer<typeof ReceiptDocument>

export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly dots: Uint8Array
}
