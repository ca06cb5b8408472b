import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { cashTender } from './cash.ts'

describe('tendered cash', () => {
  it('pays an amount due of 3.37 with 5.00: rounded to 3.35, change 1.65', () => {
    expect(cashTender(cents(337), cents(500))).toEqual({
      amountCents: 337,
      roundingCents: -2,
      tenderedCents: 500,
      changeCents: 165,
    })
  })
  it('pays an amount due of 3.38 with 3.40: rounded up by two cents, no change', () => {
    expect(cashTender(cents(338), cents(340))).toEqual({
      amountCents: 338,
      roundingCents: 2,
      tenderedCents: 340,
      changeCents: 0,
    })
  })
  it('pays an amount due of 20.02 with 20.00: rounded down by two cents, no change', () => {
    expect(cashTender(cents(2002), cents(2000))).toEqual({
      amountCents: 2002,
      roundingCents: -2,
      tenderedCents: 2000,
      changeCents: 0,
    })
  })
  it('pays a portion of the amount due without rounding', () => {
    expect(cashTender(cents(4337), cents(2000))).toEqual({
      amountCents: 2000,
      roundingCents: 0,
      tenderedCents: 2000,
      changeCents: 0,
    })
  })
  it('pays an amount due of 0.02, which rounds to zero, with zero', () => {
    expect(cashTender(cents(2), cents(0))).toEqual({
      amountCents: 2,
      roundingCents: -2,
      tenderedCents: 0,
      changeCents: 0,
    })
  })
  it.each([
    [1000, 0],
    [1000, -5],
    [1000, 1002],
    [0, 500],
    [-500, 500],
  ])('is refused for an amount due of %i cents and %i cents tendered', (due, tendered) => {
    expect(cashTender(cents(due), cents(tendered))).toBeNull()
  })
  it('less its change equals the paid amount and its rounding, for every amount due and tendered', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 1, max: 60_000 }).map((coins) => coins * 5),
        (due, tendered) => {
          const tender = cashTender(cents(due), cents(tendered))
          if (!tender) throw new Error('refused')
          expect(tender.amountCents + tender.roundingCents).toBe(tendered - tender.changeCents)
          expect(Math.abs(tender.roundingCents)).toBeLessThanOrEqual(2)
          expect(tender.amountCents).toBeLessThanOrEqual(due)
          expect(tender.changeCents).toBeGreaterThanOrEqual(0)
          expect(tender.changeCents % 5).toBe(0)
          expect(tender.amountCents === due || (tender.roundingCents === 0 && tender.changeCents === 0)).toBe(true)
        },
      ),
    )
  })
})
