import { createTranslator } from 'use-intl/core'
import type { NoticeCode, ResponseCode } from '../../contracts/central/cash.ts'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import { CATALOGS, type Messages } from '../../contracts/i18n/catalogs.ts'
import type { Situation } from '../../contracts/i18n/en-CA/exceptions.ts'
import { FIRST_LOCALE, localeNamed, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../../contracts/core/locales.ts'
import { type Refusal, sayRefusalIn } from '../../contracts/core/refusal.ts'

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale] })
export type Translate = ReturnType<typeof translatorOf>
const translators = perLocale(translatorOf)

/** A function from a message key (`errors.…`, `receipt.…`) and its ICU values to the words in that language. */
export const translate = (locale: Locale): Translate => translators[locale]

type Values = Readonly<Record<string, string | number>>
/** Of keys that are made of parts the compiler does not know what each takes; the tests of the catalogs do. */
const sayingIn = (locale: Locale) => translate(locale) as (key: string, values: Values) => string

/**
 * What happened and what to do, in every language, for a problem of the local API. `details`: its facts, of which words
 * may name the lanes that are awaited; where none is known by its number, they say so of all.
 */
export function problemMessages(
  code: ProblemCode,
  details: readonly { readonly path: string; readonly message: string }[] = [],
): Localized {
  const lanes = details.flatMap(({ path, message }) => (path === 'awaited' && message !== '' ? [message] : []))
  return perLocale((locale) => sayingIn(locale)(`errors.${code}`, { count: lanes.length, lanes: lanes.join(', ') }))
}

/** Why a start was refused, in one language; in all of them where none is known. */
export const refusalWords = (
  { message, refusal }: { readonly message: string; readonly refusal: Refusal | null },
  locale: Locale | null,
): string => (refusal === null ? message : sayRefusalIn(refusal, CATALOGS, locale))

type Files = Messages['files']
export type FileMessageKey = { [Part in keyof Files]: `${Part}.${keyof Files[Part] & string}` }[keyof Files]

/**
 * What is wrong with a file that an installer writes, in every language. A value may itself be in every language; a
 * number chooses a plural and is written by none.
 */
export const fileMessages = (
  key: FileMessageKey,
  values: Readonly<Record<string, string | number | Localized>> = {},
): Localized =>
  perLocale((locale) => {
    const spoken = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' ? value[locale] : value,
    ])
    return sayingIn(locale)(`files.${key}`, Object.fromEntries(spoken))
  })

type ExceptionKind =
  | { readonly code: ResponseCode }
  | { readonly state: Situation; readonly closes?: Localized }
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
export function exceptionMessages(about: ExceptionKind): { readonly says: Localized; readonly todo: Localized } {
  const key = exceptionKey(about)
  const closes = ('closes' in about ? about.closes : undefined) ?? perLocale(() => '')
  const part = (name: 'says' | 'todo'): Localized =>
    perLocale((locale) => translate(locale)(`${key}.${name}`, { closes: closes[locale] }))
  return { says: part('says'), todo: part('todo') }
}

/** The language that is asked for, also where the rest cannot be understood. */
export function askedLanguage(argv: readonly string[]): Locale {
  const at = argv.findIndex((arg) => arg === '--language' || arg.startsWith('--language='))
  return localeNamed(argv[at]?.split('=')[1] ?? argv[at + 1] ?? '') ?? FIRST_LOCALE
}
