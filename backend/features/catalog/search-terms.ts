import { withoutStrokes } from '../../../contracts/printable-text.ts'

/** Lower case, without accents, ligatures as two letters: "Gros Œufs" and "gros oeufs" are the same words. */
export const fold = (text: string): string =>
  withoutStrokes(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss')

/** Changes whenever the same catalog gives other words: what an earlier program has indexed is indexed anew. */
export const WORDS_EDITION = 4

/**
 * Words with what people leave out of them: "children's" is "children", "s" and "childrens", "T-shirt" "t", "shirt" and
 * "tshirt".
 */
const compoundsOf = (text: string): string[][] =>
  (fold(text).match(/[\p{L}\p{N}]+(?:['’ʼ\p{Pd}][\p{L}\p{N}]+)*/gu) ?? []).map(
    (compound) => compound.match(/[\p{L}\p{N}]+/gu) ?? [],
  )

/** One of what a word says several of, in English or French; both where nobody can tell. Simple plurals only. */
function singularsOf(word: string): string[] {
  if (word.length < 4) return []
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`, word.slice(0, -1)]
  if (/(eau|eu|ou)x$/.test(word)) return [word.slice(0, -1)]
  if (word.endsWith('aux')) return [`${word.slice(0, -3)}al`, word.slice(0, -1)]
  if (/(s|x|z|ch|sh|o)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)]
  return /[^s]s$/.test(word) ? [word.slice(0, -1)] : []
}

/**
 * The words under which the index finds a text, each once. A search finds what begins with its words: the rest of a
 * plural is no word of its own.
 */
export function wordsOf(text: string): string[] {
  const words = compoundsOf(text).flatMap((parts) => (parts.length > 1 ? [...parts, parts.join('')] : parts))
  return [...new Set(words.flatMap((word) => [word, ...singularsOf(word).filter((one) => !word.startsWith(one))]))]
}

const begins = (word: string): string => {
  // Whatever begins with the plural begins with a shorter form that it begins with itself.
  const forms = [word, ...singularsOf(word)]
  const needed = forms.filter((form) => !forms.some((other) => other !== form && form.startsWith(other)))
  return needed.length === 1 ? `"${needed[0]}"*` : `(${needed.map((form) => `"${form}"*`).join(' OR ')})`
}

/**
 * What the full-text index is asked for; null where there is no word in it. Words hold letters and digits only, so that
 * nothing in them means anything to its syntax.
 */
export function queryOf(text: string, mostWords: number): string | null {
  const asked = compoundsOf(text)
    .slice(0, mostWords)
    .map((parts) => {
      const apart = parts.map(begins).join(' AND ')
      return parts.length > 1 ? `((${apart}) OR ${begins(parts.join(''))})` : apart
    })
  return asked.length === 0 ? null : asked.join(' AND ')
}
