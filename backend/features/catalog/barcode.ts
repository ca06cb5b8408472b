/**
 * The form under which a barcode is stored and looked up. GTIN-8, -12, -13 and -14 are one number with leading zeros
 * (GS1 General Specifications §3.3.2): a UPC-A of 12 digits and the same product's EAN-13 must find the same item.
 * Any other code (a price look-up number, an in-store label) is itself.
 */
export const barcodeKey = (code: string): string => (/^(\d{8}|\d{12,14})$/.test(code) ? code.padStart(14, '0') : code)
