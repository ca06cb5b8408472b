import type { Locale } from '../core/locales.ts'
import type english from './en-CA/program.ts'
import { LANGUAGES, LOCALES } from './languages.ts'

/** The English messages. All languages have the same keys and placeholders. */
export type Messages = typeof english

export const CATALOGS = Object.fromEntries(
  await Promise.all(LOCALES.map(async (locale) => [locale, (await LANGUAGES[locale].program()).default] as const)),
) as Readonly<Record<Locale, Messages>>
