/** A file that is a picture, and how many dots it has. */
interface Head {
  readonly width: number
  readonly height: number
}

/** More dots than a screen of a lane has: a small file can hold a picture that takes a gigabyte to draw. */
const MOST_SIDE = 4_096

/** The pictures that a screen may be given, by how their files begin: what a server calls them says nothing. */
const READERS = {
  'image/png': pngHead,
  'image/jpeg': jpegHead,
  'image/webp': webpHead,
} as const satisfies Record<string, (bytes: Buffer) => Head | null>
export type ImageType = keyof typeof READERS

/** Null: it is none of them, or has more dots than a screen. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  for (const type of ['image/png', 'image/jpeg', 'image/webp'] as const) {
    const head = READERS[type](bytes)
    if (head) return fits(head) ? type : null
  }
  return null
}

const fits = ({ width, height }: Head): boolean => width > 0 && height > 0 && width <= MOST_SIDE && height <= MOST_SIDE

const begins = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/** ISO/IEC 15948 §11.2.2: the header is the first chunk. */
function pngHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, '\x89PNG\r\n\x1a\n') || !begins(bytes, 12, 'IHDR') || bytes.length < 24) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** ITU-T T.81 §B.2: segments from marker to marker, and the size in the one that begins the frame. */
function jpegHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, '\xff\xd8\xff')) return null
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    // C4, C8 and CC are tables; the other C0 to CF begin a frame.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** RFC 9649: lossy (§2.5), lossless (§2.6) or extended (§2.7), each with its size elsewhere. */
function webpHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, 'RIFF') || !begins(bytes, 8, 'WEBP') || bytes.length < 30) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21)
      return { width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
