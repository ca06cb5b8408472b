import * as languages from './all-languages.ts'
import type { Language } from './language.ts'

export type Locale = keyof typeof languages
export const LANGUAGES: Readonly<Record<Locale, Language>> = languages

/** Where nobody has chosen a language, and where a text is in no other. */
export const FIRST_LOCALE: Locale = 'en-CA'
export const LOCALES: readonly [Locale, ...Locale[]] = [
  FIRST_LOCALE,
  ...(Object.keys(LANGUAGES) as Locale[]).filter((locale) => locale !== FIRST_LOCALE),
]

/** One for each language. */
export const perLocale = <Value>(of: (locale: Locale) => Value): Record<Locale, Value> =>
  Object.fromEntries(LOCALES.map((locale) => [locale, of(locale)])) as Record<Locale, Value>

/** The language that somebody names by its code or in short, "fr-CA" or "fr"; undefined where there is none. */
export const localeNamed = (name: string): Locale | undefined =>
  LOCALES.find((locale) => locale === name || LANGUAGES[locale].short === name)

/** The next one of the languages, after the last the first again. */
export const localeAfter = (locale: Locale): Locale =>
  LOCALES[(LOCALES.indexOf(locale) + 1) % LOCALES.length] ?? FIRST_LOCALE
