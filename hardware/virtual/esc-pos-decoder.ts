import { PrinterCommandDecoder, dotsOf, lineText, type PaperMark } from './printer-decoder.ts'

const ESC = 0x1b
const GS = 0x1d
const FS = 0x1c
const LF = 0x0a
const CR = 0x0d
const WINDOWS_1252 = 16
const SYMBOLOGIES: ReadonlyMap<number, string> = new Map([
  [0, 'UPC-A'],
  [2, 'EAN-13'],
  [65, 'UPC-A'],
  [67, 'EAN-13'],
  [69, 'Code 39'],
  [73, 'Code 128'],
])
/** Functions of GS ( k for QR codes (cn 49): store the data, print the stored data. */
const QR = 49
const QR_STORE = 80
const QR_PRINT = 81

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

export class EscPosDecoder extends PrinterCommandDecoder {
  private codePage = 0
  private line: number[] = []
  private stored = ''
  private reports = false

  private endLine(): PaperMark {
    const text = lineText(this.line, this.codePage === WINDOWS_1252)
    this.line = []
    return { kind: 'line', text }
  }

  /**
   * Result undefined: the ESC/POS command was consumed without a mark. null: more bytes are needed; nothing was
   * consumed.
   */
  private escape(): PaperMark | null | undefined {
    if (!this.has(2)) return null
    const opcode = String.fromCharCode(this.byteAt(1))
    const size = ESC_ARGUMENTS.get(opcode)
    if (size === undefined) {
      this.pass(2)
      return { kind: 'not-understood', opcode: `ESC ${opcode}` }
    }
    if (!this.has(2 + size)) return null
    const argument = this.byteAt(2)
    this.pass(2 + size)
    if (opcode === '@') {
      this.codePage = 0
      this.line = []
      if (this.reports) {
        this.reports = false
        return { kind: 'report-changes', on: false }
      }
    }
    if (opcode === 't') this.codePage = argument
    if (opcode === 'p') return { kind: 'drawer' }
    return undefined
  }

  private group(): PaperMark | null | undefined {
    if (!this.has(3)) return null
    const opcode = String.fromCharCode(this.byteAt(1))
    if (opcode === 'V') {
      const size = this.byteAt(2) >= 65 ? 4 : 3
      if (!this.has(size)) return null
      this.pass(size)
      return { kind: 'cut' }
    }
    if (opcode === 'k') return this.barcode()
    if (opcode === 'v') {
      if (!this.has(8)) return null
      const width = this.byteAt(4) + this.byteAt(5) * 256
      const height = this.byteAt(6) + this.byteAt(7) * 256
      if (!this.has(8 + width * height)) return null
      const raster = this.bytes(8, 8 + width * height)
      this.pass(8 + width * height)
      return { kind: 'image', width: width * 8, height, dots: dotsOf(raster) }
    }
    if (opcode === '(') {
      if (!this.has(5)) return null
      const size = 5 + this.byteAt(3) + this.byteAt(4) * 256
      if (!this.has(size)) return null
      const isQr = this.byteAt(2) === 0x6b && this.byteAt(5) === QR
      const does = this.byteAt(6)
      if (isQr && does === QR_STORE) this.stored = String.fromCharCode(...this.bytes(8, size))
      this.pass(size)
      return isQr && does === QR_PRINT ? { kind: 'qr', text: this.stored } : undefined
    }
    const size = GS_ARGUMENTS.get(opcode)
    if (size === undefined) {
      this.pass(2)
      return { kind: 'not-understood', opcode: `GS ${opcode}` }
    }
    if (!this.has(2 + size)) return null
    const argument = this.byteAt(2)
    this.pass(2 + size)
    if (opcode === 'a') {
      this.reports = argument !== 0
      return { kind: 'report-changes', on: this.reports }
    }
    if (opcode === 'I') return { kind: 'asked-identity', question: `GS I ${argument}` }
    return opcode === 'r' ? { kind: 'asked-in-turn' } : undefined
  }

  private barcode(): PaperMark | null {
    const symbology = this.byteAt(2)
    let data: number[]
    if (symbology <= 6) {
      const end = this.find(0, 3)
      if (end < 0) return null
      data = this.bytes(3, end)
      this.pass(end + 1)
    } else {
      if (!this.has(4) || !this.has(4 + this.byteAt(3))) return null
      data = this.bytes(4, 4 + this.byteAt(3))
      this.pass(4 + data.length)
    }
    return {
      kind: 'barcode',
      symbology: SYMBOLOGIES.get(symbology) ?? `symbology ${symbology}`,
      text: symbology === 73 ? code128Text(data) : String.fromCharCode(...data),
    }
  }

  protected override step(): PaperMark | null | undefined {
    const byte = this.byteAt(0)
    switch (byte) {
      case ESC:
        return this.escape()
      case GS:
        return this.group()
      case FS:
        if (!this.has(2)) return null
        this.pass(2)
        return undefined
      case LF:
        this.pass(1)
        return this.endLine()
      case CR:
        this.pass(1)
        return undefined
      case 0x10: {
        // DLE EOT n, DLE ENQ n, DLE DC4 fn m t were executed on arrival; here they are only skipped.
        if (!this.has(2)) return null
        const size = this.byteAt(1) === 0x14 ? 5 : 3
        if (!this.has(size)) return null
        this.pass(size)
        return undefined
      }
      default:
        this.pass(1)
        if (byte >= 0x20) this.line.push(byte)
        return undefined
    }
  }
}

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
