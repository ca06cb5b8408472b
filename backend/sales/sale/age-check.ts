import { Temporal } from 'temporal-polyfill/implementation'

/** A date that nobody at a till was born on: before it, or after today, it is a mistake of the keys. */
const OLDEST_YEARS = 125

/**
 * Whole years of age on a day. Who was born on 29 February is a year older on 1 March where the year has no such day:
 * the later of the two days that are in use, so that nothing is sold a day too early.
 */
export function ageOn(born: Temporal.PlainDate, day: Temporal.PlainDate): number {
  const before = day.month < born.month || (day.month === born.month && day.day < born.day)
  return day.year - born.year - (before ? 1 : 0)
}

/** The date of birth that was typed; null for one that there is not, or that nobody has who stands here. */
export function dateOfBirth(text: string, today: Temporal.PlainDate): Temporal.PlainDate | null {
  let born: Temporal.PlainDate
  try {
    born = Temporal.PlainDate.from(text, { overflow: 'reject' })
  } catch {
    return null
  }
  const age = ageOn(born, today)
  return age < 0 || age > OLDEST_YEARS ? null : born
}

/** Who was born on this day or before is old enough today. */
export const bornBy = (minimumAge: number, today: Temporal.PlainDate): Temporal.PlainDate =>
  today.subtract({ years: minimumAge })

interface AgeLine {
  readonly minimumAge: number | null
  readonly voided: 0 | 1
}

/**
 * The age that has to be checked before a sale goes on: the highest of the items that stand and that no check of this
 * sale has reached. Null: none.
 */
export function ageToCheck(lines: readonly AgeLine[], checked: number | null): number | null {
  const wanted = lines.flatMap(({ minimumAge, voided }) =>
    minimumAge !== null && voided === 0 && minimumAge > (checked ?? 0) ? [minimumAge] : [],
  )
  return wanted.length === 0 ? null : Math.max(...wanted)
}
