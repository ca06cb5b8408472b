import type { Item } from '../../contracts/catalog/catalog.ts'
import type { Tare } from '../../contracts/catalog/measure.ts'
import { LANGUAGES } from '../../contracts/i18n/languages.ts'
import { useTerminal } from '../core/state/terminal.ts'
import { type MeasureUnit, formatThousandths, parseThousandths } from '../../contracts/catalog/measure-units.ts'

/** Parses typed dollars, with a point or a comma, to cents; null if invalid. */
export function centsTyped(text: string): number | null {
  const match = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text.trim().replace(/^\$\s?|\s?\$$/g, ''))
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null
}

/** Writes a number for a field, with the decimal mark of the window's language. */
export const typedNumber = (value: number | string): string =>
  String(value).replace('.', LANGUAGES[useTerminal.getState().locale].paper.decimal)

export const typedCents = (cents: number): string => typedNumber((cents / 100).toFixed(2))

/** Parses a typed tare: a weight such as 0.012, or a share such as 4%. Undefined for none; null if invalid. */
export function tareTyped(text: string): Tare | undefined | null {
  if (text === '') return undefined
  const share = /^(\d{1,2}(?:[.,]\d{1,3})?)\s?%$/.exec(text)?.[1]
  const ppm = share === undefined ? 0 : Math.round(Number(share.replace(',', '.')) * 10_000)
  if (share !== undefined) return ppm > 0 ? { kind: 'share', ppm } : null
  const thousandths = parseThousandths(text, 3)
  return thousandths ? { kind: 'fixed', thousandths } : null
}

export const typedTare = (tare: Tare | undefined): string =>
  tare === undefined
    ? ''
    : tare.kind === 'share'
      ? `${typedNumber(tare.ppm / 10_000)}%`
      : typedNumber(formatThousandths(tare.thousandths, 3, '.'))

/** The unit in which an item is sold; `barcode`: its barcode decides. */
export const soldByOf = (item: Pick<Item, 'soldBy' | 'unit'> | null): 'barcode' | 'each' | MeasureUnit =>
  item?.soldBy === 'kg' ? (item.unit ?? 'kg') : (item?.soldBy ?? 'barcode')
