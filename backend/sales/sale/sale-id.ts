import { SaleId } from '../../../contracts/core/ids.ts'

const SEQUENCE_DIGITS = 8
const SALT_LENGTH = 4

const letterFor = (digit: string): string => String.fromCharCode('A'.charCodeAt(0) + Number(digit))

/**
 * Returns the id of a sale: location, lane, eight digits of the lane's sequence and four salt characters, e.g.
 * "N1010100000042K7QZ". The salt prevents duplicates when a lane's database is lost and its sequence restarts. The id
 * always contains a letter, so that no scanner takes a receipt for an item or a collector: if location, lane and salt
 * are all digits, the first salt character becomes a letter.
 * `salt`: any text with at least four of A–Z, a–z, 0–9; the first four are used. Throws a RangeError for a sequence
 * beyond eight digits or a salt that is too short, which are programming errors.
 */
export function saleIdOf(parts: {
  readonly locationCode: string
  readonly lane: string
  readonly sequence: number
  readonly salt: string
}): SaleId {
  const { locationCode, lane, sequence } = parts
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= 10 ** SEQUENCE_DIGITS)
    throw new RangeError(`a sale sequence has at most eight digits: ${sequence}`)
  const salt = parts.salt
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, SALT_LENGTH)
  if (salt.length < SALT_LENGTH) throw new RangeError('a sale id needs at least four salt characters')
  const front = `${locationCode}${lane}`.toUpperCase() + String(sequence).padStart(SEQUENCE_DIGITS, '0')
  const id = front + salt
  return SaleId.parse(/[A-Z]/.test(id) ? id : front + letterFor(salt.charAt(0)) + salt.slice(1))
}

const FOLLOWING = { corrected: 'C', 'taken-back': 'R', given: 'G', returned: 'Q' } as const

/**
 * Returns the id of a further transaction of a sale, e.g. "N1010100000042K7QZ-C1" for its first corrected copy. It
 * begins with the id on the receipt, and the hyphen distinguishes it from sale ids. After a restore ("-C1E2") the
 * lane's epoch distinguishes it from ids that were sent before and lost with the old database.
 */
export const followingId = (saleId: string, kind: keyof typeof FOLLOWING, number: number, epoch: number): string =>
  `${saleId}-${FOLLOWING[kind]}${number}${epoch > 1 ? `E${epoch}` : ''}`
