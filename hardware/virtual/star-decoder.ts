import { PrinterCommandDecoder, dotsOf, lineText, type PaperMark } from './printer-decoder.ts'

const ESC = 0x1b
const GS = 0x1d
const LF = 0x0a
const CR = 0x0d
const RS = 0x1e
const ETB = 0x17
const ACK = 0x06
const WINDOWS_1252 = 32
const KICKS = new Set([0x07, 0x1c, 0x1a, 0x19])
const CANCEL = 0x18

const ESC_ARGUMENTS: ReadonlyMap<number, number> = new Map(
  [
    ['@', 0],
    ['E', 0],
    ['F', 0],
    ['i', 2],
    ['W', 1],
    ['h', 1],
    ['-', 1],
    ['_', 1],
    ['4', 0],
    ['5', 0],
    ['M', 0],
    ['P', 0],
    [':', 0],
    ['0', 0],
    ['1', 0],
    ['3', 1],
    ['z', 1],
    ['J', 1],
    ['a', 1],
    ['R', 1],
    ['Q', 1],
    ['l', 1],
    ['d', 1],
    ['\x07', 2],
    ['\x06', 1],
  ].map(([opcode, size]) => [String(opcode).charCodeAt(0), Number(size)]),
)
const ESC_GS_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ['a', 1],
  ['t', 1],
  ['P', 1],
  ['A', 2],
  ['R', 2],
])
const SYMBOLOGIES = ['UPC-E', 'UPC-A', 'EAN-8', 'EAN-13', 'Code 39', 'ITF', 'Code 128', 'Code 93', 'Codabar']
const BAND = 24

/**
 * Decoder of Star Line mode and StarPRNT: the shared printer commands that our receipts use. Written from the printer
 * command references.
 */
export class StarDecoder extends PrinterCommandDecoder {
  private codePage = 0
  private line: number[] = []
  private stored = ''

  private escape(): PaperMark | null | undefined {
    if (!this.has(2)) return null
    const opcode = this.byteAt(1)
    if (opcode === GS) return this.escapeGroup()
    if (opcode === 'b'.charCodeAt(0)) return this.barcode()
    if (opcode === 'X'.charCodeAt(0)) return this.band()
    if (opcode === '#'.charCodeAt(0)) {
      if (!this.has(5)) return null
      const isRequest = this.byteAt(2) === '*'.charCodeAt(0)
      this.pass(5)
      return isRequest ? { kind: 'asked-identity', question: 'ESC # *' } : { kind: 'not-understood', opcode: 'ESC #' }
    }
    if (opcode === RS) return this.has(4) ? this.pass(4) : null
    const size = ESC_ARGUMENTS.get(opcode)
    if (size === undefined) {
      this.pass(2)
      return { kind: 'not-understood', opcode: `ESC ${String.fromCharCode(opcode)}` }
    }
    if (!this.has(2 + size)) return null
    this.pass(2 + size)
    if (opcode === '@'.charCodeAt(0)) {
      this.codePage = 0
      this.line = []
    }
    return opcode === 'd'.charCodeAt(0) ? { kind: 'cut' } : undefined
  }

  private escapeGroup(): PaperMark | null | undefined {
    if (!this.has(3)) return null
    const opcode = String.fromCharCode(this.byteAt(2))
    if (opcode === 'y') return this.qr()
    if (opcode === ')') {
      const size = 6 + this.byteAt(4) + this.byteAt(5) * 256
      if (!this.has(6) || !this.has(size)) return null
      const [family, what] = [String.fromCharCode(this.byteAt(3)), this.byteAt(6)]
      this.pass(size)
      return family === 'I'
        ? { kind: 'asked-identity', question: `ESC GS ) I ${what}` }
        : { kind: 'not-understood', opcode: `ESC GS ) ${family}` }
    }
    const size = ESC_GS_ARGUMENTS.get(opcode)
    if (size === undefined) {
      this.pass(3)
      return { kind: 'not-understood', opcode: `ESC GS ${opcode}` }
    }
    if (!this.has(3 + size)) return null
    if (opcode === 't') this.codePage = this.byteAt(3)
    return this.pass(3 + size)
  }

  private qr(): PaperMark | null | undefined {
    if (!this.has(4)) return null
    switch (String.fromCharCode(this.byteAt(3))) {
      case 'S':
        return this.has(6) ? this.pass(6) : null
      case 'D': {
        if (!this.has(8)) return null
        const size = this.byteAt(6) + this.byteAt(7) * 256
        if (!this.has(8 + size)) return null
        this.stored = String.fromCharCode(...this.bytes(8, 8 + size))
        return this.pass(8 + size)
      }
      case 'P':
        this.pass(4)
        return { kind: 'qr', text: this.stored }
      default:
        this.pass(4)
        return { kind: 'not-understood', opcode: 'ESC GS y' }
    }
  }

  private barcode(): PaperMark | null {
    const end = this.find(RS, 6)
    if (!this.has(6) || end < 0) return null
    const type = this.byteAt(2)
    const data = String.fromCharCode(...this.bytes(6, end))
    this.pass(end + 1)
    return {
      kind: 'barcode',
      symbology: SYMBOLOGIES[type] ?? `symbology ${type}`,
      text: type === 6 ? data.replaceAll('%0', '%') : data,
    }
  }

  /** Star image command ESC X: a band of 24 rows, each column three bytes from the top. */
  private band(): PaperMark | null {
    if (!this.has(4)) return null
    const width = this.byteAt(2) + this.byteAt(3) * 256
    if (!this.has(4 + width * 3)) return null
    const columns = dotsOf(this.bytes(4, 4 + width * 3))
    this.pass(4 + width * 3)
    const dots = new Uint8Array(width * BAND)
    for (let x = 0; x < width; x += 1)
      for (let y = 0; y < BAND; y += 1) dots[y * width + x] = columns[x * BAND + y] ?? 0
    if (this.byteAt(0) === LF) this.pass(1)
    return { kind: 'image', width, height: BAND, dots }
  }

  protected override step(): PaperMark | null | undefined {
    const byte = this.byteAt(0)
    if (byte === ESC) return this.escape()
    this.pass(1)
    if (byte === LF) {
      const text = lineText(this.line, this.codePage === WINDOWS_1252)
      this.line = []
      return { kind: 'line', text }
    }
    if (KICKS.has(byte)) return { kind: 'drawer' }
    if (byte === ETB) return { kind: 'asked-in-turn' }
    if (byte === CANCEL) {
      this.line = []
      return { kind: 'counter-cleared' }
    }
    if (byte >= 0x20) this.line.push(byte)
    else if (byte !== CR && byte !== ACK && byte !== 0)
      return { kind: 'not-understood', opcode: `0x${byte.toString(16).padStart(2, '0')}` }
    return undefined
  }
}
