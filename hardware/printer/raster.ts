import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap } from '../../contracts/core/receipt.ts'

/**
 * Code 128 data for an ESC/POS printer: `{B` for text, `{C` for pairs of digits (ISO/IEC 15417; ESC/POS GS k, m = 73).
 * Digits in pairs take half the width, which is what lets a sale's id fit on narrow paper.
 */
export interface Code128 {
  /** What follows GS k 73 n: each character one byte. */
  readonly data: string
  /** Width of the bars in modules, without the quiet zones. */
  readonly modules: number
}

/** Shortest run of digits that is worth a change of set: at the ends one change, in the middle two. */
const RUN_AT_END = 4
const RUN_INSIDE = 6
const START_CHECK_STOP = 11 + 11 + 13
/**
 * In set C the digits 16 are the byte DLE, and a printer obeys its real-time commands even inside a barcode's data:
 * 1604 would ask for status, 1605 recover from an error, 1620 kick the drawer. Such a pair is written in set B.
 */
const REAL_TIME_AFTER_16 = new Set(['04', '05', '20'])
/** ESC/POS counts the data in one byte; far fewer characters fit on the paper. */
const MOST_CHARACTERS = 100

/** Printable ASCII to Code 128; null when it is empty, holds anything else, or is too long for the command. */
export function code128(text: string): Code128 | null {
  if (text.length > MOST_CHARACTERS || !/^[\x20-\x7e]+$/.test(text)) return null
  let data = ''
  let symbols = 0
  let set: 'B' | 'C' | null = null
  const enter = (next: 'B' | 'C'): void => {
    if (set === next) return
    // The first set is the start character, which the fixed width counts already.
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
      // Of an odd run the first digit stays in set B; a short run stays whole.
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

/** Printer languages that share their commands for text, pictures and codes; they differ in how they answer. */
export type CommandSet = 'esc-pos' | 'star'

const COMMAND_SETS = {
  'esc-pos': 'esc-pos',
  'star-prnt': 'star',
  'star-line': 'star',
} as const satisfies Record<PrinterLanguage, CommandSet>

export const commandSetOf = (language: PrinterLanguage): CommandSet => COMMAND_SETS[language]
