import { createTranslator } from 'use-intl/core'
import { mistyped } from '../contracts/command-line.ts'
import { CATALOGS, type Messages } from '../contracts/i18n/catalogs.ts'
import { perLocale } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'
import { LocalizedError } from '../contracts/localized-error.ts'

/** What the commands of the server say, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'storeServer' })

export type RefusedKey = keyof Messages['storeServer']['refused']
const TRANSLATORS = perLocale(translatorOf)

/** Sentences of `storeServer.refused` in every language, one after the other. */
export const wordsOf = (keys: readonly RefusedKey[], values: Readonly<Record<string, string>> = {}) =>
  perLocale((locale) => {
    const say: (key: `refused.${RefusedKey}`, values: Readonly<Record<string, string>>) => string = TRANSLATORS[locale]
    return keys.map((key) => say(`refused.${key}`, values)).join(' ')
  })

/** What cannot be done, and what to do. */
export const refused = (
  keys: RefusedKey | readonly RefusedKey[],
  values: Readonly<Record<string, string>> = {},
  options?: ErrorOptions,
): LocalizedError => new LocalizedError(wordsOf(typeof keys === 'string' ? [keys] : keys, values), options)

const MISTYPED = perLocale((locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'files.command' }),
)

/** What was typed and cannot be understood; `error` is that of parseArgs. */
export function mistypedError(error: unknown): LocalizedError {
  const { key, values } = mistyped(error)
  return new LocalizedError(
    perLocale((locale) => MISTYPED[locale](key, values)),
    { cause: error },
  )
}
