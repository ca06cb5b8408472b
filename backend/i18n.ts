import { createTranslator } from 'use-intl/core'
import type { ProblemCode } from '../contracts/errors.ts'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import type { Bilingual, Locale } from '../contracts/locales.ts'

const translators = {
  'en-CA': createTranslator({ locale: 'en-CA', messages: CATALOGS['en-CA'] }),
  'fr-CA': createTranslator({ locale: 'fr-CA', messages: CATALOGS['fr-CA'] }),
} as const

export type Translate = (typeof translators)['en-CA']

/** A function from a message key (`errors.…`, `receipt.…`) and its ICU values to the words in that language. */
export const translate = (locale: Locale): Translate => translators[locale] as Translate

/** What happened and what to do, in both languages, for a problem of the local API. */
export function problemMessages(code: ProblemCode): Bilingual {
  return { 'en-CA': translators['en-CA'](`errors.${code}`), 'fr-CA': translators['fr-CA'](`errors.${code}`) }
}
