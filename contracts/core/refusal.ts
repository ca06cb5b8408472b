import english from '../i18n/en-CA/starting.ts'
import { FIRST_LOCALE } from '../i18n/languages.ts'
import type { Localized } from './locales.ts'

export type StartingKey = keyof typeof english
type Value = string | number | { readonly say: StartingKey }

/** A sentence of `starting` and what it names; a text stands as it is, in every language: a path, a command. */
export type Sentence = string | readonly [key: StartingKey, values?: Readonly<Record<string, Value>>]
/** Why something is refused, and what to do: it is thrown where no language is known, and said where one is. */
export type Refusal = readonly Sentence[]

export type RefusalWords = Readonly<Record<StartingKey, string>>

/** In the words of a language. Written without ICU: it must be at hand before anything is loaded. */
export function sayRefusal(refusal: Refusal, words: RefusalWords = english): string {
  const valueOf = (value: Value | undefined): string =>
    typeof value === 'object' ? words[value.say] : String(value ?? '')
  return refusal
    .map((sentence) => {
      if (typeof sentence === 'string') return sentence
      const [key, values = {}] = sentence
      return words[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(values[name]))
    })
    .join(' ')
}

/** In one language; in all of them, a line each, where none is known. */
export const sayRefusalIn = <Locale extends string>(
  refusal: Refusal,
  catalogs: Readonly<Record<Locale, { readonly starting: RefusalWords }>>,
  locale: Locale | null,
): string =>
  Object.entries<{ readonly starting: RefusalWords }>(catalogs)
    .filter(([one]) => locale === null || one === locale)
    .map(([, { starting }]) => sayRefusal(refusal, starting))
    .join('\n')

/** What cannot be done, in words for whoever ran a command. Its message is English, as logs are. */
export class LocalizedError extends Error {
  override name = 'LocalizedError'
  readonly messages: Localized
  constructor(messages: Localized, options?: ErrorOptions) {
    super(messages[FIRST_LOCALE], options)
    this.messages = messages
  }
}
