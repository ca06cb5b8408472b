import { describe, expect, test } from 'vitest'
import { afterCash, suggestedCash } from './cash-rules.ts'

describe('suggested cash amounts', () => {
  test.each([
    [13_35, [15_00, 20_00, 50_00, 100_00]],
    [45_30, [50_00, 60_00, 100_00]],
    [20_00, [50_00, 100_00]],
    [5, [5_00, 10_00, 20_00, 50_00]],
    [118_90, [120_00, 150_00, 200_00]],
  ])('for an amount due of %i cents are that amount rounded up to likely notes', (due, expected) => {
    expect(suggestedCash(due)).toEqual(expected)
  })

  test('are always more than the amount due, ascending and without duplicates', () => {
    for (let due = 5; due < 300_00; due += 5) {
      const amounts = suggestedCash(due)
      expect(amounts.every((amount, index) => amount > due && amount > (amounts[index - 1] ?? 0))).toBe(true)
    }
  })
})

describe('the sale after a cash payment', () => {
  test('has the amount still due after a partial payment, and that amount rounded for cash', () => {
    expect(afterCash({ dueCents: 52_17, cashDueCents: 52_15 }, 10_00)).toEqual({
      changeCents: 0,
      dueCents: 42_17,
      cashDueCents: 42_15,
    })
    expect(afterCash({ dueCents: 3_38, cashDueCents: 3_40 }, 1_00)).toEqual({
      changeCents: 0,
      dueCents: 2_38,
      cashDueCents: 2_40,
    })
  })

  test('is complete when the cash reaches the rounded amount', () => {
    expect(afterCash({ dueCents: 52_17, cashDueCents: 52_15 }, 52_15)).toEqual({
      changeCents: 0,
      dueCents: 0,
      cashDueCents: 0,
    })
    expect(afterCash({ dueCents: 52_17, cashDueCents: 52_15 }, 60_00)).toEqual({
      changeCents: 7_85,
      dueCents: 0,
      cashDueCents: 0,
    })
  })
})
