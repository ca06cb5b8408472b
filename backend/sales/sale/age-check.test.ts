import { Temporal } from 'temporal-polyfill/implementation'
import { expect, test } from 'vitest'
import { ageOn, ageToCheck, bornBy, dateOfBirth } from './age-check.ts'

const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text)

test('nobody is a year older before their birthday; a leap day comes a day later, never earlier', () => {
  expect(ageOn(day('2007-11-24'), day('2026-11-23'))).toBe(18)
  expect(ageOn(day('2007-11-24'), day('2026-11-24'))).toBe(19)
  expect(ageOn(day('2008-02-29'), day('2027-02-28'))).toBe(18)
  expect(ageOn(day('2008-02-29'), day('2027-03-01'))).toBe(19)
})

test('whoever was born by the day that is shown is old enough, and nobody who was born after it', () => {
  for (let days = 0; days < 1_461; days += 1) {
    const today = day('2024-01-01').add({ days })
    const latest = bornBy(19, today)
    expect(ageOn(latest, today)).toBe(19)
    // Two days: who was born on a leap day has the birthday of the day after it.
    expect(ageOn(latest.add({ days: 2 }), today)).toBe(18)
  }
})

test('a date that there is not, is to come, or is nobody’s, is none', () => {
  for (const text of ['2026-02-30', '2026-11-25', '1890-01-01', '19900427x', ''])
    expect(dateOfBirth(text, day('2026-11-24')), text).toBeNull()
  expect(dateOfBirth('1990-04-27', day('2026-11-24'))?.toString()).toBe('1990-04-27')
})

test('the highest age that stands unchecked is asked for, once', () => {
  const lines = [
    { minimumAge: 18, voided: 0 },
    { minimumAge: 19, voided: 0 },
    { minimumAge: 21, voided: 1 },
    { minimumAge: null, voided: 0 },
  ] as const
  expect(ageToCheck(lines, null)).toBe(19)
  expect(ageToCheck(lines, 18)).toBe(19)
  expect(ageToCheck(lines, 19)).toBeNull()
})
