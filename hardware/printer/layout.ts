import type { ReceiptBlock, ReceiptDocument } from '../../contracts/receipt.ts'
import { printableText } from '../../contracts/printable-text.ts'

/** A receipt as lines of exactly known width, before any printer's language. */
export type PrintLine =
  /** At most `columns` characters, or half as many when `large`. Already aligned by spaces. */
  | { readonly kind: 'text'; readonly text: string; readonly bold: boolean; readonly large: boolean }
  | { readonly kind: 'barcode'; readonly symbology: 'code128' | 'ean13'; readonly data: string }
  | { readonly kind: 'qr'; readonly data: string }
  | { readonly kind: 'logo' }

const GAP = 1

/**
 * Breaks a line at spaces, and a longer word where the paper ends. Keeps an indent on the first line. Always at least
 * one line.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  const start = Math.min(text.search(/[^ ]|$/), Math.floor(width / 2))
  let line = ''
  // The indent belongs to the first word: alone it would be a line of its own.
  const [first = '', ...others] = text.trimStart().split(' ')
  for (const word of [' '.repeat(start) + first, ...others]) {
    let rest = word
    if (line !== '' && line.length + 1 + rest.length <= width) {
      line += ` ${rest}`
      continue
    }
    if (line !== '') lines.push(line)
    while (rest.length > width) {
      lines.push(rest.slice(0, width))
      rest = rest.slice(width)
    }
    line = rest
  }
  if (line !== '' || lines.length === 0) lines.push(line)
  return lines
}

function aligned(text: string, align: 'left' | 'center' | 'right', width: number): string {
  if (align === 'right') return text.padStart(width)
  if (align === 'center') return `${' '.repeat(Math.floor((width - text.length) / 2))}${text}`
  return text
}

/**
 * Left and right on one line. A long left wraps above, and the right stands on its last line; an amount never breaks
 * unless it is wider than the paper.
 */
export function rowLines(left: string, right: string, width: number): string[] {
  if (right.length > width - GAP - 1)
    return [...wrap(left, width), ...wrap(right, width).map((line) => line.padStart(width))]
  if (right === '') return wrap(left, width)
  const lines = wrap(left, width - GAP - right.length)
  const last = lines.pop() ?? ''
  return [...lines, last + right.padStart(width - last.length)]
}

const asciiOf = (text: string): string => printableText(text).replace(/[^\x20-\x7e]/g, '')
const under = (data: string, columns: number): PrintLine[] =>
  wrap(data, columns).map((line) => ({
    kind: 'text',
    text: aligned(line, 'center', columns),
    bold: false,
    large: false,
  }))

function blockLines(block: ReceiptBlock, columns: number): PrintLine[] {
  switch (block.kind) {
    case 'text':
    case 'row': {
      const large = block.size === 'large'
      const width = large ? Math.floor(columns / 2) : columns
      const bold = block.bold === true
      const texts =
        block.kind === 'row'
          ? rowLines(printableText(block.left).trimEnd(), printableText(block.right).trim(), width)
          : wrap(printableText(block.text).trimEnd(), width).map((line) => aligned(line, block.align, width))
      return texts.map((text) => ({ kind: 'text', text, bold, large }))
    }
    case 'rule':
      return [{ kind: 'text', text: '-'.repeat(columns), bold: false, large: false }]
    case 'space':
      return [{ kind: 'text', text: '', bold: false, large: false }]
    case 'logo':
      return [{ kind: 'logo' }]
    case 'qr':
      return [{ kind: 'qr', data: block.data }, ...under(printableText(block.data), columns)]
    // Code 128 here carries printable ASCII; the same characters stand under the bars for a person to key.
    case 'barcode': {
      const data = asciiOf(block.data)
      return [{ kind: 'barcode', symbology: block.symbology, data }, ...under(data, columns)]
    }
  }
}

export const layOut = (document: ReceiptDocument, columns: number): PrintLine[] =>
  document.blocks.flatMap((block) => blockLines(block, columns))
