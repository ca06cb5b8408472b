import type { Measure } from '../../contracts/measure.ts'
import { cents } from '../../contracts/money.ts'
import { hasValidCheckDigit } from './gtin.ts'

/** GS1 element strings (GS1 General Specifications §3 and §7.8): application identifiers and their values, FNC1 as GS. */
const GS = '\x1d'

/** How many digits an application identifier has, by its first two. */
const AI_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(?:0[0-4]|1[0-9]|2[0-2]|30|37|9\d)/, 2],
  [/^(?:2[3-5]|4[0-2]|71)/, 3],
  [/^(?:3[1-6]|39|43|70|72|8[0-2])/, 4],
]
/** Values of predefined length: no FNC1 follows them, by the first two digits (§7.8.5, figure of predefined lengths). */
const FIXED: Readonly<Record<string, number>> = {
  '00': 18, '01': 14, '02': 14, '03': 14, '04': 16, 11: 6, 12: 6, 13: 6, 14: 6, 15: 6, 16: 6, 17: 6, 18: 6, 19: 6, 20: 2,
  31: 6, 32: 6, 33: 6, 34: 6, 35: 6, 36: 6, 41: 13,
}
const LONGEST_VALUE = 90

/** The elements by application identifier, in order; null when the text is no element string. Linear in its length. */
export function parseElements(text: string): ReadonlyMap<string, string> | null {
  const elements = new Map<string, string>()
  for (let at = text.startsWith(GS) ? 1 : 0; at < text.length;) {
    const head = text.slice(at, at + 2)
    const aiLength = AI_LENGTHS.find(([pattern]) => pattern.test(head))?.[1]
    if (aiLength === undefined) return null
    const ai = text.slice(at, at + aiLength)
    const from = at + aiLength
    const separator = text.indexOf(GS, from)
    const fixed = FIXED[head]
    const to = fixed !== undefined ? from + fixed : separator < 0 ? text.length : separator
    const value = text.slice(from, to)
    const complete = fixed !== undefined ? /^\d+$/.test(value) && value.length === fixed : /^[\x21-\x7e]+$/.test(value) && value.length <= LONGEST_VALUE
    // One identifier twice would leave it to chance which value counts.
    if (!/^\d+$/.test(ai) || !complete || elements.has(ai)) return null
    elements.set(ai, value)
    at = text[to] === GS ? to + 1 : to
  }
  return elements.size === 0 ? null : elements
}

/** What a lane needs of an element string. */
export interface Gs1Item {
  /** 14 digits, check digit right. */
  readonly gtin: string
  readonly measure: Measure | null
  readonly lot: string | null
  /** `YYYY-MM-DD`; the last day on which it may be sold (AI 17). */
  readonly expiry: string | null
}

const CANADIAN_DOLLAR = '124'
const GRAMS_PER_POUND = 453.59237

/** `digits` with `decimals` of them behind the point, in units of `unit` of what they count; null when that is nothing. */
function scaled(digits: string, decimals: number, unit: number): number | null {
  const value = Math.round((Number(digits) * unit) / 10 ** decimals)
  return /^\d{1,15}$/.test(digits) && value > 0 && Number.isSafeInteger(value) ? value : null
}

function measureOf(elements: ReadonlyMap<string, string>): Measure | null {
  for (const [ai, value] of elements) {
    const decimals = Number(ai[3])
    // 392n: the price of the piece; 393n: with its currency, of which only ours can be rung.
    const price = /^392\d$/.test(ai) ? value : /^393\d$/.test(ai) && value.startsWith(CANADIAN_DOLLAR) ? value.slice(3) : null
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
  const expiry = elements.get('17')
  return { gtin, measure, lot: elements.get('10') ?? null, expiry: expiry === undefined ? null : dateOf(expiry, thisYear) }
}
