import { MAX_COUNTED } from '../../../contracts/operations/support.ts'
import { expect, test } from 'vitest'
import { boundedSeconds, MAX_ROUNDED, rounded, withRounded } from './lane-facts.ts'

test('a number of four digits and more is rounded to two significant digits', () => {
  expect([0, 42, 503, 999, 1_000, 4826, 97_153_044, -3_912, -12].map(rounded)).toEqual([
    0, 42, 503, 999, 1_000, 4_800, 97_000_000, -3_900, -12,
  ])
})

test('numbers in nested data of a support file are rounded, and other values stay unchanged', () => {
  expect(withRounded({ list: [{ count: 4826, code: '4826', none: null, on: true }], status: 503 })).toEqual({
    list: [{ count: 4_800, code: '4826', none: null, on: true }],
    status: 503,
  })
})

test('a bounded number stays within the limit of a support file after rounding', () => {
  for (const seconds of [-4e9, 4e9, 999_999_999, -999_999_999])
    expect(Math.abs(rounded(boundedSeconds(seconds)))).toBeLessThanOrEqual(MAX_COUNTED)
  expect(rounded(MAX_ROUNDED)).toBe(MAX_ROUNDED)
})
