import { inflateSync } from 'node:zlib'
import type { Bitmap } from '../../contracts/receipt.ts'

/** A PNG that cannot become black dots on paper; the message says why, for the person who chose it. */
export class PngError extends Error {
  override readonly name = 'PngError'
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Numbers for one pixel, by colour type: grey, colour, palette, grey with alpha, colour with alpha. */
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
])
const PALETTE = 3
/** More dots than any roll is wide, and a logo is no longer than it is wide. */
const MOST_SIDE = 2_048
const DARK_BELOW = 128

interface Header {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly samples: number
}

/** A PNG (ISO/IEC 15948) as dots: what is darker than middle grey, laid over white, is black. Throws a PngError. */
export function readPng(bytes: Uint8Array): Bitmap {
  const { header, palette, alphas, data } = chunksOf(Buffer.from(bytes))
  const rows = unfiltered(header, data)
  const { width, height, depth, colour, samples } = header
  const most = 2 ** depth - 1
  const dots = new Uint8Array(width * height)
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < width; x += 1) {
      const values = Array.from({ length: samples }, (_, index) => sampleOf(row, x * samples + index, depth))
      const [a = 0, b = a, c = a, d = most] = values
      const level = (value: number): number => (value * 255) / most
      const [red, green, blue, alpha] =
        colour === PALETTE
          ? [palette[a * 3] ?? 0, palette[a * 3 + 1] ?? 0, palette[a * 3 + 2] ?? 0, alphas[a] ?? 255]
          : samples <= 2
            ? [level(a), level(a), level(a), samples === 2 ? level(b) : 255]
            : [level(a), level(b), level(c), level(d)]
      const grey = 0.299 * red + 0.587 * green + 0.114 * blue
      dots[y * width + x] = 255 - ((255 - grey) * alpha) / 255 < DARK_BELOW ? 1 : 0
    }
  }
  return { width, height, dots }
}

function chunksOf(file: Buffer) {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new PngError('it is not a PNG file')
  let header: Header | null = null
  let palette: Buffer = Buffer.alloc(0)
  let alphas: Buffer = Buffer.alloc(0)
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at)
    const kind = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, at + 8 + length)
    if (body.length < length) break
    if (kind === 'IHDR') header = headerOf(body)
    if (kind === 'PLTE') palette = body
    if (kind === 'tRNS') alphas = body
    if (kind === 'IDAT') data.push(body)
    if (kind === 'IEND') {
      if (!header) break
      return {
        header,
        palette,
        alphas: header.colour === PALETTE ? alphas : Buffer.alloc(0),
        data: Buffer.concat(data),
      }
    }
    at += 12 + length
  }
  throw new PngError('it is cut short')
}

function headerOf(body: Buffer): Header {
  if (body.length < 13) throw new PngError('it is cut short')
  const [width, height, depth, colour] = [
    body.readUInt32BE(0),
    body.readUInt32BE(4),
    body.readUInt8(8),
    body.readUInt8(9),
  ]
  const samples = SAMPLES.get(colour)
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(depth)) throw new PngError('its kind of colour is not known')
  if (body.readUInt8(12) !== 0) throw new PngError('it is interlaced: save it without interlacing')
  if (width === 0 || height === 0 || width > MOST_SIDE || height > MOST_SIDE)
    throw new PngError(`it has ${width} × ${height} dots: at most ${MOST_SIDE} on a side`)
  return { width, height, depth, colour, samples }
}

/** The rows of bytes, with what each row's filter took away put back. */
function unfiltered({ width, height, depth, samples }: Header, data: Buffer): Uint8Array[] {
  const length = Math.ceil((width * samples * depth) / 8)
  const back = Math.max(1, (samples * depth) / 8)
  let raw: Buffer
  try {
    raw = inflateSync(data, { maxOutputLength: (length + 1) * height })
  } catch {
    throw new PngError('its data cannot be unpacked')
  }
  if (raw.length !== (length + 1) * height) throw new PngError('it is cut short')
  const rows: Uint8Array[] = []
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (length + 1)] ?? 0
    const row = Uint8Array.from(raw.subarray(y * (length + 1) + 1, (y + 1) * (length + 1)))
    const above = rows.at(-1) ?? new Uint8Array(length)
    for (let at = 0; at < length; at += 1) {
      const [left, up, corner] = [
        at < back ? 0 : (row[at - back] ?? 0),
        above[at] ?? 0,
        at < back ? 0 : (above[at - back] ?? 0),
      ]
      row[at] = (row[at] ?? 0) + predicted(filter, left, up, corner)
    }
    rows.push(row)
  }
  return rows
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return up
    case 3:
      return Math.floor((left + up) / 2)
    case 4: {
      // Paeth: whichever neighbour is nearest to left + up − corner, the left one first.
      const [toLeft, toUp, toCorner] = [
        Math.abs(up - corner),
        Math.abs(left - corner),
        Math.abs(left + up - 2 * corner),
      ]
      return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
    }
    default:
      throw new PngError('one of its rows has an unknown filter')
  }
}

function sampleOf(row: Uint8Array, index: number, depth: number): number {
  if (depth === 8) return row[index] ?? 0
  if (depth === 16) return ((row[index * 2] ?? 0) << 8) | (row[index * 2 + 1] ?? 0)
  const bit = index * depth
  return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}
