import { z } from 'zod'

/**
 * What a cashier can do with the scanner alone, from a card of barcodes beside it: the steps of the common sale, and
 * the ways back from them. Each is a text in Code 128: the store's own word, a point, and the control's short name.
 */
const SHORT_NAMES = {
  redeem: 'REDEEM',
  'exact-cash': 'CASH',
  'go-on': 'GO',
  back: 'BACK',
  undo: 'UNDO',
  'print-again': 'COPY',
} as const
export const Control = z.enum(['redeem', 'exact-cash', 'go-on', 'back', 'undo', 'print-again'])
export type Control = z.infer<typeof Control>

/** The store's own word before its controls: nobody who does not know it can make their barcodes. */
export const ControlWord = z.string().regex(/^[A-Z0-9]{6,8}$/, 'six to eight capital letters and digits')

/**
 * The text of a control's barcode. No receipt and no collector number has this form; an item's number with it would be
 * hidden.
 */
export const controlCode = (word: string, control: Control): string => `${word}.${SHORT_NAMES[control]}`

/** The control that a scanned code stands for, or null; `word` undefined: the store has none. */
export const controlOf = (word: string | undefined, code: string): Control | null =>
  word === undefined ? null : (Control.options.find((control) => controlCode(word, control) === code) ?? null)
