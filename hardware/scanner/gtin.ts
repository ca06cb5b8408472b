/**
 * EAN and UPC numbers (GS1 General Specifications §7.9: check digit; §5.2.2.4: UPC-E). Digits as strings throughout.
 */

/** The check digit of these digits: weights 3 and 1 from the right. */
export function checkDigit(digits: string): number {
  let sum = 0
  for (let index = digits.length - 1, weight = 3; index >= 0; index -= 1, weight = 4 - weight)
    sum += Number(digits[index]) * weight
  return (10 - (sum % 10)) % 10
}

export const hasValidCheckDigit = (digits: string): boolean =>
  /^\d{2,18}$/.test(digits) && Number(digits.at(-1)) === checkDigit(digits.slice(0, -1))

/**
 * UPC-E to the 12 digits of UPC-A. Takes 6 digits (number system 0 understood), 7 (number system and six digits)
 * or 8 (with check digit, which must be right). Null for anything else.
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
 * The 8 digits of UPC-E for 12 digits of UPC-A, or null where they cannot be shortened (GS1 General Specifications
 * §5.2.2.4.2): the number system must be 0 or 1, the check digit right, and the zeros where one of the four rules wants
 * them.
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
 * A GTIN of 14 digits as it is printed on what it stands on: 13 digits for one piece, 8 for a small one, 14 for a case.
 */
export const printedGtin = (gtin: string): string => gtin.replace(/^0(?:00000(?=\d{8}$))?/, '')

/** What the symbology says about a number: nothing, EAN-13/UPC-A/UPC-E, or EAN-8. */
export type EanKind = 'any' | 'ean' | 'ean-8'

/**
 * The item number as it is printed under the bars: EAN-13 as 13 digits, UPC-A as 13 with a leading 0, UPC-E expanded to
 * the same, EAN-8 as 8. Null when these digits are none of them or their check digit is wrong. Eight digits without a
 * symbology are UPC-E when they begin with 0 (GS1 keeps 0 in EAN-8 for use inside a store) and check as one.
 */
export function itemNumber(digits: string, kind: EanKind): string | null {
  const upcE = (): string | null => {
    const expanded = expandUpcE(digits)
    return expanded === null ? null : `0${expanded}`
  }
  switch (digits.length) {
    case 13:
      return kind !== 'ean-8' && hasValidCheckDigit(digits) ? digits : null
    case 12:
      return kind !== 'ean-8' && hasValidCheckDigit(digits) ? `0${digits}` : null
    case 8:
      if (kind === 'ean') return upcE()
      if (kind === 'any' && digits.startsWith('0')) return upcE() ?? (hasValidCheckDigit(digits) ? digits : null)
      return hasValidCheckDigit(digits) ? digits : null
    // Without a symbology six or seven digits are a store's own number.
    case 6:
    case 7:
      return kind === 'ean' ? upcE() : null
    default:
      return null
  }
}
