import type { Bitmap, ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Bars, code128, ean13 } from '../../../contracts/core/symbols/barcodes.ts'
import { qr, QR_QUIET } from '../../../contracts/core/symbols/qr.ts'

export type Shape =
  /**
   * A text. `y` is its baseline; its characters are spread over exactly `width`, so that columns are aligned in any
   * font.
   */
  | {
      readonly kind: 'text'
      readonly x: number
      readonly y: number
      readonly width: number
      readonly text: string
      readonly size: number
      readonly bold: boolean
    }
  | { readonly kind: 'rule'; readonly x: number; readonly y: number; readonly width: number }
  | {
      readonly kind: 'areas'
      readonly areas: readonly (readonly [number, number, number, number])[]
      readonly label: string
    }

export interface Page {
  readonly width: number
  readonly height: number
  readonly shapes: readonly Shape[]
}

export interface PageOptions {
  readonly columns: number
  readonly logo: Bitmap | null
}

/** Printable width of 80 mm paper in points, and the margin, which is also the quiet zone of barcodes. */
const CONTENT = 201.6
const MARGIN = 16
/** Width of a monospaced character as a fraction of its size, in Courier and the fonts that replace it. */
export const ADVANCE = 0.6
const LEADING = 1.36
const BASELINE = 0.98
/**
 * Size of large text as a multiple of normal text. A receipt printer doubles the width; on these pages (PDF, SVG, PNG)
 * it is smaller.
 */
const LARGE = 1.7
const LARGE_LEADING = 1.24
const SPACE = 0.72
const RULE = 1.1
const BAR_HEIGHT = 42
/** Width of a barcode module in points: 0.35 mm, or less when the barcode would not fit. */
const MODULE = 1
const QR_SIZE = 88
const CAPTION = 0.86
const GAP = 4
const DOT = 72 / 203

class PageWriter {
  readonly shapes: Shape[] = []
  y = MARGIN
  readonly #options: PageOptions
  readonly #size: number

  constructor(options: PageOptions) {
    this.#options = options
    this.#size = CONTENT / options.columns / ADVANCE
  }

  #text(text: string, place: { align: 'left' | 'center' | 'right'; bold?: boolean | undefined; scale?: number }): void {
    const letters = [...text].length
    const at = this.#size * (place.scale ?? 1)
    const width = letters * at * ADVANCE
    const x = MARGIN + (CONTENT - width) * { left: 0, center: 0.5, right: 1 }[place.align]
    if (text.trim() !== '')
      this.shapes.push({
        kind: 'text',
        x,
        y: this.y + at * BASELINE,
        width,
        text,
        size: at,
        bold: place.bold === true,
      })
  }

  #down(height: number): void {
    this.y += height
  }

  #centred(areas: readonly (readonly [number, number, number, number])[], width: number, label: string): void {
    const left = MARGIN + (CONTENT - width) / 2
    this.shapes.push({
      kind: 'areas',
      areas: areas.map(([x, top, wide, high]) => [left + x, this.y + top, wide, high]),
      label,
    })
  }

  #caption(data: string): void {
    this.#down(GAP)
    const room = Math.floor(this.#options.columns / CAPTION)
    for (let at = 0; at < data.length; at += room) {
      this.#text(data.slice(at, at + room), { align: 'center', scale: CAPTION })
      this.#down(this.#size * CAPTION * LEADING)
    }
  }

  #barcode(bars: Bars, data: string): void {
    if (bars.bars.length > 0) {
      this.#down(GAP)
      const module = Math.min(MODULE, CONTENT / bars.width)
      this.#centred(
        bars.bars.map(([at, width]) => [at * module, 0, width * module, BAR_HEIGHT]),
        bars.width * module,
        data,
      )
      this.#down(BAR_HEIGHT)
    }
    this.#caption(data)
  }

  #qrCode(data: string): void {
    const modules = qr(data)
    if (modules) {
      const module = QR_SIZE / (modules.length + QR_QUIET * 2)
      const areas = modules.flatMap((row, index) =>
        runsOf(row).map(
          ([at, length]) => [(QR_QUIET + at) * module, (QR_QUIET + index) * module, length * module, module] as const,
        ),
      )
      this.#centred(areas, QR_SIZE, data)
      this.#down(QR_SIZE - QR_QUIET * module)
    }
    this.#caption(data)
  }

  #picture({ width, height, dots }: Bitmap, label: string): void {
    const dot = Math.min(DOT, CONTENT / width)
    const areas = Array.from({ length: height }, (_, row) =>
      runsOf(Array.from(dots.subarray(row * width, (row + 1) * width), (value) => value === 1)).map(
        ([at, length]) => [at * dot, row * dot, length * dot, dot] as const,
      ),
    ).flat()
    this.#centred(areas, width * dot, label)
    this.#down(height * dot + this.#size)
  }

  block(one: ReceiptBlock, title: string): void {
    const { logo } = this.#options
    switch (one.kind) {
      case 'text':
      case 'row': {
        const large = one.size === 'large'
        const style = { bold: one.bold, scale: large ? LARGE : 1 }
        if (one.kind === 'text') this.#text(replaceUnprintable(one.text), { align: one.align, ...style })
        else {
          this.#text(replaceUnprintable(one.left), { align: 'left', ...style })
          this.#text(replaceUnprintable(one.right), { align: 'right', ...style })
        }
        return this.#down(this.#size * (large ? LARGE * LARGE_LEADING : LEADING))
      }
      case 'rule':
        this.shapes.push({ kind: 'rule', x: MARGIN, y: this.y + (this.#size * RULE) / 2, width: CONTENT })
        return this.#down(this.#size * RULE)
      case 'space':
        return this.#down(this.#size * SPACE)
      case 'barcode':
        return this.#barcode(
          one.symbology === 'ean13' ? ean13(one.data) : code128(one.data),
          replaceUnprintable(one.data),
        )
      case 'qr':
        return this.#qrCode(replaceUnprintable(one.data))
      case 'logo':
        return logo ? this.#picture(logo, title) : undefined
    }
  }
}

export function pageOf({ blocks, title }: ReceiptDocument, options: PageOptions): Page {
  const page = new PageWriter(options)
  for (const one of blocks) page.block(one, title)
  return { width: CONTENT + MARGIN * 2, height: page.y + MARGIN, shapes: page.shapes }
}

/**
 * Removes control characters, which XML and PDF cannot contain, and bidirectional marks, which would reorder amounts.
 */
const replaceUnprintable = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trimEnd()

function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = []
  for (const [at, dark] of row.entries()) {
    const last = runs.at(-1)
    if (!dark) continue
    if (last && last[0] + last[1] === at) last[1] += 1
    else runs.push([at, 1])
  }
  return runs
}
