import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

const NO_BREAK = '\u00a0'

/** Replaces spaces at which a line must not break by non-breaking ones, in one text or a tree of texts. */
export function withNonBreakingSpaces<Texts>(texts: Texts, locale: Locale): Texts
export function withNonBreakingSpaces(texts: unknown, locale: Locale): unknown {
  const { unbroken: spaces } = LANGUAGES[locale]
  const joined = (part: unknown): unknown => {
    if (typeof part === 'string') return spaces.reduce((text, space) => text.replaceAll(space, NO_BREAK), part)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, joined(value)]))
  }
  return spaces.length === 0 ? texts : joined(texts)
}
