import type { CatalogEncoding } from '../../../contracts/catalog/catalog.ts'
import { fileMessages } from '../../core/i18n.ts'
import { type NotText, bytesOf, isWindows1252Byte } from '../../core/text-file.ts'

/** One record of a CSV file, and the line on which it begins, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
  /** Position of each field; empty unless positions were requested. */
  readonly places: readonly CsvPlace[]
}

/** Position of a field in the file. Lines and columns count from 1; columns count characters. */
export interface CsvPlace {
  readonly line: number
  readonly column: number
}

export class CsvError extends Error {
  override readonly name = 'CsvError'
  readonly line: number
  /**
   * Line on which a quote ends that began on an earlier line, if text follows it; otherwise null. Usually the first
   * quote was never closed, and this one opens the next value.
   */
  readonly endLine: number | null
  constructor(line: number, message: 'unclosed-quote' | 'text-after-quote', endLine: number | null = null) {
    super(message)
    this.line = line
    this.endLine = endLine
  }
}

/** Separator of values. Spreadsheets of languages with a decimal comma write semicolons. */
export type Separator = ',' | ';' | '\t'

/** Maximum length of a record in characters. No item is that long: a quote is missing, or the file is not a catalog. */
const LONGEST_RECORD = 1024 * 1024

/**
 * Parses separated values by RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF. Skips
 * empty lines. Reads the text in arbitrary pieces, and has only one record in memory at a time. `placed`: also returns
 * the position of each field. Throws a CsvError with the line of a quote that is not closed or is followed by text.
 */
export function* parseCsv(pieces: Iterable<string>, separator: Separator = ',', placed = false): Generator<CsvRecord> {
  const rest = pieces[Symbol.iterator]()
  let text = ''
  let ended = false
  /**
   * Reads pieces until the buffer has at least doubled: after each read, the incomplete record is parsed again from its
   * beginning, and after a missing quote it may be the whole file.
   */
  const readOn = (from: number): void => {
    const held = text.slice(from)
    const more: string[] = []
    let length = 0
    while (!ended && length <= held.length) {
      const next = rest.next()
      if (next.done) ended = true
      else {
        more.push(next.value)
        length += next.value.length
      }
    }
    text = held + more.join('')
  }
  readOn(0)
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  for (;;) {
    // A record that is too long is not read further: an open quote is reported, and any other value is refused for its
    // length.
    const whole = ended || text.length - at > LONGEST_RECORD
    const record = at < text.length ? recordAt({ text, separator, ended: whole, placed }, at, line) : null
    if (record) {
      const { fields, places } = record
      if (fields.length > 1 || fields[0]?.trim() !== '') yield { line, fields, places }
      ;({ at, line } = record.next)
    } else if (ended) return
    else {
      readOn(at)
      at = 0
    }
  }
}

interface Place {
  readonly at: number
  readonly line: number
}

interface Held {
  readonly text: string
  readonly separator: Separator
  readonly ended: boolean
  readonly placed: boolean
}

function recordAt(
  held: Held,
  from: number,
  line: number,
): { fields: string[]; places: CsvPlace[]; next: Place } | null {
  const { text, separator, ended, placed } = held
  const fields: string[] = []
  const places: CsvPlace[] = []
  let at = from
  for (;;) {
    if (placed) places.push({ line, column: at - Math.max(text.lastIndexOf('\n', at - 1) + 1, from) + 1 })
    const field = text[at] === '"' ? quotedAt(held, at, line) : plainAt(held, at, line)
    if (field === null) return null
    fields.push(field.value)
    ;({ at, line } = field.next)
    if (text[at] !== separator) break
    at += 1
  }
  if (!ended && at + 1 >= text.length) return null
  if (text[at] === '\r') at += 1
  if (text[at] === '\n') at += 1
  return { fields, places, next: { at, line: line + 1 } }
}

function plainAt({ text, separator }: Held, from: number, line: number): { value: string; next: Place } {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1
  return { value: text.slice(from, at), next: { at, line } }
}

function quotedAt(held: Held, from: number, line: number): { value: string; next: Place } | null {
  const { text, separator, ended } = held
  let value = ''
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1 && ended) throw new CsvError(line, 'unclosed-quote')
    if (quote === -1 || (!ended && quote + 1 === text.length)) return null
    value += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') break
    value += '"'
    at += 1
  }
  let endLine = line
  for (let index = value.indexOf('\n'); index !== -1; index = value.indexOf('\n', index + 1)) endLine += 1
  if (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r')
    throw new CsvError(line, 'text-after-quote', endLine === line ? null : endLine)
  return { value, next: { at, line: endLine } }
}

const LABELS = {
  'utf-8': 'utf-8',
  'utf-8-bom': 'utf-8',
  'windows-1252': 'windows-1252',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
} as const satisfies Record<CatalogEncoding, string>

/** Number of bytes at the start of a file that are searched for the zero bytes of UTF-16. */
const LOOKED_AT = 1_024
const NEWLINE = 0x0a

/**
 * Detects the encoding of a catalog file: by its byte order mark, else by the bytes of its text. Windows-1252, for
 * which nearly all bytes are valid, is assumed only if the file is not UTF-8. Returns an error with the line if no
 * encoding fits.
 */
export function encodingOf(file: string | Uint8Array): CatalogEncoding | NotText {
  const [start = new Uint8Array()] = bytesOf(file)
  const first = Uint8Array.from(start.subarray(0, LOOKED_AT))
  const [one, two, three] = first
  if (one === 0xff && two === 0xfe) return decodable(file, 'utf-16le')
  if (one === 0xfe && two === 0xff) return decodable(file, 'utf-16be')
  if (one === 0xef && two === 0xbb && three === 0xbf) return decodable(file, 'utf-8-bom')
  const zeros = [0, 1].map((side) => first.filter((byte, at) => byte === 0 && at % 2 === side).length)
  const [even = 0, odd = 0] = zeros
  // UTF-8 and Windows-1252 texts contain no zero bytes; in UTF-16, half of the bytes of a Latin text are zero.
  if (first.length >= 4 && (even + odd) * 3 > first.length) return decodable(file, even > odd ? 'utf-16be' : 'utf-16le')
  const utf8 = decodable(file, 'utf-8')
  if (typeof utf8 === 'string') return utf8
  const foreign = firstForeignLine(file)
  return foreign === null ? 'windows-1252' : { line: foreign, messages: fileMessages('text.noEncoding') }
}

/**
 * Decodes a catalog file piece by piece, without its byte order mark. Throws a TypeError for bytes that are invalid in
 * the encoding.
 */
export function* catalogText(bytes: Iterable<Uint8Array>, encoding: CatalogEncoding): Generator<string> {
  const decoder = new TextDecoder(LABELS[encoding], { fatal: true })
  for (const piece of bytes) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

function decodable(file: string | Uint8Array, encoding: CatalogEncoding): CatalogEncoding | NotText {
  try {
    for (const _ of catalogText(bytesOf(file), encoding));
    return encoding
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { line: firstBrokenLine(file, encoding), messages: fileMessages('text.noEncoding') }
  }
}

/** Line of the first bytes that are invalid in the encoding, counted from 1. */
function firstBrokenLine(file: string | Uint8Array, encoding: CatalogEncoding): number {
  const decoder = new TextDecoder(LABELS[encoding])
  let line = 1
  for (const bytes of bytesOf(file)) {
    const text = decoder.decode(bytes, { stream: true })
    const broken = text.indexOf('\uFFFD')
    line += lineBreaksIn(broken === -1 ? text : text.slice(0, broken))
    if (broken !== -1) return line
  }
  return line
}

function lineBreaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Line of the first byte that no English or French text in Windows-1252 has, or null. */
function firstForeignLine(file: string | Uint8Array): number | null {
  let line = 1
  for (const bytes of bytesOf(file)) {
    for (const byte of bytes) {
      if (byte === NEWLINE) line += 1
      else if (!isWindows1252Byte(byte)) return line
    }
  }
  return null
}
