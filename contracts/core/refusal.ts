import english from '../i18n/en-CA/starting.ts'
import { FIRST_LOCALE } from '../i18n/languages.ts'
import type { Localized } from './locales.ts'

export type StartingKey = keyof typeof english
type Value = string | number | { readonly textKey: StartingKey }

/**
 * A sentence of the message catalog `starting` with its values, or a plain text (a path, a command line) that no
 * language changes.
 */
export type Sentence = string | readonly [key: StartingKey, values?: Readonly<Record<string, Value>>]
export type Refusal = readonly Sentence[]

export type RefusalTexts = Readonly<Record<StartingKey, string>>

/** Formats a refusal in one language. It does not use ICU, because it must work before anything is loaded. */
export function formatRefusal(refusal: Refusal, texts: RefusalTexts = english): string {
  const valueOf = (value: Value | undefined): string =>
    typeof value === 'object' ? texts[value.textKey] : String(value ?? '')
  return refusal
    .map((sentence) => {
      if (typeof sentence === 'string') return sentence
      const [key, values = {}] = sentence
      return texts[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(values[name]))
    })
    .join(' ')
}

export const formatRefusalIn = <Locale extends string>(
  refusal: Refusal,
  catalogs: Readonly<Record<Locale, { readonly starting: RefusalTexts }>>,
  locale: Locale | null,
): string =>
  Object.entries<{ readonly starting: RefusalTexts }>(catalogs)
    .filter(([one]) => locale === null || one === locale)
    .map(([, { starting }]) => formatRefusal(refusal, starting))
    .join('\n')

/** Thrown with a localized message for the person who ran a CLI command. `message` is English, for logs. */
export class LocalizedError extends Error {
  override name = 'LocalizedError'
  readonly messages: Localized
  constructor(messages: Localized, options?: ErrorOptions) {
    super(messages[FIRST_LOCALE], options)
    this.messages = messages
  }
}
