import { Temporal } from 'temporal-polyfill/implementation'
import { expect, test } from 'vitest'
import { ageAtDate, ageToCheck, latestBirthDate, dateOfBirth } from './age-check.ts'

const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text)

test('an age increases on the birthday, and for 29 February on 1 March in other years', () => {
  expect(ageAtDate(day('2007-11-24'), day('2026-11-23'))).toBe(18)
  expect(ageAtDate(day('2007-11-24'), day('2026-11-24'))).toBe(19)
  expect(ageAtDate(day('2008-02-29'), day('2027-02-28'))).toBe(18)
  expect(ageAtDate(day('2008-02-29'), day('2027-03-01'))).toBe(19)
})

test('customers born by the displayed date are old enough, and those born later are not', () => {
  for (let days = 0; days < 1_461; days += 1) {
    const today = day('2024-01-01').add({ days })
    const latest = latestBirthDate(19, today)
    expect(ageAtDate(latest, today)).toBe(19)
    // Two days: a birthday on 29 February counts from 1 March.
    expect(ageAtDate(latest.add({ days: 2 }), today)).toBe(18)
  }
})

test('a nonexistent, future or implausibly old date of birth is rejected', () => {
  for (const text of ['2026-02-30', '2026-11-25', '1890-01-01', '19900427x', ''])
    expect(dateOfBirth(text, day('2026-11-24')), text).toBeNull()
  expect(dateOfBirth('1990-04-27', day('2026-11-24'))?.toString()).toBe('1990-04-27')
})

test('an age check is required once, for the highest age that was not checked', () => {
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
