/** One record of a CSV file and the line it begins on, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

export class CsvError extends Error {
  override readonly name = 'CsvError'
  /** Where the quote opens that is the trouble. */
  readonly line: number
  /** Of a quote that closes on another line, with text behind it: that line. Most often it is the next value's opening quote. */
  readonly endLine: number | null
  constructor(line: number, message: 'unclosed-quote' | 'text-after-quote', endLine: number | null = null) {
    super(message)
    this.line = line
    this.endLine = endLine
  }
}

/**
 * Reads comma-separated values after RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF.
 * Empty lines are passed over. Throws a CsvError at the line where a quote
 * opens that never closes, or has text behind it.
 */
export function* parseCsv(text: string): Generator<CsvRecord> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const startLine = line
    const fields: string[] = []
    for (;;) {
      if (text[at] === '"') {
        const quoteLine = line
        let field = ''
        let from = at + 1
        for (;;) {
          const quote = text.indexOf('"', from)
          if (quote === -1) throw new CsvError(quoteLine, 'unclosed-quote')
          field += text.slice(from, quote)
          at = quote + 1
          if (text[at] !== '"') break
          field += '"'
          from = at + 1
        }
        for (let index = field.indexOf('\n'); index !== -1; index = field.indexOf('\n', index + 1)) line += 1
        if (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r')
          throw new CsvError(quoteLine, 'text-after-quote', line === quoteLine ? null : line)
        fields.push(field)
      } else {
        let end = at
        while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end += 1
        fields.push(text.slice(at, end))
        at = end
      }
      if (text[at] !== ',') break
      at += 1
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    line += 1
    if (fields.length > 1 || fields[0]?.trim() !== '') yield { line: startLine, fields }
  }
}
