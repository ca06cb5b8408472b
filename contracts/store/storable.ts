/** What JSON can say and no text of PostgreSQL holds: the sign zero, and one half of a pair of UTF-16. */
const ESCAPED = /\\u0000|\\ud[89a-f]/i
/** Stands for them. */
export const UNSTORABLE = '\u{fffd}'

/**
 * JSON of a value as the store's database takes it: what no text there holds is U+FFFD. One such sign in a note would
 * otherwise have all that its lane tells refused, and everything behind it wait.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  return ESCAPED.test(text) ? JSON.stringify(value, (_key, part: unknown) => storable(part)) : text
}

function storable(part: unknown): unknown {
  if (typeof part === 'string') return storableText(part)
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [storableText(key), inner]))
}

/** The same of one text. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', UNSTORABLE)
