import { expect, test } from 'vitest'
import { PROBLEMS, ProblemCode } from '../../contracts/core/errors.ts'
import { problemMessages, translate } from './i18n.ts'

test('every problem has a message in both languages', () => {
  for (const code of ProblemCode.options) {
    const { 'en-CA': en, 'fr-CA': fr } = problemMessages(code)
    expect(en, code).toMatch(/^[A-Z].{10,}\.$/s)
    expect(fr, code).toMatch(/^[A-ZÉÀÎÔ].{10,}\.$/s)
    expect(fr, code).not.toBe(en)
    expect(PROBLEMS[code]).toBeGreaterThanOrEqual(400)
  }
})

test('the message of a problem names the lanes to wait for, or refers to all lanes when no number is known', () => {
  const messageOf = (...lanes: string[]): string =>
    problemMessages(
      'return-lanes-awaited',
      lanes.map((message) => ({ path: 'awaited', message })),
    )['en-CA']
  expect(messageOf('02', '04', '')).toContain('First start lanes 02, 04, or')
  expect(messageOf('02')).toContain('First start lane 02, or')
  expect(messageOf('')).toContain('First start all lanes, or')
  expect(messageOf()).toBe(messageOf(''))
})

test('a message is returned in the requested language', () => {
  expect(translate('en-CA')('errors.sign-in-required')).toBe('Sign in first.')
  expect(translate('fr-CA')('errors.sign-in-required')).toBe('Ouvrez d’abord une session.')
})
