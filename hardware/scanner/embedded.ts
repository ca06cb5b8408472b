import type { EmbeddedLayout } from '../../contracts/core/profile.ts'
import { checkDigit } from '../../contracts/catalog/goods.ts'
import { cents } from '../../contracts/core/money.ts'
import type { Measure } from '../../contracts/catalog/measure.ts'

/**
 * Labels in EAN-13 with an embedded price or weight (GS1 General Specifications §2.1.12, restricted circulation within
 * a company or region). The store defines the meaning of the prefixes 02 and 20 to 29, so the profile has their
 * layouts.
 */

/**
 * Content of a label whose digits match a layout; `invalid` if its verifier digit is wrong, or its price or weight is
 * 0.
 */
export type Embedded =
  | { readonly kind: 'item'; readonly code: string; readonly base: string; readonly measure: Measure }
  | { readonly kind: 'invalid' }

/**
 * Weighted products of a digit (GS1 General Specifications §7.9.3): 2−, 3, 5+ and 5−. The sign adds or subtracts the
 * tens digit of the product; the result is the units digit.
 */
const TWO_MINUS = (digit: number): number => (2 * digit - Math.floor((2 * digit) / 10)) % 10
const THREE = (digit: number): number => (3 * digit) % 10
const FIVE_PLUS = (digit: number): number => (5 * digit + Math.floor((5 * digit) / 10)) % 10
const FIVE_MINUS = (digit: number): number => (5 * digit - Math.floor((5 * digit) / 10)) % 10
const FOUR_DIGITS = [TWO_MINUS, TWO_MINUS, THREE, FIVE_MINUS]
const FIVE_DIGITS = [FIVE_PLUS, TWO_MINUS, FIVE_MINUS, FIVE_PLUS, TWO_MINUS]

const weighted = (digits: string, weights: readonly ((digit: number) => number)[]): number =>
  weights.reduce((sum, weight, index) => sum + weight(Number(digits[index])), 0)

/**
 * Computes the price or measure verifier digit of four or five digits (GS1 General Specifications §7.9.3 and §7.9.4).
 */
export function verifierDigit(digits: string): number {
  if (digits.length === 4) return (weighted(digits, FOUR_DIGITS) * 3) % 10
  const expected = (10 - (weighted(digits, FIVE_DIGITS) % 10)) % 10
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].findIndex((digit) => FIVE_MINUS(digit) === expected)
}

interface Field {
  readonly start: number
  readonly end: number
}
const fieldOf = (layout: string, letter: string): Field => ({
  start: layout.indexOf(letter),
  end: layout.lastIndexOf(letter) + 1,
})

function readerOf({ layout, decimals }: EmbeddedLayout): (number: string) => Embedded | null {
  const prefix = /^\d+/.exec(layout)?.[0] ?? ''
  const item = fieldOf(layout, 'I')
  const price = layout.includes('P')
  const amount = fieldOf(layout, price ? 'P' : 'W')
  const verifier = layout.indexOf('V')
  // The result is in cents for a price, in grams for a weight.
  const scale = 10 ** ((price ? 2 : 3) - (decimals ?? (price ? 2 : 3)))
  return (number) => {
    if (!number.startsWith(prefix)) return null
    const digits = number.slice(amount.start, amount.end)
    const base = (number.slice(0, item.end) + '0'.repeat(12)).slice(0, 12)
    const value = Math.round(Number(digits) * scale)
    // A label with a price or weight of 0 was never weighed, so it is invalid.
    if (value === 0 || (verifier >= 0 && Number(number[verifier]) !== verifierDigit(digits))) return { kind: 'invalid' }
    return {
      kind: 'item',
      code: number.slice(item.start, item.end),
      base: base + String(checkDigit(base)),
      measure: price ? { kind: 'price', cents: cents(value) } : { kind: 'weight', grams: value },
    }
  }
}

/**
 * Creates a reader of labels, for EAN-13 numbers with a valid check digit. It returns null if no layout matches; the
 * first match wins.
 */
export function embeddedReader(layouts: readonly EmbeddedLayout[]): (number: string) => Embedded | null {
  const readers = layouts.map(readerOf)
  return (number) => {
    if (number.length !== 13) return null
    for (const read of readers) {
      const found = read(number)
      if (found !== null) return found
    }
    return null
  }
}
