import type { Measure } from '../../contracts/measure.ts'
import { cents } from '../../contracts/money.ts'
import { hasValidCheckDigit } from '../../contracts/gtin.ts'

/** What a lane needs of an element string (GS1 General Specifications §3). */
export interface Gs1Item {
  /** 14 digits, check digit right. */
  readonly gtin: string
  readonly measure: Measure | null
  readonly lot: string | null
  /**
   * `YYYY-MM-DD`; the last day on which it may be sold: the earliest of expiration date (AI 17), sell-by date (16) and
   * best-before date (15).
   */
  readonly expiry: string | null
}

const CANADIAN_DOLLAR = '124'
const GRAMS_PER_POUND = 453.59237

/**
 * `digits` with `decimals` of them behind the point, in units of `unit` of what they count; null when that is nothing.
 */
function scaled(digits: string, decimals: number, unit: number): number | null {
  const value = Math.round((Number(digits) * unit) / 10 ** decimals)
  return /^\d{1,15}$/.test(digits) && value > 0 && Number.isSafeInteger(value) ? value : null
}

function measureOf(elements: ReadonlyMap<string, string>): Measure | null {
  for (const [ai, value] of elements) {
    const decimals = Number(ai[3])
    // 392n: the price of the piece; 393n: with its currency, of which only ours can be rung.
    const price = /^392\d$/.test(ai)
      ? value
      : /^393\d$/.test(ai) && value.startsWith(CANADIAN_DOLLAR)
        ? value.slice(3)
        : null
    if (price !== null) {
      const amount = scaled(price, decimals, 100)
      return amount === null ? null : { kind: 'price', cents: cents(amount) }
    }
  }
  for (const [ai, value] of elements) {
    const unit = /^310\d$/.test(ai) ? 1_000 : /^320\d$/.test(ai) ? GRAMS_PER_POUND : null
    const grams = unit === null ? null : scaled(value, Number(ai[3]), unit)
    if (grams !== null) return { kind: 'weight', grams }
  }
  return null
}

/**
 * A date of six digits. Day 00 is the last of the month (§3.4.1); the century is the one that makes the date lie
 * between 49 years ago and 50 years from now (§7.12). Null when there is no such day.
 */
export function dateOf(digits: string, thisYear: number): string | null {
  const match = /^(\d\d)(\d\d)(\d\d)$/.exec(digits)
  if (!match) return null
  const difference = Number(match[1]) - (thisYear % 100)
  const century = Math.floor(thisYear / 100) + (difference >= 51 ? -1 : difference <= -50 ? 1 : 0)
  const year = century * 100 + Number(match[1])
  const month = Number(match[2])
  const last = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0
  const day = match[3] === '00' ? last : Number(match[3])
  return day >= 1 && day <= last ? `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` : null
}

/**
 * The item of an element string; null when it names none, or none that can be rung. A piece of variable measure
 * (its GTIN begins with 9, §2.1.11) without a price or weight that can be read has no price at all.
 */
export function gs1Item(elements: ReadonlyMap<string, string>, thisYear: number): Gs1Item | null {
  const gtin = elements.get('01')
  if (gtin === undefined || !hasValidCheckDigit(gtin)) return null
  const measure = measureOf(elements)
  const priced = [...elements.keys()].some((ai) => /^39[23]/.test(ai))
  if (measure?.kind !== 'price' && (priced || (gtin.startsWith('9') && measure === null))) return null
  const dates = ['15', '16', '17'].flatMap((ai) => {
    const digits = elements.get(ai)
    return digits === undefined ? [] : (dateOf(digits, thisYear) ?? [])
  })
  return {
    gtin,
    measure,
    lot: elements.get('10') ?? null,
    expiry: dates.toSorted()[0] ?? null,
  }
}
