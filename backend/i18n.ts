import { createTranslator } from 'use-intl/core'
import type { NoticeCode, ResponseCode } from '../contracts/central/codes.ts'
import type { ProblemCode } from '../contracts/errors.ts'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import type { Situation } from '../contracts/i18n/en-CA/exceptions.ts'
import { inEveryLocale, type Bilingual, type Locale } from '../contracts/locales.ts'

const translators = {
  'en-CA': createTranslator({ locale: 'en-CA', messages: CATALOGS['en-CA'] }),
  'fr-CA': createTranslator({ locale: 'fr-CA', messages: CATALOGS['fr-CA'] }),
} as const

export type Translate = (typeof translators)['en-CA']

/** A function from a message key (`errors.…`, `receipt.…`) and its ICU values to the words in that language. */
export const translate = (locale: Locale): Translate => translators[locale] as Translate

/** What happened and what to do, in every language, for a problem of the local API. */
export function problemMessages(code: ProblemCode): Bilingual {
  return inEveryLocale((locale) => translate(locale)(`errors.${code}`))
}

type ExceptionKind =
  | { readonly code: ResponseCode }
  | { readonly state: Situation; readonly closes?: Bilingual }
  | { readonly notice: NoticeCode }
const exceptionKey = (about: ExceptionKind) =>
  'code' in about
    ? (`exceptions.code.${about.code}` as const)
    : 'state' in about
      ? (`exceptions.state.${about.state}` as const)
      : (`exceptions.notice.${about.notice}` as const)

/**
 * What happened to a call that a manager must see, and what to do: by the services' code, by how it ended, or of all
 * calls that meet a code. `closes`: when a window closes, in words.
 */
export function exceptionMessages(about: ExceptionKind): { readonly says: Bilingual; readonly todo: Bilingual } {
  const key = exceptionKey(about)
  const closes = ('closes' in about ? about.closes : undefined) ?? inEveryLocale(() => '')
  const part = (name: 'says' | 'todo'): Bilingual =>
    inEveryLocale((locale) => translate(locale)(`${key}.${name}`, { closes: closes[locale] }))
  return { says: part('says'), todo: part('todo') }
}
