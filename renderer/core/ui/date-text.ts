/** A format with groups of digits and a separator: YYYY-MM-DD for a date, HH:MM for a time. */
interface Form {
  readonly groups: readonly number[]
  readonly sign: string
}

const DATE: Form = { groups: [4, 2, 2], sign: '-' }
const TIME: Form = { groups: [2, 2], sign: ':' }

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

/**
 * Inserts the separators between the typed digits. A separator typed after one digit of a two-digit group pads it: 9:
 * becomes 09.
 */
function inForm(typed: string, { groups, sign }: Form): string {
  const ended = /\d\D$/.test(typed)
  let remaining = digitsOf(typed)
  const segments: string[] = []
  for (const length of groups) {
    if (remaining === '') break
    const part = remaining.slice(0, length)
    remaining = remaining.slice(length)
    segments.push(ended && remaining === '' && length === 2 ? part.padStart(2, '0') : part)
  }
  return segments.join(sign)
}

export const dateTyped = (typed: string): string => inForm(typed, DATE)
export const timeTyped = (typed: string): string => inForm(typed, TIME)

/** Caret position in the formatted text, with as many digits before it as in the typed text. */
export function caretIn(shown: string, digitsBefore: number): number {
  let count = 0
  for (let at = 0; at < shown.length; at += 1) {
    if (count === digitsBefore) return at
    if (/\d/.test(shown.charAt(at))) count += 1
  }
  return shown.length
}

export const digitCount = (text: string): number => digitsOf(text).length

/** Whether the text is a calendar day YYYY-MM-DD, in a year that is plausible for a birth, a price or a report. */
export function isDay(text: string): boolean {
  if (!/^(19|2\d)\d\d-\d\d-\d\d$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)
