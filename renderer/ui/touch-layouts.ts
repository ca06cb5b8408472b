import { LANGUAGES, perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'

/** Ten keys a row, the most that a finger finds apart on the smallest screen. What is no letter is a named key. */
export type NamedKey = 'shift' | 'erase' | 'layer' | 'space' | 'enter' | 'hide'
export type TouchKey =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: NamedKey; readonly wide?: number }
export type TouchLayer = 'letters' | 'signs' | 'digits'

const texts = (row: string): TouchKey[] => [...row].map((text) => ({ kind: 'text', text }))
const key = (kind: NamedKey, wide = 1): TouchKey => ({ kind, wide })
const DIGITS = texts('1234567890')

const SIGNS = [texts('/&#@+%$()*'), [key('shift'), ...texts(':;!?_"=°'), key('erase')]] as const
/** The room of the space bar and of the signs beside it. */
const MIDDLE = 6

const lastRow = (left: string, right: string): TouchKey[] => [
  key('layer'),
  ...texts(left),
  key('space', MIDDLE - left.length - right.length),
  ...texts(right),
  key('enter', 2),
  key('hide'),
]

const LAYOUTS = perLocale((locale) => {
  const {
    letters: [upper, home, lower],
    besideSpace,
    accents,
  } = LANGUAGES[locale].touch
  return {
    letters: [
      DIGITS,
      texts(upper),
      texts(home),
      [key('shift'), ...texts(lower), key('erase')],
      lastRow(...besideSpace),
    ],
    signs: [DIGITS, texts(accents), ...SIGNS, lastRow(',', '.')],
  }
})

const ONLY_DIGITS: readonly (readonly TouchKey[])[] = [DIGITS, [key('erase', 4), key('enter', 4), key('hide', 2)]]

/** The rows of a layer in the language of whoever serves. */
export const touchRows = (locale: Locale, layer: TouchLayer): readonly (readonly TouchKey[])[] =>
  layer === 'digits' ? ONLY_DIGITS : LAYOUTS[locale][layer]
