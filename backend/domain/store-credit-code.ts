import { StoreCreditCode } from '../../contracts/api/returns.ts'

/** Sixteen letters that no person takes for another, one for each value of a hexadecimal digit. */
const LETTERS = 'ABCDEFGHJKMNPQRT'
/** Where a version 4 UUID holds its version and variant: not random. */
const FIXED = new Set([12, 16])

/**
 * The code of a store credit: money to whoever holds the paper, so that nobody must be able to guess it. 64 random bits
 * of a version 4 UUID as letters only: a sale id always holds ten digits in a row, a collector number and an item code
 * are digits alone, so no scanner takes one for another.
 */
export function storeCreditCodeOf(uuid: string): StoreCreditCode {
  const random = [...uuid.replaceAll('-', '')].filter((_, index) => !FIXED.has(index)).slice(0, 16)
  return StoreCreditCode.parse(random.map((digit) => LETTERS[Number.parseInt(digit, 16)]).join(''))
}
