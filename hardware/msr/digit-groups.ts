import { isDigit } from '../../contracts/payment-number.ts'

const SPACE = 0x20
const DASH = 0x2d
/** Longer than any number that is looked for. */
const KEPT = 32

/**
 * The digits of groups, side by side: one buffer for good, and large enough to lie outside the collector's heap,
 * which moves what is small and leaves its old place as it was.
 */
const together = new Uint8Array(1_024)

/** Says of the first digits and of how many there are whether they are the number that is looked for. */
export type IsNumber = (digits: Uint8Array, count: number) => boolean

/**
 * Whether such a number stands between `from` and `to`, whole or in groups that at most `mostGap` spaces or dashes
 * part. It begins with a group and ends with one, but whatever stands before or behind it. Linear; no string of it is
 * made, and the working copy is overwritten.
 */
export function holdsGroups(bytes: Uint8Array, from: number, to: number, mostGap: number, isNumber: IsNumber): boolean {
  let found = false
  for (let at = from; at < to && !found; at += 1) {
    if (isDigit(bytes[at]) && !(at > from && isDigit(bytes[at - 1]))) found = beginsAt(bytes, at, to, mostGap, isNumber)
  }
  together.fill(0)
  return found
}

function beginsAt(bytes: Uint8Array, start: number, to: number, mostGap: number, isNumber: IsNumber): boolean {
  let count = 0
  for (let at = start; count < KEPT;) {
    for (; at < to && isDigit(bytes[at]); at += 1, count += 1) if (count < KEPT) together[count] = bytes[at] ?? 0
    if (isNumber(together, count)) return true
    let next = at
    while (next < to && next - at < mostGap && (bytes[next] === SPACE || bytes[next] === DASH)) next += 1
    if (next === at || next >= to || !isDigit(bytes[next])) return false
    at = next
  }
  return false
}
