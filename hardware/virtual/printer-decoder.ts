export abstract class PrinterCommandDecoder implements PrinterDecoder {
  private buffer: number[] = []
  private at = 0

  /**
   * Processes one printer command and returns its mark; undefined if it prints nothing; null, with nothing consumed, if
   * more bytes are needed.
   */
  protected abstract step(): PaperMark | null | undefined

  protected has(bytes: number): boolean {
    return this.pending >= bytes
  }

  protected byteAt(offset: number): number {
    return this.buffer[this.at + offset] ?? 0
  }

  protected bytes(from: number, to: number): number[] {
    return this.buffer.slice(this.at + from, this.at + to)
  }

  protected find(byte: number, from: number): number {
    const found = this.buffer.indexOf(byte, this.at + from)
    return found < 0 ? -1 : found - this.at
  }

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

export function lineText(bytes: readonly number[], isWindows1252: boolean): string {
  if (isWindows1252) return new TextDecoder('windows-1252').decode(Uint8Array.from(bytes))
  return bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : '?')).join('')
}

export function dotsOf(bytes: readonly number[]): Uint8Array {
  return Uint8Array.from(bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1)))
}

/** Mark: the effect of one printer command on the paper or the printer. */
export type PaperMark =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'barcode'; readonly symbology: string; readonly text: string }
  | { readonly kind: 'qr'; readonly text: string }
  | { readonly kind: 'image'; readonly width: number; readonly height: number; readonly dots: Uint8Array }
  | { readonly kind: 'cut' }
  | { readonly kind: 'drawer' }
  /** Request for a confirmation when the printer reaches this point: GS r of ESC/POS, ETB of Star. */
  | { readonly kind: 'asked-in-turn' }
  /** Request for the identity in the printer's language: `GS I 67`, `ESC # *`. */
  | { readonly kind: 'asked-identity'; readonly question: string }
  /** Reset of the counter of ended jobs: CAN of Star. */
  | { readonly kind: 'counter-cleared' }
  | { readonly kind: 'report-changes'; readonly on: boolean }
  /** A printer command that the decoder does not know; the bytes after it may be misread. */
  | { readonly kind: 'not-understood'; readonly opcode: string }

/**
 * Decodes a printer language as a printer does, to verify the encoder independently. It is written from the
 * printer command references and shares no code with hardware/printer.
 */
export interface PrinterDecoder {
  push(bytes: Uint8Array): void
  /**
   * Returns the next mark, or null if more bytes are needed. Marks come one at a time, so that a virtual printer may
   * stop in between.
   */
  next(): PaperMark | null
  readonly pending: number
}
