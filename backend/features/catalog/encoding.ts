import type { CatalogEncoding } from '../../../contracts/api/catalog-manager.ts'
import { fileMessages } from '../../i18n.ts'
import { bytesOf, isWindows1252Byte, type NotText } from '../../text-file.ts'

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
