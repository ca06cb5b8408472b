/**
 * Text as a thermal printer may have it. Whatever a product, a member or a store is called, only printable characters
 * of windows-1252 come out: a control character is a command to the printer, and `ESC p` opens the drawer.
 */

/** What windows-1252 has above Latin-1 (0x80 to 0x9F). */
const WINDOWS_1252_EXTRA = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** Characters that thermal fonts lack, and what says the same. */
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

const SPACES = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu
/**
 * C0, DEL, C1, soft hyphen, zero-width and bidirectional controls, line separators, byte order mark, lone surrogates.
 */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** One line of text: no character of it is a command, each takes one column. What the code page lacks becomes `?`. */
export function printableText(text: string): string {
  // A line break inside a name is a word break.
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
    // A mark that no letter took up has no column of its own.
    else if (!/\p{M}/u.test(character)) line += REPLACEMENTS.get(character) ?? '?'
  }
  return line
}

/**
 * The characters of a text, each once, that would be a `?` on paper: whoever types it is to know. A letter with its
 * marks is one.
 */
export const notOnPaper = (text: string): string =>
  [...new Set([...new Intl.Segmenter().segment(text.normalize('NFC'))].map(({ segment }) => segment))]
    .filter((sign) => printableText(sign).replaceAll(sign, '').includes('?'))
    .join(' ')
