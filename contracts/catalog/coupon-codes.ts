/**
 * Barcodes of manufacturers' coupons: the North American coupon code of GS1 (AI 8110), the reference to an electronic
 * offer (AI 8112), and coupon numbers of UPC-A (number system 5) and EAN-13 (prefix 99). The fields of AI 8110 are
 * those that GS1 checks in `lint_couponcode.c` of the GS1 Barcode Syntax Dictionary.
 */
export interface CouponCode {
  /** Identifies the coupon: for AI 8110 its company prefix and offer code, else the whole number. */
  readonly key: string
  /** Value in cents, if the code states a plain amount for pieces of one family of items. */
  readonly valueCents: number | null
  /** Number of pieces that the customer must buy; 1 if the code states none. */
  readonly units: number
  /** Company prefix of the items that the customer must buy; null if the code names none. */
  readonly companyPrefix: string | null
  /** First and last day as YYMMDD. */
  readonly from: string | null
  readonly until: string | null
}

const SHORTEST_PREFIX = 6
const PIECES = '0'
const NUMBER_ONLY = { valueCents: null, units: 1, companyPrefix: null, from: null, until: null } as const

/** Reads a coupon code as scanned (`8110…`, `8112…`, 12 or 13 digits); null for any other code. */
export function readCouponCode(scanned: string): CouponCode | null {
  const code = scanned.trim()
  if (/^8110\d{14,70}$/.test(code)) return readFields(code.slice(4))
  if (/^8112\d{14,60}$/.test(code)) return { key: code, ...NUMBER_ONLY }
  // UPC-A with number system 5 is read as 12 digits, or as 13 with a leading zero.
  const number = /^0?(5\d{11})$/.exec(code)?.[1] ?? /^(99\d{11})$/.exec(code)?.[1]
  return number === undefined ? null : { key: number, ...NUMBER_ONLY }
}

/** Reads digits from the left: a given number of digits, or a length digit and that many digits. */
function reader(digits: string) {
  let at = 0
  const take = (length: number): string | null => {
    const value = digits.slice(at, at + length)
    at += length
    return value.length === length ? value : null
  }
  return {
    take,
    takeSized(extra = 0): string | null {
      const length = take(1)
      return length === null ? null : take(Number(length) + extra)
    },
    isAtEnd: () => at >= digits.length,
  }
}

function readFields(digits: string): CouponCode | null {
  const fields = reader(digits)
  const companyPrefix = fields.takeSized(SHORTEST_PREFIX)
  const offer = fields.take(6)
  const value = fields.takeSized()
  const units = fields.takeSized()
  const unitKind = fields.take(1)
  const family = fields.take(3)
  if (companyPrefix === null || offer === null || !value || !units || unitKind === null || family === null) return null
  const { from, until, isPlain } = readOptional(fields)
  const isOfPieces = isPlain && unitKind === PIECES && Number(units) >= 1 && Number(value) >= 1
  return {
    key: `${companyPrefix}-${offer}`,
    valueCents: isOfPieces ? Number(value) : null,
    units: isOfPieces ? Number(units) : 1,
    companyPrefix,
    from,
    until,
  }
}

/**
 * Reads the optional fields. `isPlain`: no second purchase (fields 1 and 2), no unknown field, and the value is an
 * amount of money off (save value code 0 of field 9).
 */
function readOptional(fields: ReturnType<typeof reader>) {
  let [from, until, isPlain]: [string | null, string | null, boolean] = [null, null, true]
  while (!fields.isAtEnd()) {
    switch (fields.take(1)) {
      case '3':
        until = fields.take(6)
        break
      case '4':
        from = fields.take(6)
        break
      case '5':
        isPlain &&= fields.takeSized(SHORTEST_PREFIX) !== null
        break
      case '6':
        isPlain &&= fields.takeSized(SHORTEST_PREFIX) !== null
        break
      case '9':
        isPlain &&= fields.take(4)?.startsWith('0') === true
        break
      default:
        return { from, until, isPlain: false }
    }
  }
  return { from, until, isPlain }
}
