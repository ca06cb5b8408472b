import { expect, test } from 'vitest'
import { dayIn, timeIn } from './finding.ts'

test('times and days in findings of the lane check have the screens’ format, without a full stop at the end', () => {
  const evening = timeIn(new Date('2026-12-02T01:34:00Z'), 'America/Toronto')
  expect(evening).toEqual({ 'en-CA': 'Dec 1, 2026, 20:34', 'fr-CA': '1er déc. 2026, 20 h 34' })
  expect(dayIn(new Date('2026-12-02T01:34:00Z'), 'America/Toronto')['fr-CA']).toBe('1er décembre 2026')
})
