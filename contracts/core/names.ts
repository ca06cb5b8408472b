import type { Locale } from './locales.ts'
import { LOCALES } from '../i18n/languages.ts'

/** The name in this language, else in the first that has one; empty where none has. */
export function nameIn(names: Readonly<Partial<Record<Locale, string | undefined>>>, locale: Locale): string {
  const first = LOCALES.find((other) => names[other] !== undefined)
  return names[locale] ?? (first && names[first]) ?? ''
}
