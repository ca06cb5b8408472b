/** A date as people type it, YYYY-MM-DD, and a time, HH:MM: the signs between the digits are written for them. */
interface Form {
  readonly groups: readonly number[]
  readonly sign: string
}

const DATE: Form = { groups: [4, 2, 2], sign: '-' }
const TIME: Form = { groups: [2, 2], sign: ':' }

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

/** The digits in their groups. A sign typed after one digit of a two-digit group completes it: 9: is 09. */
function inForm(typed: string, { groups, sign }: Form): string {
  const ended = /\d\D$/.test(typed)
  let rest = digitsOf(typed)
  const parts: string[] = []
  for (const length of groups) {
    if (rest === '') break
    const part = rest.slice(0, length)
    rest = rest.slice(length)
    parts.push(ended && rest === '' && length === 2 ? part.padStart(2, '0') : part)
  }
  return parts.join(sign)
}

export const dateTyped = (typed: string): string => inForm(typed, DATE)
export const timeTyped = (typed: string): string => inForm(typed, TIME)

/** Where the caret goes in a text that was put in form: after as many digits as were before it. */
export function caretIn(shown: string, digitsBefore: number): number {
  let count = 0
  for (let at = 0; at < shown.length; at += 1) {
    if (count === digitsBefore) return at
    if (/\d/.test(shown.charAt(at))) count += 1
  }
  return shown.length
}

export const digitCount = (text: string): number => digitsOf(text).length

/** A day YYYY-MM-DD of the calendar, in a year that a date of birth, a price or a report can have. */
export function isDay(text: string): boolean {
  if (!/^(19|2\d)\d\d-\d\d-\d\d$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)
