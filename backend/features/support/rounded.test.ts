import { expect, test } from 'vitest'
import { rounded, withRounded } from './rounded.ts'

test('a number of four digits and more keeps two', () => {
  expect([0, 42, 503, 999, 1_000, 4826, 97_153_044, -3_912, -12].map(rounded)).toEqual([
    0, 42, 503, 999, 1_000, 4_800, 97_000_000, -3_900, -12,
  ])
})

test('also deep in a value, and nothing else is changed', () => {
  expect(withRounded({ list: [{ count: 4826, code: '4826', none: null, on: true }], status: 503 })).toEqual({
    list: [{ count: 4_800, code: '4826', none: null, on: true }],
    status: 503,
  })
})
