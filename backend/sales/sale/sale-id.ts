import { SaleId } from '../../../contracts/core/ids.ts'

const SEQUENCE_DIGITS = 8
const SALT_LENGTH = 4

/** '0' → 'A' … '9' → 'J'. */
const letterFor = (digit: string): string => String.fromCharCode('A'.charCodeAt(0) + Number(digit))

/**
 * The id of a sale: location, lane, eight digits of the lane's own sequence and four salt characters, e.g.
 * "N1010100000042K7QZ". The salt keeps ids apart when a lane's database is lost and its sequence starts again.
 * The id always holds a letter, so that no scanner can take a receipt for an item or a collector: where location,
 * lane and salt are all digits, the first salt character becomes a letter.
 *
 * `salt`: any text with at least four of A–Z, a–z, 0–9; the first four count. Throws a RangeError for a sequence
 * beyond eight digits or a salt that is too short: both are errors of the program.
 */
export function saleIdOf(parts: {
  readonly locationCode: string
  readonly lane: string
  readonly sequence: number
  readonly salt: string
}): SaleId {
  const { locationCode, lane, sequence } = parts
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= 10 ** SEQUENCE_DIGITS)
    throw new RangeError(`not a sale sequence: ${sequence}`)
  const salt = parts.salt
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, SALT_LENGTH)
  if (salt.length < SALT_LENGTH) throw new RangeError('a sale id needs four salt characters')
  const front = `${locationCode}${lane}`.toUpperCase() + String(sequence).padStart(SEQUENCE_DIGITS, '0')
  const id = front + salt
  return SaleId.parse(/[A-Z]/.test(id) ? id : front + letterFor(salt.charAt(0)) + salt.slice(1))
}

const FOLLOWING = { corrected: 'C', 'taken-back': 'R', given: 'G', returned: 'Q' } as const

/**
 * The id of a further transaction of a sale, e.g. "N1010100000042K7QZ-C1" for its first corrected copy. The hyphen is
 * in no sale id: none can be taken for a sale's own, and both begin with what stands on the receipt. After a restore
 * ("-C1E2") the lane's epoch keeps it apart from one that was sent before, of which the database no longer knows.
 */
export const followingId = (saleId: string, kind: keyof typeof FOLLOWING, number: number, epoch: number): string =>
  `${saleId}-${FOLLOWING[kind]}${number}${epoch > 1 ? `E${epoch}` : ''}`
