/**
 * The form under which a barcode is stored and looked up. GTIN-8, -12, -13 and -14 are one number with leading zeros
 * (GS1 General Specifications §3.3.2): a UPC-A of 12 digits and the same product's EAN-13 must find the same item.
 * Any other code (a price look-up number, an in-store label) is itself.
 */
export const barcodeKey = (code: string): string => (isGtin(code) ? code.padStart(14, '0') : code)

const isGtin = (code: string): boolean => /^(\d{8}|\d{12,14})$/.test(code)

/**
 * False for a number of a GTIN's length whose last digit is not its check digit (GS1 General Specifications §7.9): no
 * scanner would ever read it.
 */
export function mayBeScanned(code: string): boolean {
  if (!isGtin(code)) return true
  const sum = [...barcodeKey(code)].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  )
  return sum % 10 === 0
}
