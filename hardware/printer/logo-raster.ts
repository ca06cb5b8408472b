import type { PrinterLanguage } from '../../contracts/profile.ts'
import type { Bitmap } from '../../contracts/receipt.ts'
import { commandSetOf, type CommandSet } from './command-set.ts'

/** Rasters are sent in whole bytes, and Star's in bands of 24 rows. */
const RASTER_STEP = 8
const BAND = 24

/**
 * Real-time commands act as they arrive, also in the middle of a picture. ESC/POS: DLE EOT, DLE ENQ and DLE DC4, the
 * last of which kicks the drawer (Epson, ESC/POS Application Programming Guide; GS ( D, which would switch them off, is
 * unknown to older printers and to many copies, and leaves the first two on). Star: ESC ACK SOH and ESC ACK CAN (STAR
 * Line Mode Command Specifications, page 3-70). Its one-byte ENQ and EOT only ask for a byte, which the reader of its
 * status passes over. `darker`: the dot beside one that is black already, which makes another byte of the first.
 */
const ESC_POS = { first: 0x10, follows: new Set([0x04, 0x05, 0x14]), darker: 2 }
const STAR = { first: 0x1b, follows: new Set([0x06]), darker: 5 }

/**
 * The store's mark in the form that the encoder takes: white all around up to whole bytes, and no byte of it a command.
 */
export function logoRaster({ width, height, dots }: Bitmap, language: PrinterLanguage) {
  const wide = Math.ceil(width / RASTER_STEP) * RASTER_STEP
  const high = Math.ceil(height / RASTER_STEP) * RASTER_STEP
  const black = new Uint8Array(wide * high)
  for (let y = 0; y < height; y += 1) black.set(dots.subarray(y * width, (y + 1) * width), y * wide)
  const guardRows = {
    'esc-pos': () => guard(black, (wide * high) / 8, ESC_POS, (byte, bit) => byte * 8 + bit),
    star: () => {
      for (let top = 0; top < high; top += BAND)
        guard(black, wide * 3, STAR, (byte, bit) => (top + (byte % 3) * 8 + bit) * wide + Math.floor(byte / 3))
    },
  } as const satisfies Record<CommandSet, () => void>
  guardRows[commandSetOf(language)]()

  const data = new Uint8ClampedArray(wide * high * 4).fill(255)
  for (const [at, dot] of black.entries()) if (dot === 1) data.fill(0, at * 4, at * 4 + 3)
  return { image: { data, width: wide, height: high }, width: wide, height: high }
}

/**
 * `dotOf`: where the dot of a byte's bit lies, in the order in which the bytes are sent; past the last row all is
 * white.
 */
function guard(
  black: Uint8Array,
  bytes: number,
  { first, follows, darker }: typeof ESC_POS,
  dotOf: (byte: number, bit: number) => number,
): void {
  const byteAt = (byte: number): number => {
    let value = 0
    for (let bit = 0; bit < 8; bit += 1) value = value * 2 + (black[dotOf(byte, bit)] ?? 0)
    return value
  }
  for (let byte = 0, value = byteAt(0); byte + 1 < bytes; byte += 1) {
    const next = byteAt(byte + 1)
    if (value === first && follows.has(next)) black[dotOf(byte, darker)] = 1
    value = next
  }
}
