/**
 * QR codes (ISO/IEC 18004) in byte mode, model 2, versions 1 to 6, error correction level M: up to 106 characters,
 * which is what a receipt's link needs. Larger versions carry version information that is left out here.
 */

/** Rows of modules, dark ones true, without the quiet zone. */
export type QrModules = readonly (readonly boolean[])[]
/** Modules of white that a reader needs on every side. */
export const QR_QUIET = 4
export const MOST_QR_CHARACTERS = 106
/** Printable ASCII: readers guess at the alphabet of any other byte, and guess differently. */
const TEXT = new RegExp(`^[\\x20-\\x7e]{1,${MOST_QR_CHARACTERS}}$`)
export const isQrText = (text: string): boolean => TEXT.test(text)

interface Version {
  readonly eccPerBlock: number
  readonly dataPerBlock: number
  readonly blocks: number
}
/** Table 9 of the standard, level M, versions 1 to 6: every block of a version is of one size. */
const VERSIONS: readonly Version[] = [
  { eccPerBlock: 10, dataPerBlock: 16, blocks: 1 },
  { eccPerBlock: 16, dataPerBlock: 28, blocks: 1 },
  { eccPerBlock: 26, dataPerBlock: 44, blocks: 1 },
  { eccPerBlock: 18, dataPerBlock: 32, blocks: 2 },
  { eccPerBlock: 24, dataPerBlock: 43, blocks: 2 },
  { eccPerBlock: 16, dataPerBlock: 27, blocks: 4 },
]
const LEVEL_M = 0b00
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/**
 * The modules of a text; null for a text that `isQrText` refuses. Of the eight masks the one with the least penalty.
 */
export function qr(text: string): QrModules | null {
  if (!isQrText(text)) return null
  const bytes = new TextEncoder().encode(text)
  const index = VERSIONS.findIndex(({ dataPerBlock, blocks }) => dataPerBlock * blocks >= bytes.length + 2)
  const version = VERSIONS[index]
  if (!version) return null
  const codewords = interleaved(dataOf(bytes, version), version)
  const drawn = MASKS.map((_, mask) => draw(index + 1, codewords, mask)).map((modules) => ({
    modules,
    penalty: penaltyOf(modules),
  }))
  return drawn.reduce((best, next) => (next.penalty < best.penalty ? next : best)).modules
}

/** Mode, length, data, end and padding as codewords. */
function dataOf(bytes: Uint8Array, { dataPerBlock, blocks }: Version): number[] {
  // Four bits of mode and eight of length: every byte after them stands across two codewords.
  const codewords = [0x40 | (bytes.length >> 4)]
  let half = bytes.length & 0x0f
  for (const byte of bytes) {
    codewords.push((half << 4) | (byte >> 4))
    half = byte & 0x0f
  }
  codewords.push(half << 4)
  for (let pad = 0; codewords.length < dataPerBlock * blocks; pad += 1) codewords.push(pad % 2 === 0 ? 0xec : 0x11)
  return codewords
}

/** The product in GF(256) with the code's polynomial x⁸+x⁴+x³+x²+1. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    if ((b >> bit) & 1) product ^= a
  }
  return product
}

/** Reed–Solomon remainder of a block. */
function correctionOf(data: readonly number[], degree: number): number[] {
  let generator = [1]
  for (let index = 0, root = 1; index < degree; index += 1, root = times(root, 2)) {
    const next = [...generator, 0]
    for (const [at, factor] of generator.entries()) next[at + 1] = (next[at + 1] ?? 0) ^ times(factor, root)
    generator = next
  }
  const remainder = Array.from({ length: degree }, () => 0)
  for (const byte of data) {
    const factor = byte ^ (remainder.shift() ?? 0)
    remainder.push(0)
    for (let at = 0; at < degree; at += 1) remainder[at] = (remainder[at] ?? 0) ^ times(generator[at + 1] ?? 0, factor)
  }
  return remainder
}

function interleaved(data: readonly number[], { dataPerBlock, blocks, eccPerBlock }: Version): number[] {
  const parts = Array.from({ length: blocks }, (_, block) =>
    data.slice(block * dataPerBlock, (block + 1) * dataPerBlock),
  )
  const corrections = parts.map((part) => correctionOf(part, eccPerBlock))
  const woven = (columns: readonly (readonly number[])[], length: number): number[] =>
    Array.from({ length }, (_, at) => columns.map((column) => column[at] ?? 0)).flat()
  return [...woven(parts, dataPerBlock), ...woven(corrections, eccPerBlock)]
}

/** null where data goes. */
type Canvas = (boolean | null)[][]

function draw(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = version * 4 + 17
  const canvas: Canvas = Array.from({ length: size }, () => Array.from({ length: size }, () => null))
  const set = (row: number, column: number, dark: boolean): void => {
    const line = canvas[row]
    if (line && column >= 0 && column < size) line[column] = dark
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    finder(set, row, column)
  if (version > 1) alignment(set, size - 7)
  for (let at = 8; at < size - 8; at += 1) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  format(set, size, mask)
  return fill(canvas, codewords, MASKS[mask] ?? (() => false))
}

type SetModule = (row: number, column: number, dark: boolean) => void

/** A finder with its white border: rings by their distance from the centre. */
function finder(set: SetModule, row: number, column: number): void {
  for (let down = -4; down <= 4; down += 1) {
    for (let right = -4; right <= 4; right += 1) {
      const ring = Math.max(Math.abs(down), Math.abs(right))
      if (row + down >= 0 && column + right >= 0) set(row + down, column + right, ring !== 2 && ring !== 4)
    }
  }
}

function alignment(set: SetModule, centre: number): void {
  for (let down = -2; down <= 2; down += 1) {
    for (let right = -2; right <= 2; right += 1)
      set(centre + down, centre + right, Math.max(Math.abs(down), Math.abs(right)) !== 1)
  }
}

/** Level and mask with their BCH code, twice, and the dark module. */
function format(set: SetModule, size: number, mask: number): void {
  const data = (LEVEL_M << 3) | mask
  let remainder = data
  for (let step = 0; step < 10; step += 1) remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537)
  const bits = ((data << 10) | remainder) ^ 0x5412
  const bit = (at: number): boolean => ((bits >> at) & 1) === 1
  for (let at = 0; at < 15; at += 1) {
    // Around the first finder: down column 8 and left along row 8, past the timing patterns.
    if (at < 8) set(at < 6 ? at : at + 1, 8, bit(at))
    else set(8, at === 8 ? 7 : 14 - at, bit(at))
    if (at < 8) set(8, size - 1 - at, bit(at))
    else set(size - 15 + at, 8, bit(at))
  }
  set(size - 8, 8, true)
}

/** Data in pairs of columns from the right, up and down in turn; the column of the timing pattern is passed over. */
function fill(
  canvas: Canvas,
  codewords: readonly number[],
  masked: (row: number, column: number) => boolean,
): boolean[][] {
  const size = canvas.length
  const filled = canvas.map((row) => row.map((module) => module ?? false))
  let at = 0
  for (let pair = size - 1, upward = true; pair > 0; pair -= 2, upward = !upward) {
    if (pair === 6) pair -= 1
    for (let step = 0; step < size; step += 1) {
      const row = upward ? size - 1 - step : step
      for (const column of [pair, pair - 1]) {
        const line = filled[row]
        if (canvas[row]?.[column] !== null || !line) continue
        const dark = (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1
        line[column] = dark !== masked(row, column)
        at += 1
      }
    }
  }
  return filled
}

/** What the standard counts against a mask (§7.8.3): runs, squares, false finders, and too much of one colour. */
function penaltyOf(modules: readonly (readonly boolean[])[]): number {
  const size = modules.length
  const rows = modules.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''))
  const columns = Array.from({ length: size }, (_, column) => rows.map((row) => row[column] ?? '').join(''))
  let penalty = 0
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2
    penalty += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length
  }
  for (let row = 1; row < size; row += 1) {
    for (let column = 1; column < size; column += 1) {
      const square = [rows[row - 1]?.slice(column - 1, column + 1), rows[row]?.slice(column - 1, column + 1)].join('')
      if (square === '0000' || square === '1111') penalty += 3
    }
  }
  const dark = rows.join('').replaceAll('0', '').length
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10))
}
