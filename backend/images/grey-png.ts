import { crc32, deflateSync } from 'node:zlib'

/** An opaque picture, row by row, four bytes (red, green, blue, alpha) a pixel. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const DEPTH = 4
const GREYSCALE = 0

/**
 * A PNG (ISO/IEC 15948) in sixteen greys: black on white with soft edges needs no more, and the file is a quarter of
 * what it would be in colours. Its grey is the green, the brightest part of a colour to the eye.
 */
export function writeGreyPng({ width, height, pixels }: Pixels): Buffer {
  const length = Math.ceil(width / 2)
  const rows = Buffer.alloc((length + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const level = Math.round((pixels[(y * width + x) * 4 + 1] ?? 0) / 17)
      // The row's first byte says that nothing was filtered.
      const at = y * (length + 1) + 1 + (x >> 1)
      rows[at] = (rows[at] ?? 0) | (x % 2 === 0 ? level << 4 : level)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(DEPTH, 8)
  header.writeUInt8(GREYSCALE, 9)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(kind: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), body])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}
