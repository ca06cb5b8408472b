/** Lower case, without accents, ligatures as two letters: "Gros Œufs" and "gros oeufs" are the same words. */
export const fold = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae').replaceAll('ß', 'ss')

/** The words of a text as the index knows them: runs of letters and digits. */
export const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []
