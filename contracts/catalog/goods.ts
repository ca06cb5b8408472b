/**
 * EAN and UPC numbers (GS1 General Specifications §7.9: check digit; §5.2.2.4: UPC-E). All functions take digits as
 * strings.
 */

/** Returns the check digit for these digits: weights 3 and 1 from the right. */
export function checkDigit(digits: string): number {
  let sum = 0
  for (let index = digits.length - 1, weight = 3; index >= 0; index -= 1, weight = 4 - weight)
    sum += Number(digits[index]) * weight
  return (10 - (sum % 10)) % 10
}

export const hasValidCheckDigit = (digits: string): boolean =>
  /^\d{2,18}$/.test(digits) && Number(digits.at(-1)) === checkDigit(digits.slice(0, -1))

/**
 * Expands UPC-E to the 12 digits of UPC-A. Accepts 6 digits (number system 0), 7 (number system and six digits) or 8
 * (with a valid check digit). Returns null for anything else.
 */
export function expandUpcE(digits: string): string | null {
  const match = /^(?:([01])?(\d{6})|([01])(\d{6})(\d))$/.exec(digits)
  if (!match) return null
  const system = match[1] ?? match[3] ?? '0'
  const six = match[2] ?? match[4] ?? ''
  const [a, b, c, d, e, last] = six.split('')
  const body =
    last === '0' || last === '1' || last === '2'
      ? `${a}${b}${last}0000${c}${d}${e}`
      : last === '3'
        ? `${a}${b}${c}00000${d}${e}`
        : last === '4'
          ? `${a}${b}${c}${d}00000${e}`
          : `${a}${b}${c}${d}${e}0000${last}`
  const eleven = system + body
  const check = checkDigit(eleven)
  return match[5] === undefined || Number(match[5]) === check ? eleven + String(check) : null
}

/**
 * Compresses 12 digits of UPC-A to the 8 digits of UPC-E, or returns null if that is impossible (GS1 General
 * Specifications §5.2.2.4.2): the number system must be 0 or 1, the check digit valid, and the zeros as one of the
 * four rules requires.
 */
export function compressUpcA(digits: string): string | null {
  if (!/^[01]\d{11}$/.test(digits) || !hasValidCheckDigit(digits)) return null
  const maker = digits.slice(1, 6)
  const item = digits.slice(6, 11)
  const six =
    /^..[012]00$/.test(maker) && item.startsWith('00')
      ? maker.slice(0, 2) + item.slice(2) + (maker[2] ?? '')
      : maker.endsWith('00') && item.startsWith('000')
        ? `${maker.slice(0, 3)}${item.slice(3)}3`
        : maker.endsWith('0') && item.startsWith('0000')
          ? `${maker.slice(0, 4)}${item.slice(4)}4`
          : /^0000[5-9]$/.test(item)
            ? maker + item.slice(4)
            : null
  return six === null ? null : `${digits.slice(0, 1)}${six}${digits.slice(11)}`
}

/**
 * Returns the 12 digits of UPC-A if these 8 printed digits are UPC-E; else null. Digits that are valid both as UPC-E
 * and as EAN-8 are UPC-E when they begin with 0 (GS1 reserves 0 in EAN-8 for use inside a store), else EAN-8.
 */
export const upcEAsPrinted = (digits: string): string | null =>
  digits.length === 8 && (digits.startsWith('0') || !hasValidCheckDigit(digits)) ? expandUpcE(digits) : null

/**
 * Returns the price look-up code of a GTIN that contains one: zeros, the code of four digits (3000 to 4999) or five
 * (the same after an 8 or 9), and a check digit. Price look-up codes are those of the International Federation for
 * Produce Standards (IFPS, "Produce PLU codes: a user's guide"). Such numbers begin with 0000000, where GS1 assigns
 * none (GS1 General Specifications, GS1 Prefixes 0000000 to 0000099: not used, to avoid collision with GTIN-8).
 */
export function pluOf(digits: string): string | null {
  const match = /^0{8}(?:0([34]\d{3})|([89][34]\d{3}))\d$/.exec(digits.padStart(14, '0'))
  const plu = match?.[1] ?? match?.[2] ?? null
  return plu !== null && hasValidCheckDigit(digits) ? plu : null
}

/** The item number of a gift card on a line of a sale. A catalog must not contain it. */
export const GIFT_CARD_SKU = 'milepost:gift-card'
/**
 * Id of the department of gift cards in reports. It is not a department of a store: a sold gift card is a liability,
 * not revenue.
 */
export const GIFT_CARD_DEPARTMENT = 'gift-cards'
export const MAX_GIFT_CARD_CENTS = 100_000

/** Beginning of the item numbers of lines that are no goods. A catalog must not contain such a number. */
export const RESERVED_SKU = 'milepost:'
/** Item numbers of the lines of deposits, environmental fees and empty containers. */
export const CHARGE_SKUS = { deposit: 'milepost:deposit', fee: 'milepost:fee' } as const
export const EMPTIES_SKU = 'milepost:empties'
/**
 * Ids of the departments of deposits and environmental fees in reports. Deposits and refunds for empties are no
 * revenue: the store collects and pays them for the deposit program.
 */
export const CHARGE_DEPARTMENTS = { deposit: 'deposits', fee: 'environmental-fees' } as const
export const EMPTIES_DEPARTMENT = 'empties'
/** Departments whose amounts are in no total of sales, because they are no revenue. */
export const NO_REVENUE_DEPARTMENTS = [GIFT_CARD_DEPARTMENT, CHARGE_DEPARTMENTS.deposit, EMPTIES_DEPARTMENT] as const

/** Highest number of additional barcodes, and of packs, of one item. */
export const MAX_CODES = 20
/** Highest number of planned tax changes of one item. */
export const MAX_TAX_CHANGES = 4
/** Maximum length of the reason why an item must not be sold. */
export const MAX_BLOCKED = 80
/** Highest number of days within which an item can be returned. */
export const MAX_RETURN_DAYS = 3_650
