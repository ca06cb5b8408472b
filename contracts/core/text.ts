import { z } from 'zod'
import { holdsCardNumber } from './card-numbers.ts'

/**
 * Controls that a cashier can scan from a sheet of barcodes next to the scanner: the steps of a common sale, and the
 * steps that undo these. Each is a Code 128 text: the store's prefix, a period, and the short name of the control.
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

/**
 * Schema of the store's prefix of its control barcodes. The prefix is a secret of the store, so that customers cannot
 * make such barcodes.
 */
export const ControlPrefix = z.string().regex(/^[A-Z0-9]{6,8}$/, 'six to eight capital letters and digits')

/**
 * Returns the text of a control's barcode. No receipt or collector number has this form; an item number of this form
 * could not be scanned.
 */
export const controlCode = (prefix: string, control: Control): string => `${prefix}.${SHORT_NAMES[control]}`

/** Returns the control of a scanned code, or null; the prefix is undefined for a store without one. */
export const controlOf = (prefix: string | undefined, code: string): Control | null =>
  prefix === undefined ? null : (Control.options.find((control) => controlCode(prefix, control) === code) ?? null)

export const CARD_NUMBER = 'note-holds-number'

export const CARD_NUMBER_PROBLEMS = [CARD_NUMBER, 'reference-is-card'] as const

export const FREE_TEXT = 'free-text'
export const SCANNED_TEXT = 'scanned-text'

export interface FreeTextOptions {
  readonly min?: number
  readonly max: number
  readonly problem?: (typeof CARD_NUMBER_PROBLEMS)[number]
}

/**
 * Text typed by a person, trimmed. Every text of a request that is stored and is not an identifier has this schema,
 * because it must not contain the number of a payment card or of a collector.
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
 * Input of a scanner, or the same typed by a person. It may be any code, including a card number: it is recognised in
 * memory and never stored or logged unchanged.
 */
export const scannedText = ({ min = 1, max }: Pick<FreeTextOptions, 'min' | 'max'>) =>
  z.string().min(min).max(max).meta({ format: SCANNED_TEXT })

/** A JSON value in which every text is free text, without card numbers. */
export const freeJson = <Json extends z.ZodType>(json: Json): Json =>
  json.refine((value) => !holdsCardNumbers(value), { error: CARD_NUMBER }).meta({ format: FREE_TEXT })

function holdsCardNumbers(value: unknown): boolean {
  if (typeof value === 'string') return holdsCardNumber(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCardNumbers)
}
