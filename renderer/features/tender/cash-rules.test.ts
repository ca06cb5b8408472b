import { describe, expect, test } from 'vitest'
import { suggestedCash } from './cash-rules.ts'

describe('suggested cash', () => {
  test.each([
    [13_35, [15_00, 20_00, 50_00, 100_00]],
    [45_30, [50_00, 60_00, 100_00]],
    [20_00, [50_00, 100_00]],
    [5, [5_00, 10_00, 20_00, 50_00]],
    [118_90, [120_00, 150_00, 200_00]],
  ])('for %i cents', (due, expected) => {
    expect(suggestedCash(due)).toEqual(expected)
  })

  test('is always more than what is due, rising and without doubles', () => {
    for (let due = 5; due < 300_00; due += 5) {
      const amounts = suggestedCash(due)
      expect(amounts.every((amount, index) => amount > due && amount > (amounts[index - 1] ?? 0))).toBe(true)
    }
  })
})
