/** Controls, and what turns the direction of a text around: nothing to read. The breaks of its lines stay. */
const UNREADABLE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Half of a sign that takes two units. */
const HALF = /\p{Cs}$/u

/** A text that another has written, as long as there is room for it: what is longer ends in an ellipsis. */
export function shortened(text: string, most: number): string {
  const readable = text.replace(/[\t\v\f]|\r(?!\n)/g, ' ').replace(UNREADABLE, '')
  return readable.length <= most ? readable : `${readable.slice(0, most - 1).replace(HALF, '')}…`
}
