import type { Bitmap, ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Bars, code128, ean13 } from '../../../contracts/core/symbols/barcodes.ts'
import { qr, QR_QUIET } from '../../../contracts/core/symbols/qr.ts'

/** One thing on the page. Lengths are points (1/72 inch), measured from the upper left corner. */
export type Shape =
  /** `y` is the baseline; the characters are spread over exactly `width`, whatever the font. */
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
  /**
   * Black areas as [left, top, width, height]: bars, modules, dots. `label` says what they are to somebody who cannot
   * see them.
   */
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
  /** The width that the document was composed for. */
  readonly columns: number
  /** What a logo block shows. */
  readonly logo: Bitmap | null
}

/** The printable width of 80 mm paper, and a margin that a reader of the barcode needs. */
const CONTENT = 201.6
const MARGIN = 16
/** A monospaced character is six tenths of its size wide: Courier and everything made to replace it. */
export const ADVANCE = 0.6
const LEADING = 1.36
/** Where the baseline lies in a line. */
const BASELINE = 0.98
/** Double width on paper; here as large as half the columns allow without shouting. */
const LARGE = 1.7
const LARGE_LEADING = 1.24
const SPACE = 0.72
const RULE = 1.1
const BAR_HEIGHT = 42
/** A module of 0.35 mm; narrower when the symbol would not fit. */
const MODULE = 1
const QR_SIZE = 88
const CAPTION = 0.86
const GAP = 4
/** Thermal paper has 203 dots to the inch. */
const DOT = 72 / 203

/** The document as shapes on one long page: the one layout that pictures and files share. Pure. */
export function pageOf(document: ReceiptDocument, { columns, logo }: PageOptions): Page {
  const size = CONTENT / columns / ADVANCE
  const shapes: Shape[] = []
  let y = MARGIN

  function text(
    words: string,
    place: { align: 'left' | 'center' | 'right'; bold?: boolean | undefined; scale?: number },
  ): void {
    const letters = [...words].length
    const at = size * (place.scale ?? 1)
    const width = letters * at * ADVANCE
    const x = MARGIN + (CONTENT - width) * { left: 0, center: 0.5, right: 1 }[place.align]
    if (words.trim() !== '')
      shapes.push({ kind: 'text', x, y: y + at * BASELINE, width, text: words, size: at, bold: place.bold === true })
  }
  const down = (height: number): void => {
    y += height
  }
  const centred = (
    areas: readonly (readonly [number, number, number, number])[],
    width: number,
    label: string,
  ): void => {
    const left = MARGIN + (CONTENT - width) / 2
    shapes.push({ kind: 'areas', areas: areas.map(([x, top, wide, high]) => [left + x, y + top, wide, high]), label })
  }
  function caption(data: string): void {
    down(GAP)
    const room = Math.floor(columns / CAPTION)
    for (let at = 0; at < data.length; at += room) {
      text(data.slice(at, at + room), { align: 'center', scale: CAPTION })
      down(size * CAPTION * LEADING)
    }
  }

  function barcode(bars: Bars, data: string): void {
    if (bars.bars.length > 0) {
      down(GAP)
      const module = Math.min(MODULE, CONTENT / bars.width)
      centred(
        bars.bars.map(([at, width]) => [at * module, 0, width * module, BAR_HEIGHT]),
        bars.width * module,
        data,
      )
      down(BAR_HEIGHT)
    }
    caption(data)
  }

  function qrCode(data: string): void {
    const modules = qr(data)
    if (modules) {
      const module = QR_SIZE / (modules.length + QR_QUIET * 2)
      const areas = modules.flatMap((row, down) =>
        runsOf(row).map(
          ([at, length]) => [(QR_QUIET + at) * module, (QR_QUIET + down) * module, length * module, module] as const,
        ),
      )
      centred(areas, QR_SIZE, data)
      down(QR_SIZE - QR_QUIET * module)
    }
    caption(data)
  }

  function picture({ width, height, dots }: Bitmap, label: string): void {
    const dot = Math.min(DOT, CONTENT / width)
    const areas = Array.from({ length: height }, (_, row) =>
      runsOf(Array.from(dots.subarray(row * width, (row + 1) * width), (value) => value === 1)).map(
        ([at, length]) => [at * dot, row * dot, length * dot, dot] as const,
      ),
    ).flat()
    centred(areas, width * dot, label)
    down(height * dot + size)
  }

  function block(one: ReceiptBlock): void {
    switch (one.kind) {
      case 'text':
      case 'row': {
        const large = one.size === 'large'
        const style = { bold: one.bold, scale: large ? LARGE : 1 }
        if (one.kind === 'text') text(legible(one.text), { align: one.align, ...style })
        else {
          text(legible(one.left), { align: 'left', ...style })
          text(legible(one.right), { align: 'right', ...style })
        }
        return down(size * (large ? LARGE * LARGE_LEADING : LEADING))
      }
      case 'rule':
        shapes.push({ kind: 'rule', x: MARGIN, y: y + (size * RULE) / 2, width: CONTENT })
        return down(size * RULE)
      case 'space':
        return down(size * SPACE)
      case 'barcode':
        return barcode(one.symbology === 'ean13' ? ean13(one.data) : code128(one.data), legible(one.data))
      case 'qr':
        return qrCode(legible(one.data))
      case 'logo':
        return logo ? picture(logo, document.title) : undefined
    }
  }

  for (const one of document.blocks) block(one)
  return { width: CONTENT + MARGIN * 2, height: y + MARGIN, shapes }
}

/**
 * Neither XML nor a page has a place for control characters; a mark that turns the reading direction would rearrange an
 * amount.
 */
const legible = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trimEnd()

/** Where true begins and how long it lasts. */
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
