export const last4 = (number: string): string => number.slice(-4)

/**
 * Masks every run of 8 or more digits in text from outside (an error message may quote the collector number), except
 * for its last four digits. Spaces and hyphens between digits, and adjacent digits, do not hide a number.
 */
export const maskNumbers = (text: string): string =>
  text.replace(/\d(?:[\s\p{Pd}]?\d){7,}/gu, (run) => `•••• ${last4(run.replace(/\D/g, ''))}`)

const UNREADABLE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const HALF = /\p{Cs}$/u

export function shortened(text: string, most: number): string {
  const readable = text.replace(/[\t\v\f]|\r(?!\n)/g, ' ').replace(UNREADABLE, '')
  return readable.length <= most ? readable : `${readable.slice(0, most - 1).replace(HALF, '')}…`
}
