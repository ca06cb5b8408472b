import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LANGUAGES, perLocale } from '../../../contracts/i18n/languages.ts'
import type { Locale, Names } from '../../../contracts/core/locales.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { localDateTimeAt } from '../zone.ts'

type Style = Pick<Extract<ReceiptBlock, { kind: 'row' }>, 'bold' | 'size' | 'paperOnly'>

export interface Paper {
  readonly columns: number
  /** A text, broken at spaces into as many blocks as needed; none for an empty text. */
  readonly text: (text: string, align: 'left' | 'center' | 'right', style?: Style) => ReceiptBlock[]
  /** A label and its value on one line. A long label begins on lines above; a long value gets its own line. */
  readonly row: (left: string, right: string, style?: Style) => ReceiptBlock[]
  /** An indented row that explains the row above it. The indent shows that its value is not added to the total. */
  readonly detail: (left: string, right: string, style?: Style) => ReceiptBlock[]
}

const INDENT = '  '

export function paperOf(columns: number): Paper {
  const widthOf = (style: Style | undefined): number => (style?.size === 'large' ? Math.floor(columns / 2) : columns)

  function row(left: string, right: string, style: Style, width: number): Extract<ReceiptBlock, { kind: 'row' }>[] {
    const value = plainText(right)
    const room = width - columnsOf(value) - 1
    const own = room < MIN_LABEL && columnsOf(plainText(left)) > room
    const lines = wrap(plainText(left), own ? width : room)
    const last = own ? '' : (lines.pop() ?? '')
    return [
      ...lines.map((line) => ({ kind: 'row', left: line, right: '', ...style }) as const),
      ...(own ? wrap(value, width) : [value]).map(
        (line, index) => ({ kind: 'row', left: index === 0 ? last : '', right: line, ...style }) as const,
      ),
    ]
  }

  return {
    columns,
    text: (text, align, style = {}) => {
      const clean = plainText(text)
      return clean === ''
        ? []
        : wrap(clean, widthOf(style)).map((line) => ({ kind: 'text', text: line, align, ...style }))
    },
    row: (left, right, style = {}) => row(left, right, style, widthOf(style)),
    detail: (left, right, style = {}) =>
      row(left, right, style, widthOf(style) - INDENT.length).map((block) => ({ ...block, left: INDENT + block.left })),
  }
}

/** Separates the two texts of a bilingual receipt until a row or line is composed; printed as a slash. */
const BETWEEN_LANGUAGES = '\u001f'

/** Minimum columns for a label on the line of its value; with fewer the label gets its own line. */
const MIN_LABEL = 12

export const columnsOf = (text: string): number => [...text].length

/**
 * Removes invisible characters from text of the catalog, the profile or a person: control characters are printer
 * commands, and bidirectional marks rearrange a screen. Spaces of every width become plain ones; two in a row remain
 * (postal codes have them).
 */
export const plainText = (text: string): string =>
  text
    .replaceAll(BETWEEN_LANGUAGES, ' / ')
    .normalize('NFC')
    .replace(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim()

/** Breaks a text at spaces, and inside a run of letters wider than the paper. Returns at least one line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (columnsOf(joined) <= width) {
      line = joined
      continue
    }
    if (line.trim() !== '') lines.push(line.trimEnd())
    let rest = [...word]
    while (rest.length > width) {
      lines.push(rest.slice(0, width).join(''))
      rest = rest.slice(width)
    }
    line = rest.join('')
  }
  if (line.trim() !== '' || lines.length === 0) lines.push(line)
  return lines
}

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale].receipt })
type Translate = ReturnType<typeof translatorOf>
const translators = perLocale(translatorOf)

/**
 * Texts and number formats of a receipt, in one language or two. `Intl` is not used: in French it puts U+202F and
 * U+00A0 between digits, which thermal fonts lack.
 */
export interface ReceiptTexts {
  readonly locale: Locale
  readonly t: Translate
  /** Name of an item, coupon or promotion. */
  readonly name: (names: Names) => string
  /** Formats an amount for the column of amounts, without a dollar sign: "1,234.56" or "1 234,56". */
  readonly amount: (cents: number) => string
  readonly money: (cents: number) => string
  readonly count: (value: number) => string
  readonly miles: (value: number) => string
  readonly rate: (ratePpm: number) => string
  /** Formats a time on the store's wall clock: "2026-11-20 21:54" or "2026-11-20 21 h 54". */
  readonly dateTime: (epochMs: number, timeZone: string) => string
}

/**
 * Keys of the texts that a bilingual receipt has in one language only: marks in columns, and titles of documents other
 * than vouchers.
 */
const IN_ONE_LANGUAGE = /^tax-mark-|title$/

/** Joins the texts of two languages, or returns the only one if they are equal. */
const joined = (first: string, second: string): string =>
  first === second ? first : `${first}${BETWEEN_LANGUAGES}${second}`

/**
 * Texts in two languages. A value that is already in two languages is inserted into each text in its own language.
 */
function bilingual(first: Locale, second: Locale): Translate {
  type Plain = (key: string, values?: Readonly<Record<string, string | number>>) => string
  const inLanguage = (locale: Locale, side: 0 | 1): Plain => {
    const t = translators[locale] as unknown as Plain
    return (key, values = {}) =>
      t(
        key,
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const texts = typeof value === 'string' ? value.split(BETWEEN_LANGUAGES) : []
            return [name, texts.length === 2 ? (texts[side] ?? '') : value]
          }),
        ),
      )
  }
  const [one, other] = [inLanguage(first, 0), inLanguage(second, 1)]
  const both: Plain = (key, values) =>
    IN_ONE_LANGUAGE.test(key) && !key.startsWith('gift-card-') && !key.startsWith('store-credit-')
      ? one(key, values)
      : joined(one(key, values), other(key, values))
  return both as unknown as Translate
}

/** Texts in `locale`; with another `second` language, each text in both. */
export function receiptTexts(locale: Locale, second?: Locale): ReceiptTexts {
  const own = translators[locale]
  const isBilingual = second !== undefined && second !== locale
  const t = isBilingual ? bilingual(locale, second) : own
  const {
    decimal: point,
    thousands,
    dollars: [before, after],
  } = LANGUAGES[locale].paper
  const count = (value: number): string => signed(value, grouped(String(Math.abs(value)), thousands))
  const amount = (cents: number): string => {
    const digits = String(Math.abs(cents)).padStart(3, '0')
    return signed(cents, `${grouped(digits.slice(0, -2), thousands)}${point}${digits.slice(-2)}`)
  }
  return {
    locale,
    t,
    name: (names) => (isBilingual ? joined(nameIn(names, locale), nameIn(names, second)) : nameIn(names, locale)),
    amount,
    count,
    money: (cents) => signed(cents, `${before}${amount(Math.abs(cents))}${after}`),
    miles: (value) => t('miles', { count: value, amount: count(value) }),
    rate: (ratePpm) => decimal(ratePpm, point),
    dateTime: (epochMs, timeZone) => {
      const local = localDateTimeAt(epochMs, timeZone)
      return own('dateTime', {
        date: local.toPlainDate().toString(),
        hour: twoDigits(local.hour),
        minute: twoDigits(local.minute),
      })
    },
  }
}

const signed = (value: number, magnitude: string): string => (value < 0 ? `-${magnitude}` : magnitude)
const twoDigits = (value: number): string => String(value).padStart(2, '0')
const grouped = (digits: string, separator: string): string => digits.replace(/\B(?=(\d{3})+$)/g, separator)

function decimal(ratePpm: number, point: string): string {
  const fraction = String(ratePpm % 10_000)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return String(Math.floor(ratePpm / 10_000)) + (fraction === '' ? '' : point + fraction)
}

const numbered =
  (letters: string) =>
  (number: number): string =>
    `${letters}${String(number).padStart(8, '0')}`

export const zPaper = numbered('Z')
export const shiftPaper = numbered('SHIFT')
export const movementPaper = numbered('CASH')

/**
 * Id of a closing's paper, e.g. `CLOSING202611Z7`: it contains the number of its last Z report, and ends with X while
 * the period is not over. A print with another last Z report, or after the end of the period, is not a copy of an
 * earlier one.
 */
export const closingPaper = (period: string, lastZ: number, isOver: boolean): string =>
  `CLOSING${period.replaceAll('-', '')}Z${lastZ}${isOver ? '' : 'X'}`

/**
 * Parses the id of a closing's paper, or a day or month. Returns the period; `soFar`: the last Z report of a period
 * that was not over when the paper was made.
 */
export function closingOf(id: string): { readonly period: string; readonly soFar: number | null } {
  const [, year, month, day, lastZ, isSoFar] = /^CLOSING(\d{4})(\d{2})(\d{2})?Z(\d+)(X?)$/.exec(id) ?? []
  if (year === undefined) return { period: id, soFar: null }
  return {
    period: [year, month, day].filter((field) => field !== undefined).join('-'),
    soFar: isSoFar === 'X' ? Number(lastZ) : null,
  }
}

/** Number of a document as printed, without prefix and leading zeros; of a closing, its day or month. */
export const numberOnPaper = (id: string): string =>
  id.startsWith('CLOSING') ? closingOf(id).period : String(Number(id.replace(/^[A-Z]+/, '')))
