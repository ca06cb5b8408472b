import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'

/** The language that is asked for, also where the rest cannot be understood. */
export function askedLanguage(argv: readonly string[]): Locale {
  const at = argv.findIndex((arg) => arg === '--language' || arg.startsWith('--language='))
  return localeNamed(argv[at]?.split('=')[1] ?? argv[at + 1] ?? '') ?? FIRST_LOCALE
}
