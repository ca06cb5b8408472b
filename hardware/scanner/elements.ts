import { isDigit } from '../../contracts/payment-number.ts'
import { holdsPaymentNumber } from './foreign-number.ts'

/**
 * GS1 element strings (GS1 General Specifications §3 and §7.8): application identifiers and their values, FNC1 as GS.
 */
const GS = 0x1d
const FIRST_PRINTABLE = 0x21
const LAST_PRINTABLE = 0x7e

/** How many digits an application identifier has, by its first two. */
const AI_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(?:0[0-4]|1[0-9]|2[0-2]|30|37|9\d)/, 2],
  [/^(?:2[3-5]|4[0-2]|71)/, 3],
  [/^(?:3[1-6]|39|43|70|72|8[0-2])/, 4],
]
/**
 * Values of predefined length: no FNC1 follows them, by the first two digits (§7.8.5, figure of predefined lengths).
 */
const FIXED: Readonly<Record<string, number>> = {
  '00': 18,
  '01': 14,
  '02': 14,
  '03': 14,
  '04': 16,
  11: 6,
  12: 6,
  13: 6,
  14: 6,
  15: 6,
  16: 6,
  17: 6,
  18: 6,
  19: 6,
  20: 2,
  31: 6,
  32: 6,
  33: 6,
  34: 6,
  35: 6,
  36: 6,
  41: 13,
}
const LONGEST_VALUE = 90

/** An application identifier, and where its value stands. */
interface Element {
  readonly ai: string
  readonly from: number
  readonly to: number
}

const textOf = (data: Uint8Array, from: number, to: number): string =>
  Buffer.from(data.buffer, data.byteOffset + from, to - from).toString('latin1')

/**
 * The elements in order, as places among the bytes; null when they are no element string. Linear; makes no string of a
 * value.
 */
export function findElements(data: Uint8Array): readonly Element[] | null {
  const elements: Element[] = []
  for (let at = data[0] === GS ? 1 : 0; at < data.length;) {
    const head = textOf(data, at, Math.min(at + 2, data.length))
    const aiLength = AI_LENGTHS.find(([pattern]) => pattern.test(head))?.[1]
    if (aiLength === undefined) return null
    const from = at + aiLength
    const fixed = FIXED[head]
    const separator = fixed === undefined ? data.indexOf(GS, from) : -1
    const to = fixed !== undefined ? from + fixed : separator < 0 ? data.length : separator
    const value = data.subarray(from, to)
    const complete =
      fixed !== undefined
        ? value.length === fixed && value.every(isDigit)
        : value.length > 0 &&
          value.length <= LONGEST_VALUE &&
          value.every((byte) => byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE)
    if (to > data.length || !data.subarray(at, from).every(isDigit) || !complete) return null
    elements.push({ ai: textOf(data, at, from), from, to })
    at = data[to] === GS ? to + 1 : to
  }
  return elements.length === 0 ? null : elements
}

/** A lot or a serial number may hold anything: its digits stand behind an identifier and not at the head of a run. */
export const elementsHoldPaymentNumber = (data: Uint8Array, elements: readonly Element[]): boolean =>
  elements.some(({ from, to }) => holdsPaymentNumber(data.subarray(from, to), 'unknown'))

/**
 * The values by application identifier; null when one stands there twice with two values, which would leave it to
 * chance which of them counts. The same value again is allowed (§7.8.1).
 */
export function elementValues(
  pairs: Iterable<readonly [ai: string, value: string]>,
): ReadonlyMap<string, string> | null {
  const values = new Map<string, string>()
  for (const [ai, value] of pairs) {
    if ((values.get(ai) ?? value) !== value) return null
    values.set(ai, value)
  }
  return values
}

export const valuesOf = (data: Uint8Array, elements: readonly Element[]): ReadonlyMap<string, string> | null =>
  elementValues(elements.map(({ ai, from, to }) => [ai, textOf(data, from, to)]))
