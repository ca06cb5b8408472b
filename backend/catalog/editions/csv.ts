import type { CatalogEncoding } from '../../../contracts/catalog/catalog.ts'
import { fileMessages } from '../../core/i18n.ts'
import { type NotText, bytesOf, isWindows1252Byte } from '../../core/text-file.ts'

/** One record of a CSV file and the line it begins on, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
  /** Where each field begins, where that was asked for; else none. */
  readonly places: readonly CsvPlace[]
}

/** From 1, in characters. */
export interface CsvPlace {
  readonly line: number
  readonly column: number
}

export class CsvError extends Error {
  override readonly name = 'CsvError'
  /** Where the quote opens that is the trouble. */
  readonly line: number
  /**
   * Of a quote that closes on another line, with text behind it: that line. Most often it is the next value's opening
   * quote.
   */
  readonly endLine: number | null
  constructor(line: number, message: 'unclosed-quote' | 'text-after-quote', endLine: number | null = null) {
    super(message)
    this.line = line
    this.endLine = endLine
  }
}

/** What stands between the values of a record. Where the decimal sign is a comma, spreadsheets write semicolons. */
export type Separator = ',' | ';' | '\t'

/** Characters. No item has as many in all its values: a quote was lost, or it is no such file. */
const LONGEST_RECORD = 1024 * 1024

/**
 * Reads separated values after RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF.
 * Empty lines are passed over. The text comes in pieces, cut anywhere, and no more of it is held than a record is long.
 * `placed`: each field's place is told too.
 * Throws a CsvError at the line where a quote opens that never closes, or has text behind it.
 */
export function* parseCsv(pieces: Iterable<string>, separator: Separator = ',', placed = false): Generator<CsvRecord> {
  const rest = pieces[Symbol.iterator]()
  let text = ''
  let ended = false
  /**
   * At least doubles what is held: a record is begun anew with every piece, and a lost quote makes one of a whole file.
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
    // Of what is longer nothing more is held: an open quote is told, and any other value is refused for its length.
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

/** What is held of the text, and whether it is the last of it. */
interface Held {
  readonly text: string
  readonly separator: Separator
  readonly ended: boolean
  readonly placed: boolean
}

/** The record that begins at a place; null when more of the text may belong to it. */
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

/** How a decoder of the runtime is asked for each encoding. */
const LABELS = {
  'utf-8': 'utf-8',
  'utf-8-bom': 'utf-8',
  'windows-1252': 'windows-1252',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
} as const satisfies Record<CatalogEncoding, string>

/** As much of the beginning as shows the zero bytes of UTF-16. */
const LOOKED_AT = 1_024
const NEWLINE = 0x0a

/**
 * What a catalog file is written in: by its byte order mark, else by its bytes. UTF-8 is proved over the whole file
 * before Windows-1252 is believed, which nearly any bytes could be. Bytes of none are told with their line.
 */
export function encodingOf(file: string): CatalogEncoding | NotText {
  const [start = new Uint8Array()] = bytesOf(file)
  const first = Uint8Array.from(start.subarray(0, LOOKED_AT))
  const [one, two, three] = first
  if (one === 0xff && two === 0xfe) return decodable(file, 'utf-16le')
  if (one === 0xfe && two === 0xff) return decodable(file, 'utf-16be')
  if (one === 0xef && two === 0xbb && three === 0xbf) return decodable(file, 'utf-8-bom')
  const zeros = [0, 1].map((side) => first.filter((byte, at) => byte === 0 && at % 2 === side).length)
  const [even = 0, odd = 0] = zeros
  // No text in UTF-8 or Windows-1252 has a zero byte; in UTF-16 half of the bytes of a Latin text are.
  if (first.length >= 4 && (even + odd) * 3 > first.length) return decodable(file, even > odd ? 'utf-16be' : 'utf-16le')
  const utf8 = decodable(file, 'utf-8')
  if (typeof utf8 === 'string') return utf8
  const foreign = firstForeignLine(file)
  return foreign === null ? 'windows-1252' : { line: foreign, messages: fileMessages('text.noEncoding') }
}

/** The text of a catalog file without its byte order mark, piece by piece. Throws a TypeError where bytes are none. */
export function* catalogText(bytes: Iterable<Uint8Array>, encoding: CatalogEncoding): Generator<string> {
  const decoder = new TextDecoder(LABELS[encoding], { fatal: true })
  for (const piece of bytes) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

function decodable(file: string, encoding: CatalogEncoding): CatalogEncoding | NotText {
  try {
    for (const _ of catalogText(bytesOf(file), encoding));
    return encoding
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { line: firstBrokenLine(file, encoding), messages: fileMessages('text.noEncoding') }
  }
}

/** The line of the first bytes that the encoding does not have, from 1. */
function firstBrokenLine(file: string, encoding: CatalogEncoding): number {
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

/** The line of the first byte that no English or French text has in Windows-1252; null where there is none. */
function firstForeignLine(file: string): number | null {
  let line = 1
  for (const bytes of bytesOf(file)) {
    for (const byte of bytes) {
      if (byte === NEWLINE) line += 1
      else if (!isWindows1252Byte(byte)) return line
    }
  }
  return null
}
