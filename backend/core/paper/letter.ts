import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { code128 } from '../../../contracts/core/symbols/barcodes.ts'
import { printableText } from '../../../contracts/core/printable-text.ts'
import { columnsOf, receiptTexts } from './layout.ts'
import { ADVANCE, type Page, type Shape } from './page.ts'
import { SHEET, footOf } from './sheets.ts'

/** Characters of normal size in a line between the margins of a Letter page. */
export const LETTER_COLUMNS = 84

const SIZE = 10
const LARGE = 1.6
const LEADING = 1.36
const SIDE = (SHEET.width - LETTER_COLUMNS * SIZE * ADVANCE) / 2
const TOP = 54
const BOTTOM = SHEET.height - 68
const BAR = 0.8
const BAR_HEIGHT = 32
const RULE = 0.9
const SPACE = 0.7

/**
 * Draws the text, rows, rules and Code 128 of a document that is `LETTER_COLUMNS` wide on numbered Letter pages. A
 * report instead enlarges the paper strip of a receipt (`sheetsOf`).
 */
export function letterPages({ blocks, locale, title }: ReceiptDocument): Page[] {
  const pages: Shape[][] = [[]]
  let y = TOP
  for (const block of blocks) {
    const height = heightOf(block)
    if (y + height > BOTTOM) {
      pages.push([])
      y = TOP
    }
    pages.at(-1)?.push(...shapesOf(block, y))
    y += height
  }
  const { t } = receiptTexts(locale)
  return pages.map((shapes, index) => ({
    ...SHEET,
    shapes: [
      ...shapes,
      ...footOf(printableText(title), t('sheet', { number: String(index + 1), count: String(pages.length) })),
    ],
  }))
}

const isLarge = (block: ReceiptBlock): boolean => 'size' in block && block.size === 'large'

function heightOf(block: ReceiptBlock): number {
  switch (block.kind) {
    case 'text':
    case 'row':
      return SIZE * LEADING * (isLarge(block) ? LARGE : 1)
    case 'rule':
      return SIZE * RULE
    case 'space':
      return SIZE * SPACE
    case 'barcode':
      return BAR_HEIGHT + SIZE * LEADING
    case 'qr':
    case 'logo':
      return 0
  }
}

function shapesOf(block: ReceiptBlock, y: number): Shape[] {
  const size = SIZE * (isLarge(block) ? LARGE : 1)
  const line = (written: string, align: 'left' | 'center' | 'right', bold = false): Shape[] => {
    const text = printableText(written).trimEnd()
    const width = columnsOf(text) * size * ADVANCE
    const x = SIDE + (SHEET.width - SIDE * 2 - width) * { left: 0, center: 0.5, right: 1 }[align]
    return text.trim() === '' ? [] : [{ kind: 'text', x, y: y + size, width, text, size, bold }]
  }
  switch (block.kind) {
    case 'text':
      return line(block.text, block.align, block.bold)
    case 'row':
      return [...line(block.left, 'left', block.bold), ...line(block.right, 'right', block.bold)]
    case 'rule':
      return [{ kind: 'rule', x: SIDE, y: y + (SIZE * RULE) / 2, width: SHEET.width - SIDE * 2 }]
    case 'barcode': {
      const { bars } = code128(block.data)
      const areas = bars.map(([at, width]) => [SIDE + at * BAR, y, width * BAR, BAR_HEIGHT] as const)
      return areas.length > 0 ? [{ kind: 'areas', areas, label: block.data }] : []
    }
    case 'space':
    case 'qr':
    case 'logo':
      return []
  }
}
