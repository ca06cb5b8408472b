/** The last four digits of a card or collector number: all that a screen, a receipt or a log may carry. */
export const last4 = (number: string): string => number.slice(-4)

/**
 * Masks every run of 8 or more digits in free text that came from outside (an error message may quote the collector
 * number), leaving the last four. Spaces and hyphens of any kind between digits do not hide a number, nor do further
 * digits before or after it.
 */
export const maskNumbers = (text: string): string =>
  text.replace(/\d(?:[\s\p{Pd}]?\d){7,}/gu, (run) => `•••• ${last4(run.replace(/\D/g, ''))}`)

/** Controls, and what turns the direction of a text around: nothing to read. The breaks of its lines stay. */
const UNREADABLE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Half of a sign that takes two units. */
const HALF = /\p{Cs}$/u

/** A text that another has written, as long as there is room for it: what is longer ends in an ellipsis. */
export function shortened(text: string, most: number): string {
  const readable = text.replace(/[\t\v\f]|\r(?!\n)/g, ' ').replace(UNREADABLE, '')
  return readable.length <= most ? readable : `${readable.slice(0, most - 1).replace(HALF, '')}…`
}
