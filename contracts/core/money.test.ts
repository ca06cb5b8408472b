import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Cents,
  DollarsString,
  Miles,
  cents,
  dollarsNumber,
  dollarsString,
  miles,
  parseDollars,
  roundToNickel,
  sumCents,
} from './money.ts'

const amounts = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 })
const anything = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 0.1 + 0.2, 2 ** 53),
)

describe('an amount of money', () => {
  it('must be a safe integer, as must a number of miles', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const taken = (make: (value: number) => number): number | 'refused' => {
          try {
            return make(value)
          } catch (error) {
            return error instanceof RangeError ? 'refused' : Number.NaN
          }
        }
        const expected = Number.isSafeInteger(value) ? value : 'refused'
        expect([taken(cents), taken(miles)]).toEqual([expected, expected])
        expect(Cents.safeParse(value).success).toBe(Number.isSafeInteger(value))
        expect(Miles.safeParse(value).success).toBe(Number.isSafeInteger(value))
      }),
    )
  })
  it('is written with two decimals and read back to the cent, as text and as a JSON number', () => {
    fc.assert(
      fc.property(amounts, (value) => {
        const written = dollarsString(cents(value))
        expect(written).toMatch(/^-?\d+\.\d\d$/)
        expect(BigInt(written.replace('.', ''))).toBe(BigInt(value))
        expect((parseDollars(written) ?? Number.NaN) - value).toBe(0)
        expect(Math.round(dollarsNumber(cents(value)) * 100) - value).toBe(0)
        expect(DollarsString.safeParse(written).success).toBe(value >= 0 && value < 100_000_000_000)
      }),
    )
  })
  it('is parsed from the text of a service to whole cents or refused, for any input', () => {
    const text = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.tuple(fc.nat(), fc.nat({ max: 99_999 })).map(([whole, part]) => `${whole}.${part}`),
      fc.constantFrom('', '.', '1.', '.5', '1e3', '0x10', '٣', '1,00', '１.00', '--1'),
    )
    fc.assert(
      fc.property(text, (value) => {
        const read = parseDollars(value)
        expect(read === undefined ? 'nothing' : Number.isSafeInteger(read)).toBe(
          /^\s*-?[0-9]{1,9}(\.[0-9]{1,2})?\s*$/.test(value) ? true : 'nothing',
        )
      }),
    )
  })
  it('gives the same sum when added in any order and grouping', () => {
    fc.assert(
      fc.property(fc.array(amounts.map(cents), { maxLength: 50 }), fc.nat(), (list, at) => {
        const cut = list.length === 0 ? 0 : at % list.length
        expect(sumCents([sumCents(list.slice(cut)), sumCents(list.slice(0, cut))])).toBe(sumCents(list))
        expect(BigInt(sumCents(list))).toBe(list.reduce((total, value) => total + BigInt(value), 0n))
      }),
    )
  })
})

describe('cash rounding', () => {
  it('rounds a total to the nearest five cents, negative ones alike, and leaves a rounded total unchanged', () => {
    // Adjustment for each last digit of a cash total, by the government’s table.
    const table = [0, -1, -2, 2, 1, 0, -1, -2, 2, 1]
    fc.assert(
      fc.property(amounts, (value) => {
        const rounded = roundToNickel(cents(value))
        const magnitude = Math.abs(value)
        expect(Math.abs(rounded)).toBe(magnitude + (table[magnitude % 10] ?? 0))
        expect(rounded === 0 || Math.sign(rounded) === Math.sign(value)).toBe(true)
        expect(Object.is(rounded, -0)).toBe(false)
        expect(roundToNickel(rounded)).toBe(rounded)
      }),
      { numRuns: 1_000 },
    )
  })
})
