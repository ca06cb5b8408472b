import { z } from 'zod'
import { holdsCardNumber } from './card-numbers.ts'

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

/** With which an identifier that people type is refused when it is a card's number. */
export const CARD_NUMBER = 'note-holds-number'

/** The problems with which text is refused because it holds the number of a card. */
export const CARD_NUMBER_PROBLEMS = [CARD_NUMBER, 'reference-is-card'] as const

/** The format by which the description of the API names such text. */
export const FREE_TEXT = 'free-text'
export const SCANNED_TEXT = 'scanned-text'

export interface FreeTextOptions {
  readonly min?: number
  readonly max: number
  readonly problem?: (typeof CARD_NUMBER_PROBLEMS)[number]
}

/**
 * Text that a person types, without spaces at its ends. Every field of a request that is no identifier has this schema:
 * it is stored in the clear, and must not hold the number of a payment card or of a collector.
 */
export const freeText = ({ min = 1, max, problem = CARD_NUMBER }: FreeTextOptions) =>
  z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((text) => !holdsCardNumber(text), { error: problem })
    .meta({ format: FREE_TEXT })

/**
 * What a scanner read, or a person typed in its place. It may be any code, a card's included: it is recognised in
 * memory, and neither stored nor logged as it came.
 */
export const scannedText = ({ min = 1, max }: Pick<FreeTextOptions, 'min' | 'max'>) =>
  z.string().min(min).max(max).meta({ format: SCANNED_TEXT })

/** A JSON value whose texts are free text. */
export const freeJson = <Json extends z.ZodType>(json: Json): Json =>
  json.refine((value) => !holdsCardNumbers(value), { error: CARD_NUMBER }).meta({ format: FREE_TEXT })

function holdsCardNumbers(value: unknown): boolean {
  if (typeof value === 'string') return holdsCardNumber(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCardNumbers)
}
