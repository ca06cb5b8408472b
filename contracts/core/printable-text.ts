/**
 * Text for a thermal printer: only printable characters of windows-1252. Names of items, members and stores must not
 * carry control characters, which are printer commands: `ESC p` opens the drawer.
 */

const WINDOWS_1252_EXTRA = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2012', '–'],
  ['\u2015', '—'],
  ['\u2212', '-'],
  ['\u2043', '-'],
  ['\u02bc', '’'],
  ['\u2032', "'"],
  ['\u2033', '"'],
  ['\u2044', '/'],
  ['\u2215', '/'],
])

const BASE_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ł', 'l'],
  ['Ł', 'L'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ħ', 'h'],
  ['Ħ', 'H'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['ŧ', 't'],
  ['Ŧ', 'T'],
  ['ı', 'i'],
  ['ŋ', 'n'],
  ['Ŋ', 'N'],
])

function baseLetter(character: string): string | undefined {
  const [base = ''] = withoutStrokes(character).normalize('NFD')
  return /^[A-Za-z]$/.test(base) ? base : undefined
}

/** Replaces letters with a stroke, such as ł, by their base letters. */
export const withoutStrokes = (text: string): string =>
  [...text].map((character) => BASE_LETTERS.get(character) ?? character).join('')

export const SPACES = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu

/**
 * Matches C0, DEL, C1, soft hyphen, zero-width and bidirectional controls, line separators, byte order mark and lone
 * surrogates.
 */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/**
 * Converts text to one printable line: no printer command, one column per character. A character outside the code page
 * becomes a similar sign or its base letter, else `?`; a combining mark is dropped.
 */
export function printableText(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(/[\r\n\v\f\u0085\u2028\u2029]+/gu, ' ')
    .replace(SPACES, ' ')
    .replace(CONTROLS, '')
  let line = ''
  for (const character of clean) {
    const code = character.codePointAt(0) ?? 0
    if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa1 && code <= 0xff) || WINDOWS_1252_EXTRA.has(character))
      line += character
    else if (!/\p{M}/u.test(character)) line += REPLACEMENTS.get(character) ?? baseLetter(character) ?? '?'
  }
  return line
}

/** Returns the characters that would be printed as another letter or as `?`, each once and with its combining marks. */
export const notOnPaper = (text: string): string =>
  [...new Set([...new Intl.Segmenter().segment(text.normalize('NFC'))].map(({ segment }) => segment))]
    .filter((sign) => {
      const printed = printableText(sign)
      return printed !== sign && (printed.includes('?') || /^\p{L}/u.test(sign))
    })
    .join(' ')
