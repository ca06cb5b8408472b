import { correction, generate } from 'lean-qr'

/** QR codes (ISO/IEC 18004) of error correction level M, up to 106 characters, as long as a receipt's link. */

export type QrModules = readonly (readonly boolean[])[]
/** Width of the quiet zone in modules: white space that a reader needs on every side. */
export const QR_QUIET = 4
export const MAX_QR_CHARACTERS = 106
/** Matches printable ASCII only: readers guess the character set of other bytes, with different results. */
const TEXT = new RegExp(`^[\\x20-\\x7e]{1,${MAX_QR_CHARACTERS}}$`)
export const isQrText = (text: string): boolean => TEXT.test(text)

/** Returns the modules of a QR code for a text; null for a text that `isQrText` refuses. */
export function qr(text: string): QrModules | null {
  if (!isQrText(text)) return null
  const code = generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.M })
  const each = Array.from({ length: code.size }, (_, at) => at)
  return each.map((y) => each.map((x) => code.get(x, y)))
}
