import { encode } from 'fast-png'

/** An opaque picture, row by row, four bytes (red, green, blue, alpha) a pixel. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/**
 * A PNG (ISO/IEC 15948) in sixteen greys: black on white with soft edges needs no more, and the file is a quarter of
 * what it would be in colours. Its grey is the green, the brightest part of a colour to the eye.
 */
export function writeGreyPng({ width, height, pixels }: Pixels): Uint8Array {
  const length = Math.ceil(width / 2)
  const data = new Uint8Array(length * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const level = Math.round((pixels[(y * width + x) * 4 + 1] ?? 0) / 17)
      const at = y * length + (x >> 1)
      data[at] = (data[at] ?? 0) | (x % 2 === 0 ? level << 4 : level)
    }
  }
  return encode({ width, height, depth: 4, channels: 1, data }, { zlib: { level: 9 } })
}
