import { createTranslator } from 'use-intl/core'
import { CATALOGS, type Messages } from '../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../../contracts/locales.ts'
import { LocalizedError } from '../../contracts/localized-error.ts'
import type { ProfileMistake } from '../../contracts/profile-check.ts'
import { mistakeLine } from '../check-profile.ts'

/** What the tool for codes says, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'enrolling' })
export type Say = ReturnType<typeof translatorOf>

/** What cannot be done, in words for whoever runs the command. */
export class EnrolError extends LocalizedError {
  override name = 'EnrolError'
}

type Key = keyof Messages['enrolling']['refused']
const TRANSLATORS = perLocale(translatorOf)

/** A refusal in every language; `help` follows it, where what was typed cannot be understood. */
export function refused(
  key: Key,
  values: Readonly<Record<string, string>> = {},
  { help = '', cause }: { readonly help?: string; readonly cause?: unknown } = {},
): EnrolError {
  const words = perLocale((locale) => {
    const say: (key: `refused.${Key}`, values: Readonly<Record<string, string>>) => string = TRANSLATORS[locale]
    return [say(`refused.${key}`, values), ...(help === '' ? [] : [help])].join('\n')
  })
  return new EnrolError(words, { cause })
}

/** Texts one below the other, in every language. */
export const joined = (texts: readonly Localized[]): Localized =>
  perLocale((locale) => texts.map((text) => text[locale]).join('\n'))

/** A mistake in a file with its place, in every language. */
export const wordsOfMistake = (mistake: ProfileMistake): Localized =>
  perLocale((locale) => mistakeLine(mistake, locale))
