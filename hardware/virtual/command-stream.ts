/**
 * What every decoder of a printer language is made of: bytes that arrive in pieces, cut anywhere, and are worked
 * through one command at a time.
 */
export abstract class CommandDecoder implements PrinterDecoder {
  private buffer: number[] = []
  private at = 0

  /**
   * Works on one command: a mark; undefined when it left none; null, with nothing passed, when more bytes are needed.
   */
  protected abstract step(): PaperMark | null | undefined

  /** Whether so many bytes are there, from the one that is worked on. */
  protected has(bytes: number): boolean {
    return this.pending >= bytes
  }

  /** The byte so far behind the one that is worked on; 0 past the last. */
  protected byteAt(offset: number): number {
    return this.buffer[this.at + offset] ?? 0
  }

  /** The bytes between two such places. */
  protected bytes(from: number, to: number): number[] {
    return this.buffer.slice(this.at + from, this.at + to)
  }

  /** Where this byte stands next, from such a place on; -1 when it does not. */
  protected find(byte: number, from: number): number {
    const found = this.buffer.indexOf(byte, this.at + from)
    return found < 0 ? -1 : found - this.at
  }

  /** These bytes are worked through. */
  protected pass(bytes: number): undefined {
    this.at += bytes
  }

  push(bytes: Uint8Array): void {
    if (this.at > 0) {
      this.buffer = this.buffer.slice(this.at)
      this.at = 0
    }
    for (const byte of bytes) this.buffer.push(byte)
  }

  next(): PaperMark | null {
    while (this.at < this.buffer.length) {
      const mark = this.step()
      if (mark !== undefined) return mark
    }
    return null
  }

  get pending(): number {
    return this.buffer.length - this.at
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

/** What a printer does when it works through the bytes that it was sent. */
export type PaperMark =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'barcode'; readonly symbology: string; readonly text: string }
  | { readonly kind: 'qr'; readonly text: string }
  /** `dots`: row by row, 1 is black. */
  | { readonly kind: 'image'; readonly width: number; readonly height: number; readonly dots: Uint8Array }
  | { readonly kind: 'cut' }
  | { readonly kind: 'drawer' }
  /** The host asks to be told when the printer reaches this point: GS r of ESC/POS, ETB of Star. */
  | { readonly kind: 'asked-in-turn' }
  /** The host asks what the printer is, in the words of its language: `GS I 67`, `ESC # *`. */
  | { readonly kind: 'asked-identity'; readonly question: string }
  /** The counter of ended jobs starts anew: CAN of Star. */
  | { readonly kind: 'counter-cleared' }
  /** From here on the printer says by itself when something changes, or does so no more. */
  | { readonly kind: 'report-changes'; readonly on: boolean }
  /** A command that this decoder does not know; the bytes after it may be misread. */
  | { readonly kind: 'not-understood'; readonly command: string }

/**
 * Reads a printer language as a printer does, so that what our encoder says is checked by something that is not the
 * encoder. Written from the command references; shares nothing with hardware/printer.
 */
export interface PrinterDecoder {
  push(bytes: Uint8Array): void
  /** The next mark, or null when more bytes are needed, one at a time, so that a printer may stop in between. */
  next(): PaperMark | null
  /** Bytes not worked through yet. */
  readonly pending: number
}
