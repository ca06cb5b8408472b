import { expect, test } from 'vitest'
import { formatFor } from './format.ts'

test('the first of a month is written 1er in French only', () => {
  expect(formatFor('fr-CA').date('2026-12-01')).toBe('1er décembre 2026')
  expect(formatFor('fr-CA').date('2026-12-11')).toBe('11 décembre 2026')
  expect(formatFor('en-CA').date('2026-12-01')).not.toContain('1er')
})

test.each([
  [-5, '0 mins', '0 min'],
  [59 * 60_000, '59 mins', '59 min'],
  [60 * 60_000, '1 hr', '1 h'],
  [47 * 3_600_000, '47 hrs', '47 h'],
  [48 * 3_600_000, '2 days', '2 j'],
])('an age of %i ms is written as %s in English and %s in French', (ms, english, french) => {
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ')
  expect([plain(formatFor('en-CA').age(ms)), plain(formatFor('fr-CA').age(ms))]).toEqual([english, french])
})

test('a remaining time is written in hours and minutes, and below an hour in minutes and seconds', () => {
  const at = (ms: number): string[] =>
    (['en-CA', 'fr-CA'] as const).map((locale) =>
      formatFor(locale)
        .left(ms)
        .replaceAll(/[\u00a0\u202f]/g, ' '),
    )
  expect(at((2 * 60 + 14) * 60_000 + 30_000)).toEqual(['2 hrs 14 mins', '2 h 14 min'])
  expect(at(61_000)).toEqual(['1 min 1 sec', '1 min 1 s'])
  expect(at(-5)).toEqual(['0 mins 0 secs', '0 min 0 s'])
})

test('the first hour of a day is written as 00 in every browser', () => {
  const clocks = [{ from: 0, minutes: 0 }]
  const [english, french] = (['en-CA', 'fr-CA'] as const).map((locale) => formatFor(locale, clocks))
  expect(english?.time('2026-11-01T00:05:00Z')).toBe('00:05')
  expect(english?.dateTime('2026-11-01T00:05:00Z')).toMatch(/, 00:05$/)
  expect(french?.time('2026-11-01T00:05:00Z')).toBe('00\u00a0h\u00a005')
})

test('a time of day contains no line break', () => {
  const at = '2026-11-01T03:05:00Z'
  const clocks = [{ from: 0, minutes: 0 }]
  expect(formatFor('fr-CA', clocks).time(at)).toBe('03\u00a0h\u00a005')
  expect(formatFor('fr-CA', clocks).dateTime(at)).toMatch(/, 03\u00a0h\u00a005$/)
  expect(formatFor('en-CA', clocks).dateTime(at)).toMatch(/, 03:05$/)
})
