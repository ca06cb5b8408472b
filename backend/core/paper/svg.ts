import type { Locale } from '../../../contracts/core/locales.ts'
import type { Page, Shape } from './page.ts'
import { runInWorker, workerFile } from '../worker.ts'
import PQueue from 'p-queue'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'

/** Monospaced fonts of systems, the most legible first. `textLength` keeps columns aligned in any other font. */
const FONTS = "'Liberation Mono','DejaVu Sans Mono',Menlo,Consolas,'Courier New',monospace"
const INK = '#111'
const HAIRLINE = 0.6

/** Writes the page as a standalone SVG without scripts, style sheets or external resources. */
export function svgOf(page: Page, { title, locale }: { readonly title: string; readonly locale: Locale }): string {
  const [width, height] = [short(page.width), short(page.height)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ` +
      `${height}" role="img" xml:lang="${locale}" font-family="${FONTS}" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...page.shapes.map(shapeOf),
    '</svg>',
    '',
  ].join('\n')
}

function shapeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'text': {
      const { x, y, width, size, bold, text } = shape
      return (
        `<text x="${short(x)}" y="${short(y)}" font-size="${short(size)}"${bold ? ' font-weight="700"' : ''} ` +
        `textLength="${short(width)}" lengthAdjust="spacingAndGlyphs" ` +
        `xml:space="preserve">${escaped(text)}</text>`
      )
    }
    case 'rule':
      return (
        `<path d="M${short(shape.x)} ${short(shape.y)}h${short(shape.width)}" stroke="${INK}" ` +
        `stroke-width="${HAIRLINE}"/>`
      )
    case 'areas': {
      const path = shape.areas.map(
        ([x, y, width, height]) => `M${fine(x)} ${fine(y)}h${fine(width)}v${fine(height)}h${fine(-width)}z`,
      )
      return (
        `<path role="img" aria-label="${escaped(shape.label)}" shape-rendering="crispEdges" ` + `d="${path.join('')}"/>`
      )
    }
  }
}

/** Two decimals are enough for text; bars need more, because the proportions of their widths matter. */
const short = (value: number): string => String(Math.round(value * 100) / 100)
const fine = (value: number): string => String(Math.round(value * 10_000) / 10_000)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Removes characters that XML cannot contain, even escaped: control characters and lone surrogates. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '').replace(/\p{C}/gu, '')

const WORKER = workerFile(import.meta.filename, 'png-worker')
/** Resolution of 216 pixels per inch: on a phone the page is sharp, and the narrowest bar is over two pixels wide. */
const PIXELS_PER_POINT = 3

const drawings = new PQueue({ concurrency: 1 })

/**
 * Draws the page as a PNG file in sixteen greys from the SVG, with the program's font, so that it is identical on every
 * system. Draws one page at a time on a worker thread, because a page takes a few tenths of a second. Rejects only for
 * damaged program files or lack of memory.
 */
export const pngOf = (page: Page, document: Pick<ReceiptDocument, 'title' | 'locale'>): Promise<Buffer> =>
  drawings.add(() => draw({ svg: svgOf(page, document), width: Math.round(page.width * PIXELS_PER_POINT) }))

export interface Drawing {
  readonly svg: string
  readonly width: number
}

async function draw(drawing: Drawing): Promise<Buffer> {
  const png = await runInWorker<Uint8Array>(WORKER, drawing).result
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
}
