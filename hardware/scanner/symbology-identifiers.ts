/**
 * Symbology identifiers of ISO/IEC 15424: `]`, a letter for the symbology, a modifier. Scanners send them only if
 * configured to do so; otherwise the symbology is unknown.
 */
export type Symbology =
  | 'code-39'
  | 'code-128'
  | 'gs1-128'
  | 'ean'
  | 'ean-8'
  | 'ean-add-on'
  | 'codabar'
  | 'code-93'
  | 'itf'
  | 'databar'
  | 'pdf417'
  | 'qr'
  | 'gs1-qr'
  | 'data-matrix'
  | 'gs1-data-matrix'
  | 'aztec'
  | 'other'
  | 'unknown'

export interface Identified {
  readonly symbology: Symbology
  readonly length: 0 | 3
}

const BRACKET = 0x5d

function symbologyOf(letter: string, modifier: string): Symbology {
  switch (letter) {
    case 'A':
      return 'code-39'
    case 'C':
      return modifier === '1' || modifier === '2' ? 'gs1-128' : 'code-128'
    case 'E':
      return modifier === '4' ? 'ean-8' : modifier === '0' ? 'ean' : 'ean-add-on'
    case 'F':
      return 'codabar'
    case 'G':
      return 'code-93'
    case 'I':
      return 'itf'
    case 'e':
      return 'databar'
    case 'L':
      return 'pdf417'
    case 'Q':
      return modifier === '3' || modifier === '4' ? 'gs1-qr' : 'qr'
    case 'd':
      return modifier === '2' || modifier === '3' ? 'gs1-data-matrix' : 'data-matrix'
    case 'z':
      return 'aztec'
    default:
      return 'other'
  }
}

export function identify(bytes: Uint8Array): Identified {
  if (bytes[0] !== BRACKET || bytes.length < 3) return { symbology: 'unknown', length: 0 }
  const letter = String.fromCharCode(bytes[1] ?? 0)
  const modifier = String.fromCharCode(bytes[2] ?? 0)
  if (!/^[A-Za-z]$/.test(letter) || !/^[0-9A-Za-z]$/.test(modifier)) return { symbology: 'unknown', length: 0 }
  return { symbology: symbologyOf(letter, modifier), length: 3 }
}

/** Whether a barcode of this symbology always contains a GS1 element string. */
export const isElementString = (symbology: Symbology): boolean =>
  symbology === 'gs1-128' || symbology === 'databar' || symbology === 'gs1-qr' || symbology === 'gs1-data-matrix'

/** Whether a barcode of this symbology can be a collector number; never an EAN, UPC or GS1 number. */
export const mayCarryCollector = (symbology: Symbology): boolean => {
  switch (symbology) {
    case 'ean':
    case 'ean-8':
    case 'ean-add-on':
    case 'databar':
    case 'gs1-128':
    case 'gs1-qr':
    case 'gs1-data-matrix':
      return false
    case 'code-39':
    case 'code-128':
    case 'codabar':
    case 'code-93':
    case 'itf':
    case 'pdf417':
    case 'qr':
    case 'data-matrix':
    case 'aztec':
    case 'other':
    case 'unknown':
      return true
  }
}
