/**
 * The spaces that French writes before a colon, a percent or a dollar sign and inside of its quotation marks, and in "3
 * h 30": no line may end there.
 */
const BEFORE = / (?=[:%$»])|(?<=\d) (?=h\b)|(?<=\d[ \u00a0]h) (?=\d)/g
const AFTER = /(?<=«) /g
const NO_BREAK = '\u00a0'

/** French words with the spaces that must not be broken made unbreakable: one sentence, or a tree of them. */
export function unbroken<Words>(words: Words): Words
export function unbroken(words: unknown): unknown {
  if (typeof words === 'string') return words.replaceAll(BEFORE, NO_BREAK).replaceAll(AFTER, NO_BREAK)
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(Object.entries(words).map(([key, value]) => [key, unbroken(value)]))
}
