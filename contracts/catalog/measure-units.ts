import type { Cents } from '../core/money.ts'

// Without the schema library, so that screens can import this file.

/**
 * Units of the price of an item that is sold by measure. Quantities are whole thousandths of `symbol`. `per`: the
 * quantity, in these thousandths, that costs the price. `decimals`: the maximum number of decimals that a person may
 * type. Canadian scales price by the kilogram, by 100 g or by the pound (Specifications Relating to Non-automatic
 * Weighing Devices, SI/98-81, s. 46).
 */
export const UNIT_RULES = {
  kg: { symbol: 'kg', per: 1_000, decimals: 3, isWeight: true },
  '100g': { symbol: 'kg', per: 100, decimals: 3, isWeight: true },
  lb: { symbol: 'lb', per: 1_000, decimals: 3, isWeight: true },
  m: { symbol: 'm', per: 1_000, decimals: 2, isWeight: false },
  L: { symbol: 'L', per: 1_000, decimals: 3, isWeight: false },
} as const satisfies Record<
  string,
  { readonly symbol: string; readonly per: number; readonly decimals: number; readonly isWeight: boolean }
>
export const MEASURE_UNITS = ['kg', '100g', 'lb', 'm', 'L'] as const satisfies readonly (keyof typeof UNIT_RULES)[]
export type MeasureUnit = (typeof MEASURE_UNITS)[number]

/** The exact value of the Weights and Measures Act, Schedule II. */
export const GRAMS_PER_POUND = 453.59237

/** Largest quantity of one line, in thousandths. */
export const MAX_THOUSANDTHS = 999_999
/** Largest amount of one measured line, in cents. */
const MAX_AMOUNT_CENTS = 99_999_999

/** Divides whole numbers of zero or more and rounds half up, without an intermediate fraction. */
const dividedHalfUp = (value: bigint, by: bigint): bigint => (2n * value + by) / (2n * by)

/**
 * Returns the price of a quantity in thousandths, to the nearest cent (SI/98-81, s. 19); half a cent rounds up. Null
 * for an amount above the largest of a line.
 */
export function priceOfMeasure(thousandths: number, unit: MeasureUnit, unitPriceCents: number): Cents | null {
  const amount = dividedHalfUp(BigInt(thousandths) * BigInt(unitPriceCents), BigInt(UNIT_RULES[unit].per))
  return amount > BigInt(MAX_AMOUNT_CENTS) ? null : (Number(amount) as Cents)
}

/** Returns the quantity, in thousandths, that costs an amount; rounds half up. Zero for a price of zero. */
export const measureOfPrice = (amountCents: number, unit: MeasureUnit, unitPriceCents: number): number =>
  unitPriceCents === 0
    ? 0
    : Number(dividedHalfUp(BigInt(amountCents) * BigInt(UNIT_RULES[unit].per), BigInt(unitPriceCents)))

/** Returns the tare of a gross weight in thousandths; a share rounds half up. */
export const tareOf = (
  tare: { kind: 'fixed'; thousandths: number } | { kind: 'share'; ppm: number } | undefined,
  grossThousandths: number,
): number =>
  tare === undefined
    ? 0
    : tare.kind === 'fixed'
      ? tare.thousandths
      : Number(dividedHalfUp(BigInt(grossThousandths) * BigInt(tare.ppm), 1_000_000n))

/**
 * Reads a typed quantity with a point or a comma, such as `1.25`; undefined for another text, more decimals than
 * allowed, or a quantity above the largest.
 */
export function parseThousandths(text: string, decimals: number): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,4})(?:[.,](\d{1,3}))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  const value = Number(whole) * 1_000 + Number(fraction.padEnd(3, '0'))
  return value <= MAX_THOUSANDTHS ? value : undefined
}

/** Formats thousandths with at least `decimals` decimals, and with all digits that are not zero. */
export function formatThousandths(thousandths: number, decimals: number, point: string): string {
  const fraction = String(thousandths % 1_000)
    .padStart(3, '0')
    .replace(new RegExp(`0{0,${3 - decimals}}$`), '')
  return `${Math.floor(thousandths / 1_000)}${fraction === '' ? '' : point + fraction}`
}
