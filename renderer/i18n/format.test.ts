import { expect, test } from 'vitest'
import { formatFor } from './format.ts'

test('the first of a month is 1er in French, and only there', () => {
  expect(formatFor('fr-CA', undefined).date('2026-12-01')).toBe('1er décembre 2026')
  expect(formatFor('fr-CA', undefined).date('2026-12-11')).toBe('11 décembre 2026')
  expect(formatFor('en-CA', undefined).date('2026-12-01')).not.toContain('1er')
})
