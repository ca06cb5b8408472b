import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

const NO_BREAK = '\u00a0'

/**
 * The words of a language with the spaces at which no line may end made unbreakable: one sentence, or a tree of them.
 */
export function unbroken<Words>(words: Words, locale: Locale): Words
export function unbroken(words: unknown, locale: Locale): unknown {
  const { unbroken: spaces } = LANGUAGES[locale]
  const joined = (part: unknown): unknown => {
    if (typeof part === 'string') return spaces.reduce((text, space) => text.replaceAll(space, NO_BREAK), part)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, joined(value)]))
  }
  return spaces.length === 0 ? words : joined(words)
}
