import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LANGUAGES, perLocale } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { localDateTimeAt } from '../zone.ts'

type Style = Pick<Extract<ReceiptBlock, { kind: 'row' }>, 'bold' | 'size' | 'paperOnly'>

/** Blocks that fit a paper of so many columns, whatever the store, the items and the people are called. */
export interface Paper {
  readonly columns: number
  /** A text, broken at spaces into as many blocks as it needs. Nothing for an empty text. */
  readonly text: (text: string, align: 'left' | 'center' | 'right', style?: Style) => ReceiptBlock[]
  /**
   * A label and its value on one line. A long label breaks above; a value that leaves it no room stands on a line of
   * its own.
   */
  readonly row: (left: string, right: string, style?: Style) => ReceiptBlock[]
  /** A row that explains the one above it, set in, so that its value is not taken for another amount. */
  readonly detail: (left: string, right: string, style?: Style) => ReceiptBlock[]
}

const INDENT = '  '

export function paperOf(columns: number): Paper {
  // Double-width characters take two columns each.
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

/** Below this many columns a label is not worth breaking beside its value. */
const MIN_LABEL = 12

/** Characters, not UTF-16 units: the printer gives each one column. */
export const columnsOf = (text: string): number => [...text].length

/**
 * Text from the catalog, the profile or a person, without anything that is not a visible character: a control
 * character is a command to a printer, and a bidirectional mark rearranges a screen. Spaces of every width become a
 * plain one; two in a row stay (they belong before a postal code).
 */
export const plainText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim()

/** Breaks at spaces; a word wider than the paper breaks where the paper ends. Always at least one line. */
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
type Say = ReturnType<typeof translatorOf>
const translators = perLocale(translatorOf)

/**
 * Words and figures of a receipt in one language. Figures are written here and not by `Intl`, whose French puts
 * U+202F and U+00A0 between digits: thermal fonts lack them.
 */
export interface ReceiptWords {
  readonly locale: Locale
  readonly say: Say
  /** "1,234.56" or "1 234,56": an amount in the column of a line. */
  readonly amount: (cents: number) => string
  /** "$1,234.56" or "1 234,56 $". */
  readonly money: (cents: number) => string
  /** "1,234" or "1 234". */
  readonly count: (value: number) => string
  /** "1,234 miles" or "1 234 milles". */
  readonly miles: (value: number) => string
  /** "13" or "9.975" or "9,975", of a rate in parts per million. */
  readonly rate: (ratePpm: number) => string
  /** "2026-11-20 21:54" or "2026-11-20 21 h 54", on the store's wall clock. */
  readonly dateTime: (epochMs: number, timeZone: string) => string
}

export function receiptWords(locale: Locale): ReceiptWords {
  const say = translators[locale]
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
    say,
    amount,
    count,
    money: (cents) => signed(cents, `${before}${amount(Math.abs(cents))}${after}`),
    miles: (value) => say('miles', { count: value, amount: count(value) }),
    rate: (ratePpm) => decimal(ratePpm, point),
    dateTime: (epochMs, timeZone) => {
      const local = localDateTimeAt(epochMs, timeZone)
      return say('dateTime', {
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

/** Parts per million as a percentage without trailing zeros: 99 750 → "9.975". */
function decimal(ratePpm: number, point: string): string {
  const fraction = String(ratePpm % 10_000)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return String(Math.floor(ratePpm / 10_000)) + (fraction === '' ? '' : point + fraction)
}

/** What the print queue calls the papers of drawers and of days: each names what it is of. */
const numbered =
  (letters: string) =>
  (number: number): string =>
    `${letters}${String(number).padStart(8, '0')}`

export const zPaper = numbered('Z')
export const shiftPaper = numbered('SHIFT')
export const movementPaper = numbered('CASH')

/**
 * `CLOSING202611Z7`: with the number of its last Z, and an X behind it while more can come to it. What is printed after
 * another Z, also one of a clock that was set, or once it is over, is no copy of what was printed before.
 */
export const closingPaper = (period: string, lastZ: number, isOver: boolean): string =>
  `CLOSING${period.replaceAll('-', '')}Z${lastZ}${isOver ? '' : 'X'}`

/** Of which day or month such a paper is; `soFar`: the Z up to which one goes that was not over. A period is itself. */
export function closingOf(id: string): { readonly period: string; readonly soFar: number | null } {
  const [, year, month, day, lastZ, isSoFar] = /^CLOSING(\d{4})(\d{2})(\d{2})?Z(\d+)(X?)$/.exec(id) ?? []
  if (year === undefined) return { period: id, soFar: null }
  return {
    period: [year, month, day].filter((part) => part !== undefined).join('-'),
    soFar: isSoFar === 'X' ? Number(lastZ) : null,
  }
}

/** What people call such a paper by: its number, or the day or the month of a closing. */
export const numberOnPaper = (id: string): string =>
  id.startsWith('CLOSING') ? closingOf(id).period : String(Number(id.replace(/^[A-Z]+/, '')))
