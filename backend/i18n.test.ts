import { expect, test } from 'vitest'
import { PROBLEMS, ProblemCode } from '../contracts/errors.ts'
import { problemMessages, translate } from './i18n.ts'

test('every problem has its words in both languages', () => {
  for (const code of ProblemCode.options) {
    const { 'en-CA': en, 'fr-CA': fr } = problemMessages(code)
    expect(en, code).toMatch(/^[A-Z].{10,}\.$/s)
    expect(fr, code).toMatch(/^[A-ZÉÀÎÔ].{10,}\.$/s)
    expect(fr, code).not.toBe(en)
    expect(PROBLEMS[code]).toBeGreaterThanOrEqual(400)
  }
})

test('a message is in the language asked for', () => {
  expect(translate('en-CA')('errors.sign-in-required')).toBe('Sign in first.')
  expect(translate('fr-CA')('errors.sign-in-required')).toBe('Ouvrez d’abord une session.')
})
