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
