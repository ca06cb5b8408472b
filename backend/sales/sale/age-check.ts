import { Temporal } from 'temporal-polyfill/implementation'

/** Maximum plausible age; an older or future date of birth is a typing error. */
const OLDEST_YEARS = 125

/**
 * Returns the whole years of age on a day. A leap-day birthday counts from 1 March in other years, the later of the two
 * usual days, so that nothing is sold too early.
 */
export function ageAtDate(born: Temporal.PlainDate, day: Temporal.PlainDate): number {
  const before = day.month < born.month || (day.month === born.month && day.day < born.day)
  return day.year - born.year - (before ? 1 : 0)
}

/** Parses a date of birth; null for a nonexistent or implausible date. */
export function dateOfBirth(text: string, today: Temporal.PlainDate): Temporal.PlainDate | null {
  let born: Temporal.PlainDate
  try {
    born = Temporal.PlainDate.from(text, { overflow: 'reject' })
  } catch {
    return null
  }
  const age = ageAtDate(born, today)
  return age < 0 || age > OLDEST_YEARS ? null : born
}

export const latestBirthDate = (minimumAge: number, today: Temporal.PlainDate): Temporal.PlainDate =>
  today.subtract({ years: minimumAge })

interface AgeLine {
  readonly minimumAge: number | null
  readonly voided: 0 | 1
}

/**
 * Returns the age to check before the sale can continue: the highest minimum age of items that are not void, if it is
 * above the checked age; else null.
 */
export function ageToCheck(lines: readonly AgeLine[], checked: number | null): number | null {
  const wanted = lines.flatMap(({ minimumAge, voided }) =>
    minimumAge !== null && voided === 0 && minimumAge > (checked ?? 0) ? [minimumAge] : [],
  )
  return wanted.length === 0 ? null : Math.max(...wanted)
}
