import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { Localized } from '../../contracts/core/locales.ts'
import { fileMessages } from './i18n.ts'

export interface NotText {
  readonly line: number | null
  readonly messages: Localized
}

const NEWLINE = 0x0a
const PIECE_BYTES = 64 * 1024
/**
 * Bytes of Windows-1252 for signs in French and English texts, in addition to the letters from À on. None is valid
 * alone in UTF-8.
 */
const WINDOWS_1252_SIGNS: ReadonlySet<number> = new Set([
  0x80,
  0x82,
  0x84,
  0x85,
  0x8c,
  0x91,
  0x92,
  0x93,
  0x94,
  0x95,
  0x96,
  0x97,
  0x99,
  0x9c,
  0x9f,
  ...Array.from({ length: 0x20 }, (_, index) => 0xa0 + index),
])

/**
 * Decodes UTF-8, with or without byte order mark. Recognises UTF-16 and Windows-1252, which spreadsheets and editors
 * save, and returns a message with the remedy.
 */
export function textOf(bytes: Uint8Array): { readonly text: string } | NotText {
  if (isUtf16(bytes)) {
    return {
      line: null,
      messages: fileMessages('text.utf16'),
    }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    if (!looksLikeWindows1252(bytes))
      return {
        line: null,
        messages: fileMessages('text.notUtf8'),
      }
    return {
      line: firstBadLine(bytes),
      messages: fileMessages('text.windows1252'),
    }
  }
}

/** Refuses pipes and devices, which may never end, with an error like those of the system (EFTYPE). */
export function refuseEndless(file: string): void {
  const found = statSync(file)
  if (found.isFile() || found.isDirectory()) return
  throw Object.assign(new Error(`EFTYPE: no plain file, open '${file}'`), { code: 'EFTYPE', syscall: 'open' })
}

export function shortFile(file: string): Buffer {
  refuseEndless(file)
  return readFileSync(file)
}

export function* bytesOf(file: string | Uint8Array): Generator<Uint8Array> {
  if (typeof file !== 'string') return yield file
  refuseEndless(file)
  const opened = openSync(file, 'r')
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES)
    for (let read = readSync(opened, buffer); read > 0; read = readSync(opened, buffer)) yield buffer.subarray(0, read)
  } finally {
    closeSync(opened)
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  const start = bytes.subarray(0, 64)
  return start.length >= 4 && start.filter((byte) => byte === 0).length * 3 > start.length
}

const looksLikeWindows1252 = (bytes: Uint8Array): boolean => bytes.every(isWindows1252Byte)

export const isWindows1252Byte = (byte: number): boolean =>
  byte < 0x80 ? byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) : byte >= 0xc0 || WINDOWS_1252_SIGNS.has(byte)

/** Each line can be decoded separately, because no character of several bytes contains a line feed. */
function firstBadLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(NEWLINE, from)
    const next = end === -1 ? bytes.length : end + 1
    try {
      decoder.decode(bytes.subarray(from, next))
    } catch {
      return line
    }
    from = next
  }
  return 1
}
