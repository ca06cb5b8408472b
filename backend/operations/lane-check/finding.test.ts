import { expect, test } from 'vitest'
import { dayIn, finding, lineReporter, timeIn } from './finding.ts'

test('times and days in findings of the lane check have the screens’ format, without a full stop at the end', () => {
  const evening = timeIn(new Date('2026-12-02T01:34:00Z'), 'America/Toronto')
  expect(evening).toEqual({ 'en-CA': 'Dec 1, 2026, 20:34', 'fr-CA': '1er déc. 2026, 20 h 34' })
  expect(dayIn(new Date('2026-12-02T01:34:00Z'), 'America/Toronto')['fr-CA']).toBe('1er décembre 2026')
})

test('the last line of the doctor counts the problems that its lines list, not the sections that have them', () => {
  const at = '2026-12-02T01:34:00.000Z'
  let written = ''
  lineReporter(
    (text) => {
      written += text
    },
    'fr-CA',
    false,
  )({
    id: 'check',
    startedAt: at,
    endedAt: at,
    parts: [
      {
        check: 'profile',
        state: 'wrong',
        findings: [finding('profile-none'), finding('profile-training'), finding('profile-none')],
        ms: 1,
      },
    ],
  })
  expect(written.match(/^Problème/gm)).toHaveLength(2)
  expect(written).toMatch(/2 problèmes, 1 à surveiller\.\n$/)
})
