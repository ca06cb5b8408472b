import {
  type CommandStream,
  type PaperMark,
  type PrinterDecoder,
  decodeCommands,
  dotsOf,
  lineText,
} from './command-stream.ts'

const ESC = 0x1b
const GS = 0x1d
const FS = 0x1c
const LF = 0x0a
const CR = 0x0d
const WINDOWS_1252 = 16
/** GS k, the form that counts its data, and the older one that ends with NUL. */
const SYMBOLOGIES: ReadonlyMap<number, string> = new Map([
  [0, 'UPC-A'],
  [2, 'EAN-13'],
  [65, 'UPC-A'],
  [67, 'EAN-13'],
  [69, 'Code 39'],
  [73, 'Code 128'],
])
/** GS ( k for QR codes (cn 49): store the data, print what is stored. */
const QR = 49
const QR_STORE = 80
const QR_PRINT = 81

/** Bytes of argument after ESC x. */
const ESC_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ['@', 0],
  ['!', 1],
  ['-', 1],
  ['2', 0],
  ['3', 1],
  ['E', 1],
  ['G', 1],
  ['M', 1],
  ['R', 1],
  ['a', 1],
  ['d', 1],
  ['J', 1],
  ['t', 1],
  ['{', 1],
  ['p', 3],
  [' ', 1],
  ['V', 1],
  ['$', 2],
  ['\\', 2],
])
const GS_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ['!', 1],
  ['B', 1],
  ['H', 1],
  ['f', 1],
  ['h', 1],
  ['w', 1],
  ['r', 1],
  ['a', 1],
  ['I', 1],
  ['L', 2],
  ['W', 2],
])

export function createEscPosDecoder(): PrinterDecoder {
  let codePage = 0
  let line: number[] = []
  let stored = ''
  let reports = false

  function endLine(): PaperMark {
    const text = lineText(line, codePage === WINDOWS_1252)
    line = []
    return { kind: 'line', text }
  }

  /** undefined: consumed without a mark. null: more bytes are needed; nothing was consumed. */
  function escape(stream: CommandStream): PaperMark | null | undefined {
    if (!stream.has(2)) return null
    const command = String.fromCharCode(stream.byteAt(1))
    const size = ESC_ARGUMENTS.get(command)
    if (size === undefined) {
      stream.pass(2)
      return { kind: 'not-understood', command: `ESC ${command}` }
    }
    if (!stream.has(2 + size)) return null
    const argument = stream.byteAt(2)
    // A code page rules the text that follows it, so the text before it is decoded by its own first.
    stream.pass(2 + size)
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

  function group(stream: CommandStream): PaperMark | null | undefined {
    if (!stream.has(3)) return null
    const command = String.fromCharCode(stream.byteAt(1))
    if (command === 'V') {
      const size = stream.byteAt(2) >= 65 ? 4 : 3
      if (!stream.has(size)) return null
      stream.pass(size)
      return { kind: 'cut' }
    }
    if (command === 'k') return barcode(stream)
    if (command === 'v') {
      if (!stream.has(8)) return null
      const width = stream.byteAt(4) + stream.byteAt(5) * 256
      const height = stream.byteAt(6) + stream.byteAt(7) * 256
      if (!stream.has(8 + width * height)) return null
      const raster = stream.bytes(8, 8 + width * height)
      stream.pass(8 + width * height)
      return { kind: 'image', width: width * 8, height, dots: dotsOf(raster) }
    }
    if (command === '(') {
      if (!stream.has(5)) return null
      const size = 5 + stream.byteAt(3) + stream.byteAt(4) * 256
      if (!stream.has(size)) return null
      const isQr = stream.byteAt(2) === 0x6b && stream.byteAt(5) === QR
      const does = stream.byteAt(6)
      if (isQr && does === QR_STORE) stored = String.fromCharCode(...stream.bytes(8, size))
      stream.pass(size)
      return isQr && does === QR_PRINT ? { kind: 'qr', text: stored } : undefined
    }
    const size = GS_ARGUMENTS.get(command)
    if (size === undefined) {
      stream.pass(2)
      return { kind: 'not-understood', command: `GS ${command}` }
    }
    if (!stream.has(2 + size)) return null
    const argument = stream.byteAt(2)
    stream.pass(2 + size)
    if (command === 'a') {
      reports = argument !== 0
      return { kind: 'report-changes', on: reports }
    }
    if (command === 'I') return { kind: 'asked-identity', question: `GS I ${argument}` }
    return command === 'r' ? { kind: 'asked-in-turn' } : undefined
  }

  function barcode(stream: CommandStream): PaperMark | null {
    const symbology = stream.byteAt(2)
    let data: number[]
    if (symbology <= 6) {
      const end = stream.find(0, 3)
      if (end < 0) return null
      data = stream.bytes(3, end)
      stream.pass(end + 1)
    } else {
      if (!stream.has(4) || !stream.has(4 + stream.byteAt(3))) return null
      data = stream.bytes(4, 4 + stream.byteAt(3))
      stream.pass(4 + data.length)
    }
    return {
      kind: 'barcode',
      symbology: SYMBOLOGIES.get(symbology) ?? `symbology ${symbology}`,
      text: symbology === 73 ? code128Text(data) : String.fromCharCode(...data),
    }
  }

  function step(stream: CommandStream): PaperMark | null | undefined {
    const byte = stream.byteAt(0)
    switch (byte) {
      case ESC:
        return escape(stream)
      case GS:
        return group(stream)
      case FS:
        if (!stream.has(2)) return null
        stream.pass(2)
        return undefined
      case LF:
        stream.pass(1)
        return endLine()
      case CR:
        stream.pass(1)
        return undefined
      case 0x10: {
        // DLE EOT n, DLE ENQ n, DLE DC4 fn m t were obeyed when they arrived; here they are only passed over.
        if (!stream.has(2)) return null
        const size = stream.byteAt(1) === 0x14 ? 5 : 3
        if (!stream.has(size)) return null
        stream.pass(size)
        return undefined
      }
      default:
        stream.pass(1)
        if (byte >= 0x20) line.push(byte)
        return undefined
    }
  }

  return decodeCommands(step)
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
