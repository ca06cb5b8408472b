import * as languages from './all-languages.ts'
import type { Language } from './language.ts'

export type Locale = keyof typeof languages
export const LANGUAGES: Readonly<Record<Locale, Language>> = languages

/** Language that is used when none is chosen, and of texts that exist in one language only. */
export const FIRST_LOCALE: Locale = 'en-CA'
export const LOCALES: readonly [Locale, ...Locale[]] = [
  FIRST_LOCALE,
  ...(Object.keys(LANGUAGES) as Locale[]).filter((locale) => locale !== FIRST_LOCALE),
]

export const perLocale = <Value>(of: (locale: Locale) => Value): Record<Locale, Value> =>
  Object.fromEntries(LOCALES.map((locale) => [locale, of(locale)])) as Record<Locale, Value>

/** Finds a language by its code or abbreviation, "fr-CA" or "fr". */
export const localeNamed = (name: string): Locale | undefined =>
  LOCALES.find((locale) => locale === name || LANGUAGES[locale].short === name)

export const localeAfter = (locale: Locale): Locale =>
  LOCALES[(LOCALES.indexOf(locale) + 1) % LOCALES.length] ?? FIRST_LOCALE
