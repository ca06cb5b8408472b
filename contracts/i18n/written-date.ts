import type { Locale } from '../core/locales.ts'
import { LANGUAGES } from './languages.ts'

/** Formats a date; French has an ordinal for the first of a month, 1er décembre. */
export const writtenDate = (form: Intl.DateTimeFormat, at: Date, locale: Locale): string =>
  form
    .formatToParts(at)
    .map(({ type, value }) => (type === 'day' && value === '1' ? LANGUAGES[locale].firstOfMonth : value))
    .join('')

/** Format of a moment on all screens: "Nov 22, 2026, 03:00" and "22 nov. 2026, 03 h 00". */
export const momentForm = (locale: Locale, zone: { readonly timeZone?: string } = {}): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', ...zone })
