import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap } from '../../contracts/core/receipt.ts'

/**
 * Encodes Code 128 data for an ESC/POS printer: `{B` for text, `{C` for pairs of digits (ISO/IEC 15417; ESC/POS GS k, m
 * = 73). Pairs of digits take half the width, so that a sale's id fits on narrow paper.
 */
export interface Code128 {
  readonly data: string
  readonly modules: number
}

/**
 * Minimum length of a run of digits for which changing to pairs saves width: at the ends it costs one change, in the
 * middle two.
 */
const RUN_AT_END = 4
const RUN_INSIDE = 6
const START_CHECK_STOP = 11 + 11 + 13
/**
 * Pairs of digits that must not follow 16 in set C. There the digits 16 are the byte DLE, and a printer obeys real-time
 * printer commands even within barcode data: 1604 would request status, 1605 recover from an error, 1620 open the
 * drawer. A 16 before such a pair is encoded in set B.
 */
const REAL_TIME_AFTER_16 = new Set(['04', '05', '20'])
const MAX_CHARACTERS = 100

/**
 * Encodes printable ASCII as Code 128. Returns null for other or empty text, or if it is too long for the printer
 * command.
 */
export function code128(text: string): Code128 | null {
  if (text.length > MAX_CHARACTERS || !/^[\x20-\x7e]+$/.test(text)) return null
  let data = ''
  let symbols = 0
  let set: 'B' | 'C' | null = null
  const enter = (next: 'B' | 'C'): void => {
    if (set === next) return
    if (set !== null) symbols += 1
    data += `{${next}`
    set = next
  }
  let at = 0
  while (at < text.length) {
    const run = /^\d*/.exec(text.slice(at))?.[0].length ?? 0
    const least = at === 0 || at + run === text.length ? RUN_AT_END : RUN_INSIDE
    if (run >= least && run % 2 === 0) {
      for (const end = at + run; at < end; at += 2) {
        const pair = text.slice(at, at + 2)
        if (pair === '16' && REAL_TIME_AFTER_16.has(text.slice(at + 2, at + 4))) {
          enter('B')
          data += pair
          symbols += 2
          continue
        }
        enter('C')
        data += String.fromCharCode(Number(pair))
        symbols += 1
      }
    } else {
      // Set C takes pairs, so the first digit of a run with an odd number of digits stays in set B, as does a run that
      // is too short.
      const take = run >= least ? 1 : Math.max(run, 1)
      enter('B')
      for (const character of text.slice(at, at + take)) {
        data += character === '{' ? '{{' : character
        symbols += 1
      }
      at += take
    }
  }
  return { data, modules: symbols * 11 + START_CHECK_STOP }
}

/** Images are sent in whole bytes, and to Star printers in bands of 24 rows. */
const RASTER_STEP = 8
const BAND = 24

/**
 * Bytes of real-time printer commands, which act on arrival, even within an image. ESC/POS: DLE EOT, DLE ENQ and DLE
 * DC4, which opens the drawer (Epson, ESC/POS Application Programming Guide; GS ( D, which would disable them, is
 * unknown to older printers and to many copies, and leaves the first two enabled). Star: ESC ACK SOH and ESC ACK CAN
 * (STAR Line Mode Command Specifications, page 3-70). Star's one-byte ENQ and EOT only request a byte, which the status
 * parser skips. `darker`: the dot next to an already black one, which changes the first byte.
 */
const ESC_POS = { first: 0x10, follows: new Set([0x04, 0x05, 0x14]), darker: 2 }
const STAR = { first: 0x1b, follows: new Set([0x06]), darker: 5 }

/** Makes an image that is wider than the paper smaller. A dot is black if any dot that it replaces is. */
export function fitted(image: Bitmap, most: number): Bitmap {
  if (image.width <= most) return image
  const scale = most / image.width
  const height = Math.ceil(image.height * scale)
  const dots = new Uint8Array(most * height)
  for (let y = 0; y < image.height; y += 1)
    for (let x = 0; x < image.width; x += 1)
      if (image.dots[y * image.width + x] === 1) dots[Math.floor(y * scale) * most + Math.floor(x * scale)] = 1
  return { width: most, height, dots }
}

/**
 * Returns the store's logo in the encoder's format: padded with white to whole bytes, and without real-time printer
 * commands.
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
  } as const satisfies Record<PrinterCommandSet, () => void>
  guardRows[printerCommandSetOf(language)]()

  const data = new Uint8ClampedArray(wide * high * 4).fill(255)
  for (const [at, dot] of black.entries()) if (dot === 1) data.fill(0, at * 4, at * 4 + 3)
  return { image: { data, width: wide, height: high }, width: wide, height: high }
}

/**
 * Sets dots so that an image contains no real-time printer command. `dotOf`: index of the dot for a bit of a byte in
 * sending order; all dots past the last row are white.
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

/** Printer languages that share their printer commands for text, pictures and codes; they differ in how they answer. */
export type PrinterCommandSet = 'esc-pos' | 'star'

const PRINTER_COMMAND_SETS = {
  'esc-pos': 'esc-pos',
  'star-prnt': 'star',
  'star-line': 'star',
} as const satisfies Record<PrinterLanguage, PrinterCommandSet>

export const printerCommandSetOf = (language: PrinterLanguage): PrinterCommandSet => PRINTER_COMMAND_SETS[language]
