import type { ReceiptBlock } from '../../contracts/receipt.ts'

type Style = Pick<Extract<ReceiptBlock, { kind: 'row' }>, 'bold' | 'size' | 'paperOnly'>

/** Blocks that fit a paper of so many columns, whatever the store, the items and the people are called. */
export interface Paper {
  readonly columns: number
  /** A text, broken at spaces into as many blocks as it needs. Nothing for an empty text. */
  readonly text: (text: string, align: 'left' | 'center' | 'right', style?: Style) => ReceiptBlock[]
  /**
   * A label and its value on one line. A long label breaks above; a value that leaves it no room stands on a line of
   * its own.
   */
  readonly row: (left: string, right: string, style?: Style) => ReceiptBlock[]
  /** A row that explains the one above it, set in, so that its value is not taken for another amount. */
  readonly detail: (left: string, right: string, style?: Style) => ReceiptBlock[]
}

const INDENT = '  '

export function paperOf(columns: number): Paper {
  // Double-width characters take two columns each.
  const widthOf = (style: Style | undefined): number => (style?.size === 'large' ? Math.floor(columns / 2) : columns)

  function row(left: string, right: string, style: Style, width: number): Extract<ReceiptBlock, { kind: 'row' }>[] {
    const value = plainText(right)
    const room = width - columnsOf(value) - 1
    const own = room < MIN_LABEL && columnsOf(plainText(left)) > room
    const lines = wrap(plainText(left), own ? width : room)
    const last = own ? '' : (lines.pop() ?? '')
    return [
      ...lines.map((line) => ({ kind: 'row', left: line, right: '', ...style }) as const),
      ...(own ? wrap(value, width) : [value]).map(
        (line, index) => ({ kind: 'row', left: index === 0 ? last : '', right: line, ...style }) as const,
      ),
    ]
  }

  return {
    columns,
    text: (text, align, style = {}) => {
      const clean = plainText(text)
      return clean === ''
        ? []
        : wrap(clean, widthOf(style)).map((line) => ({ kind: 'text', text: line, align, ...style }))
    },
    row: (left, right, style = {}) => row(left, right, style, widthOf(style)),
    detail: (left, right, style = {}) =>
      row(left, right, style, widthOf(style) - INDENT.length).map((block) => ({ ...block, left: INDENT + block.left })),
  }
}

/** Below this many columns a label is not worth breaking beside its value. */
const MIN_LABEL = 12

/** Characters, not UTF-16 units: the printer gives each one column. */
export const columnsOf = (text: string): number => [...text].length

/**
 * Text from the catalog, the profile or a person, without anything that is not a visible character: a control
 * character is a command to a printer, and a bidirectional mark rearranges a screen. Spaces of every width become a
 * plain one; two in a row stay (they belong before a postal code).
 */
export const plainText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Zs}\p{Zl}\p{Zp}\t\r\n]/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim()

/** Breaks at spaces; a word wider than the paper breaks where the paper ends. Always at least one line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (columnsOf(joined) <= width) {
      line = joined
      continue
    }
    if (line.trim() !== '') lines.push(line.trimEnd())
    let rest = [...word]
    while (rest.length > width) {
      lines.push(rest.slice(0, width).join(''))
      rest = rest.slice(width)
    }
    line = rest.join('')
  }
  if (line.trim() !== '' || lines.length === 0) lines.push(line)
  return lines
}
