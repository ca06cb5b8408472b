import { dotsOf, type PaperMark, type PrinterDecoder } from './paper-mark.ts'

const ESC = 0x1b
const GS = 0x1d
const FS = 0x1c
const LF = 0x0a
const CR = 0x0d
const WINDOWS_1252 = 16
/** GS k, the form that counts its data, and the older one that ends with NUL. */
const SYMBOLOGIES: ReadonlyMap<number, string> = new Map([[0, 'UPC-A'], [2, 'EAN-13'], [65, 'UPC-A'], [67, 'EAN-13'], [69, 'Code 39'], [73, 'Code 128']])
/** GS ( k for QR codes (cn 49): store the data, print what is stored. */
const QR = 49
const QR_STORE = 80
const QR_PRINT = 81

/** Bytes of argument after ESC x. */
const ESC_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ['@', 0], ['!', 1], ['-', 1], ['2', 0], ['3', 1], ['E', 1], ['G', 1], ['M', 1], ['R', 1], ['a', 1], ['d', 1], ['J', 1], ['t', 1], ['{', 1], ['p', 3], [' ', 1], ['V', 1], ['$', 2], ['\\', 2],
])
const GS_ARGUMENTS: ReadonlyMap<string, number> = new Map([['!', 1], ['B', 1], ['H', 1], ['f', 1], ['h', 1], ['w', 1], ['r', 1], ['a', 1], ['L', 2], ['W', 2]])

export function createEscPosDecoder(): PrinterDecoder {
  const windows1252 = new TextDecoder('windows-1252')
  let buffer: number[] = []
  let at = 0
  let codePage = 0
  let line: number[] = []
  let stored = ''
  let reports = false

  const textOf = (bytes: number[]): string =>
    (codePage === WINDOWS_1252 ? windows1252.decode(Uint8Array.from(bytes)) : bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : '?')).join(''))

  const need = (bytes: number): boolean => buffer.length - at >= bytes
  const byteAt = (offset: number): number => buffer[at + offset] ?? 0

  function endLine(): PaperMark {
    const text = textOf(line)
    line = []
    return { kind: 'line', text }
  }

  /** undefined: consumed without a mark. null: more bytes are needed; nothing was consumed. */
  function escape(): PaperMark | null | undefined {
    if (!need(2)) return null
    const command = String.fromCharCode(byteAt(1))
    const size = ESC_ARGUMENTS.get(command)
    if (size === undefined) {
      at += 2
      return { kind: 'not-understood', command: `ESC ${command}` }
    }
    if (!need(2 + size)) return null
    const argument = byteAt(2)
    // A code page rules the text that follows it, so the text before it is decoded by its own first.
    at += 2 + size
    if (command === '@') {
      codePage = 0
      line = []
      if (reports) {
        reports = false
        return { kind: 'report-changes', on: false }
      }
    }
    if (command === 't') codePage = argument
    if (command === 'p') return { kind: 'drawer' }
    return undefined
  }

  function group(): PaperMark | null | undefined {
    if (!need(3)) return null
    const command = String.fromCharCode(byteAt(1))
    if (command === 'V') {
      const size = byteAt(2) >= 65 ? 4 : 3
      if (!need(size)) return null
      at += size
      return { kind: 'cut' }
    }
    if (command === 'k') return barcode()
    if (command === 'v') {
      if (!need(8)) return null
      const width = byteAt(4) + byteAt(5) * 256
      const height = byteAt(6) + byteAt(7) * 256
      if (!need(8 + width * height)) return null
      const raster = buffer.slice(at + 8, at + 8 + width * height)
      at += 8 + width * height
      return { kind: 'image', width: width * 8, height, dots: dotsOf(raster) }
    }
    if (command === '(') {
      if (!need(5)) return null
      const size = 5 + byteAt(3) + byteAt(4) * 256
      if (!need(size)) return null
      const isQr = byteAt(2) === 0x6b && byteAt(5) === QR
      const does = byteAt(6)
      if (isQr && does === QR_STORE) stored = String.fromCharCode(...buffer.slice(at + 8, at + size))
      at += size
      return isQr && does === QR_PRINT ? { kind: 'qr', text: stored } : undefined
    }
    const size = GS_ARGUMENTS.get(command)
    if (size === undefined) {
      at += 2
      return { kind: 'not-understood', command: `GS ${command}` }
    }
    if (!need(2 + size)) return null
    const argument = byteAt(2)
    at += 2 + size
    if (command === 'a') {
      reports = argument !== 0
      return { kind: 'report-changes', on: reports }
    }
    return command === 'r' ? { kind: 'asked-in-turn' } : undefined
  }

  function barcode(): PaperMark | null {
    const symbology = byteAt(2)
    let data: number[]
    if (symbology <= 6) {
      const end = buffer.indexOf(0, at + 3)
      if (end < 0) return null
      data = buffer.slice(at + 3, end)
      at = end + 1
    } else {
      if (!need(4) || !need(4 + byteAt(3))) return null
      data = buffer.slice(at + 4, at + 4 + byteAt(3))
      at += 4 + data.length
    }
    return { kind: 'barcode', symbology: SYMBOLOGIES.get(symbology) ?? `symbology ${symbology}`, text: symbology === 73 ? code128Text(data) : String.fromCharCode(...data) }
  }

  function step(): PaperMark | null | undefined {
    const byte = byteAt(0)
    switch (byte) {
      case ESC: return escape()
      case GS: return group()
      case FS:
        if (!need(2)) return null
        at += 2
        return undefined
      case LF:
        at += 1
        return endLine()
      case CR:
        at += 1
        return undefined
      case 0x10: {
        // DLE EOT n, DLE ENQ n, DLE DC4 fn m t were obeyed when they arrived; here they are only passed over.
        if (!need(2)) return null
        const size = byteAt(1) === 0x14 ? 5 : 3
        if (!need(size)) return null
        at += size
        return undefined
      }
      default:
        at += 1
        if (byte >= 0x20) line.push(byte)
        return undefined
    }
  }

  return {
    push(bytes) {
      if (at > 0) {
        buffer = buffer.slice(at)
        at = 0
      }
      for (const byte of bytes) buffer.push(byte)
    },
    next() {
      while (at < buffer.length) {
        const mark = step()
        if (mark !== undefined) return mark
      }
      return null
    },
    get pending() { return buffer.length - at },
  }
}

/** GS k 73 data with its code set marks to the text that a scanner reads from the bars. */
function code128Text(data: number[]): string {
  let text = ''
  let set = 'B'
  for (let index = 0; index < data.length; index += 1) {
    const byte = data[index] ?? 0
    if (byte === 0x7b) {
      const next = String.fromCharCode(data[index + 1] ?? 0)
      index += 1
      if (next === '{') text += '{'
      else set = next
      continue
    }
    text += set === 'C' ? String(byte).padStart(2, '0') : String.fromCharCode(byte)
  }
  return text
}
