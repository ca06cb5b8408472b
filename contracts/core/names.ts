import type { Locale } from './locales.ts'
import { LOCALES } from '../i18n/languages.ts'

/** Returns the name in this language, else in the first language that has one, else an empty text. */
export function nameIn(names: Readonly<Partial<Record<Locale, string | undefined>>>, locale: Locale): string {
  const first = LOCALES.find((other) => names[other] !== undefined)
  return names[locale] ?? (first && names[first]) ?? ''
}
