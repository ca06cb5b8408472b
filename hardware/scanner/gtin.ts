import { expandUpcE, hasValidCheckDigit, upcEAsPrinted } from '../../contracts/gtin.ts'

/**
 * A GTIN of 14 digits as it is printed on what it stands on: 13 digits for one piece, 8 for a small one, 14 for a case.
 */
export const printedGtin = (gtin: string): string => gtin.replace(/^0(?:00000(?=\d{8}$))?/, '')

/** What the symbology says about a number: nothing, EAN-13/UPC-A/UPC-E, or EAN-8. */
export type EanKind = 'any' | 'ean' | 'ean-8'

/**
 * The item number as it is printed under the bars: EAN-13 as 13 digits, UPC-A as 13 with a leading 0, UPC-E expanded to
 * the same, EAN-8 as 8. Null when these digits are none of them or their check digit is wrong. Eight digits without a
 * symbology are UPC-E as `upcEAsPrinted` says.
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
      if (kind === 'any' && upcEAsPrinted(digits) !== null) return upcE()
      return hasValidCheckDigit(digits) ? digits : null
    // Without a symbology six or seven digits are a store's own number.
    case 6:
    case 7:
      return kind === 'ean' ? upcE() : null
    default:
      return null
  }
}
