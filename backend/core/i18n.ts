import { createTranslator } from 'use-intl/core'
import type { NoticeCode, ResponseCode } from '../../contracts/central/cash.ts'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import { CATALOGS, type Messages } from '../../contracts/i18n/catalogs.ts'
import type { Situation } from '../../contracts/i18n/en-CA/exceptions.ts'
import { FIRST_LOCALE, localeNamed, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../../contracts/core/locales.ts'
import { type Refusal, formatRefusalIn } from '../../contracts/core/refusal.ts'

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale] })
export type Translate = ReturnType<typeof translatorOf>
const translators = perLocale(translatorOf)

export const translate = (locale: Locale): Translate => translators[locale]

type Values = Readonly<Record<string, string | number>>
/** The compiler cannot check the ICU values of composed message keys, so the catalog tests do. */
const translateKeyIn = (locale: Locale) => translate(locale) as (key: string, values: Values) => string

/**
 * Message of a problem of the local API in every language. `details` are its ICU values, and may name the lanes to wait
 * for; without a lane number the message refers to all lanes.
 */
export function problemMessages(
  code: ProblemCode,
  details: readonly { readonly path: string; readonly message: string }[] = [],
): Localized {
  const lanes = details.flatMap(({ path, message }) => (path === 'awaited' && message !== '' ? [message] : []))
  return perLocale((locale) =>
    translateKeyIn(locale)(`errors.${code}`, {
      most: '',
      reason: '',
      ...Object.fromEntries(details.map(({ path, message }) => [path, message])),
      count: lanes.length,
      lanes: lanes.join(', '),
    }),
  )
}

export const refusalText = (
  { message, refusal }: { readonly message: string; readonly refusal: Refusal | null },
  locale: Locale | null,
): string => (refusal === null ? message : formatRefusalIn(refusal, CATALOGS, locale))

type Files = Messages['files']
export type FileMessageKey = { [Section in keyof Files]: `${Section}.${keyof Files[Section] & string}` }[keyof Files]

/**
 * Translates a message about a file written by an installer, in every language. A value may be localized; a number only
 * selects a plural form.
 */
export const fileMessages = (
  key: FileMessageKey,
  values: Readonly<Record<string, string | number | Localized>> = {},
): Localized =>
  perLocale((locale) => {
    const localized = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' ? value[locale] : value,
    ])
    return translateKeyIn(locale)(`files.${key}`, Object.fromEntries(localized))
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
 * Message about a call that needs a manager, and the action to take: by the service's code, by its outcome, or for all
 * calls with one code. `closes`: when the reversal window closes, as text.
 */
export function exceptionMessages(about: ExceptionKind): { readonly says: Localized; readonly todo: Localized } {
  const key = exceptionKey(about)
  const closes = ('closes' in about ? about.closes : undefined) ?? perLocale(() => '')
  const messageOf = (name: 'says' | 'todo'): Localized =>
    perLocale((locale) => translate(locale)(`${key}.${name}`, { closes: closes[locale] }))
  return { says: messageOf('says'), todo: messageOf('todo') }
}

/** Reads the option `--language`, even when the other arguments are invalid. */
export function requestedLanguage(argv: readonly string[]): Locale {
  const at = argv.findIndex((arg) => arg === '--language' || arg.startsWith('--language='))
  const [, value = argv[at + 1]] = argv[at]?.split('=') ?? []
  return (at === -1 ? undefined : localeNamed(value ?? '')) ?? FIRST_LOCALE
}
