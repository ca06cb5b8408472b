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

const LAYOUTS = {
  'en-CA': {
    letters: [
      DIGITS,
      texts('qwertyuiop'),
      texts("asdfghjkl'"),
      [key('shift'), ...texts('zxcvbnm-'), key('erase')],
      [key('layer'), ...texts(','), key('space', 4), ...texts('.'), key('enter', 2), key('hide')],
    ],
    signs: [
      DIGITS,
      texts('éèêëàâçîôû'),
      texts('/&#@+%$()*'),
      [key('shift'), ...texts(':;!?_"=°'), key('erase')],
      [key('layer'), ...texts(','), key('space', 4), ...texts('.'), key('enter', 2), key('hide')],
    ],
  },
  'fr-CA': {
    letters: [
      DIGITS,
      texts('qwertyuiop'),
      texts('asdfghjklé'),
      [key('shift'), ...texts('zxcvbnmè'), key('erase')],
      [key('layer'), ...texts("àç'"), key('space', 2), ...texts('-'), key('enter', 2), key('hide')],
    ],
    signs: [
      DIGITS,
      texts('êâîôûëïüùœ'),
      texts('/&#@+%$()*'),
      [key('shift'), ...texts(':;!?_"=°'), key('erase')],
      [key('layer'), ...texts(','), key('space', 4), ...texts('.'), key('enter', 2), key('hide')],
    ],
  },
} as const satisfies Record<Locale, Record<'letters' | 'signs', readonly (readonly TouchKey[])[]>>

const ONLY_DIGITS: readonly (readonly TouchKey[])[] = [DIGITS, [key('erase', 4), key('enter', 4), key('hide', 2)]]

/** The rows of a layer in the language of whoever serves. */
export const touchRows = (locale: Locale, layer: TouchLayer): readonly (readonly TouchKey[])[] =>
  layer === 'digits' ? ONLY_DIGITS : LAYOUTS[locale][layer]
