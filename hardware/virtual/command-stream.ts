import type { PaperMark, PrinterDecoder } from './paper-mark.ts'

/**
 * What every decoder of a printer language is made of: bytes that arrive in pieces, cut anywhere, and are worked
 * through one command at a time.
 */
export interface CommandStream {
  /** Whether so many bytes are there, from the one that is worked on. */
  has(bytes: number): boolean
  /** The byte so far behind the one that is worked on; 0 past the last. */
  byteAt(offset: number): number
  /** The bytes between two such places. */
  bytes(from: number, to: number): number[]
  /** Where this byte stands next, from such a place on; -1 when it does not. */
  find(byte: number, from: number): number
  /** These bytes are worked through. */
  pass(bytes: number): undefined
}

/**
 * `step` works on one command: a mark; undefined when it left none; null, with nothing passed, when more bytes are
 * needed.
 */
export function decodeCommands(step: (stream: CommandStream) => PaperMark | null | undefined): PrinterDecoder {
  let buffer: number[] = []
  let at = 0
  const stream: CommandStream = {
    has: (bytes) => buffer.length - at >= bytes,
    byteAt: (offset) => buffer[at + offset] ?? 0,
    bytes: (from, to) => buffer.slice(at + from, at + to),
    find(byte, from) {
      const found = buffer.indexOf(byte, at + from)
      return found < 0 ? -1 : found - at
    },
    pass(bytes) {
      at += bytes
    },
  }
  return {
    push(bytes) {
      if (at > 0) {
        buffer = buffer.slice(at)
        at = 0
      }
      for (const byte of bytes) buffer.push(byte)
    },
    next() {
      while (at < buffer.length) {
        const mark = step(stream)
        if (mark !== undefined) return mark
      }
      return null
    },
    get pending() {
      return buffer.length - at
    },
  }
}

/** The text that a line of bytes prints: in Windows-1252, or while another code page is chosen, in ASCII alone. */
export function lineText(bytes: readonly number[], isWindows1252: boolean): string {
  if (isWindows1252) return new TextDecoder('windows-1252').decode(Uint8Array.from(bytes))
  return bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : '?')).join('')
}

/** Raster bytes, eight dots each from the left, to dots. */
export function dotsOf(bytes: readonly number[]): Uint8Array {
  return Uint8Array.from(bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1)))
}
