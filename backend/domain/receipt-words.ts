import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../contracts/i18n/catalogs.ts'
import { LANGUAGES, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { localDateTimeAt } from './zone.ts'

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
