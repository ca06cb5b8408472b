import { dotsOf, type PaperMark, type PrinterDecoder } from './paper-mark.ts'

const ESC = 0x1b
const GS = 0x1d
const LF = 0x0a
const CR = 0x0d
const RS = 0x1e
const ETB = 0x17
const ACK = 0x06
const WINDOWS_1252 = 32
/** Single bytes that open a drawer: BEL and FS the first, SUB and EM the second. */
const KICKS = new Set([0x07, 0x1c, 0x1a, 0x19])
const CANCEL = 0x18

/** Bytes of argument after ESC x. */
const ESC_ARGUMENTS: ReadonlyMap<number, number> = new Map([
  ['@', 0], ['E', 0], ['F', 0], ['i', 2], ['W', 1], ['h', 1], ['-', 1], ['_', 1], ['4', 0], ['5', 0], ['M', 0], ['P', 0], [':', 0],
  ['0', 0], ['1', 0], ['3', 1], ['z', 1], ['J', 1], ['a', 1], ['R', 1], ['Q', 1], ['l', 1], ['d', 1], ['\x07', 2], ['\x06', 1],
].map(([command, size]) => [String(command).charCodeAt(0), Number(size)]))
/** Bytes of argument after ESC GS x. */
const ESC_GS_ARGUMENTS: ReadonlyMap<string, number> = new Map([['a', 1], ['t', 1], ['P', 1], ['A', 2], ['R', 2]])
const SYMBOLOGIES = ['UPC-E', 'UPC-A', 'EAN-8', 'EAN-13', 'Code 39', 'ITF', 'Code 128', 'Code 93', 'Codabar']
const BAND = 24

/** Star Line mode and StarPRNT: the commands that both have in common with our receipts. Written from the command references. */
export function createStarDecoder(): PrinterDecoder {
  const windows1252 = new TextDecoder('windows-1252')
  let buffer: number[] = []
  let at = 0
  let codePage = 0
  let line: number[] = []
  let stored = ''

  const need = (bytes: number): boolean => buffer.length - at >= bytes
  const byteAt = (offset: number): number => buffer[at + offset] ?? 0
  const pass = (bytes: number): undefined => { at += bytes }
  const textOf = (bytes: readonly number[]): string =>
    (codePage === WINDOWS_1252 ? windows1252.decode(Uint8Array.from(bytes)) : bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : '?')).join(''))

  /** undefined: consumed without a mark. null: more bytes are needed; nothing was consumed. */
  function escape(): PaperMark | null | undefined {
    if (!need(2)) return null
    const command = byteAt(1)
    if (command === GS) return escapeGroup()
    if (command === 'b'.charCodeAt(0)) return barcode()
    if (command === 'X'.charCodeAt(0)) return band()
    if (command === RS) return need(4) ? pass(4) : null
    const size = ESC_ARGUMENTS.get(command)
    if (size === undefined) {
      at += 2
      return { kind: 'not-understood', command: `ESC ${String.fromCharCode(command)}` }
    }
    if (!need(2 + size)) return null
    at += 2 + size
    if (command === '@'.charCodeAt(0)) {
      codePage = 0
      line = []
    }
    return command === 'd'.charCodeAt(0) ? { kind: 'cut' } : undefined
  }

  function escapeGroup(): PaperMark | null | undefined {
    if (!need(3)) return null
    const command = String.fromCharCode(byteAt(2))
    if (command === 'y') return qr()
    const size = ESC_GS_ARGUMENTS.get(command)
    if (size === undefined) {
      at += 3
      return { kind: 'not-understood', command: `ESC GS ${command}` }
    }
    if (!need(3 + size)) return null
    if (command === 't') codePage = byteAt(3)
    return pass(3 + size)
  }

  function qr(): PaperMark | null | undefined {
    if (!need(4)) return null
    switch (String.fromCharCode(byteAt(3))) {
      case 'S': return need(6) ? pass(6) : null
      case 'D': {
        if (!need(8)) return null
        const size = byteAt(6) + byteAt(7) * 256
        if (!need(8 + size)) return null
        stored = String.fromCharCode(...buffer.slice(at + 8, at + 8 + size))
        return pass(8 + size)
      }
      case 'P':
        at += 4
        return { kind: 'qr', text: stored }
      default:
        at += 4
        return { kind: 'not-understood', command: 'ESC GS y' }
    }
  }

  /** ESC b type text mode height data RS. */
  function barcode(): PaperMark | null {
    const end = buffer.indexOf(RS, at + 6)
    if (!need(6) || end < 0) return null
    const type = byteAt(2)
    const data = String.fromCharCode(...buffer.slice(at + 6, end))
    at = end + 1
    return { kind: 'barcode', symbology: SYMBOLOGIES[type] ?? `symbology ${type}`, text: type === 6 ? data.replaceAll('%0', '%') : data }
  }

  /** ESC X: a band of 24 rows, each column three bytes from the top. */
  function band(): PaperMark | null {
    if (!need(4)) return null
    const width = byteAt(2) + byteAt(3) * 256
    if (!need(4 + width * 3)) return null
    const columns = dotsOf(buffer.slice(at + 4, at + 4 + width * 3))
    at += 4 + width * 3
    const dots = new Uint8Array(width * BAND)
    for (let x = 0; x < width; x += 1) for (let y = 0; y < BAND; y += 1) dots[y * width + x] = columns[x * BAND + y] ?? 0
    // The line feed that moves the paper on belongs to the band.
    if (byteAt(0) === LF) at += 1
    return { kind: 'image', width, height: BAND, dots }
  }

  function step(): PaperMark | null | undefined {
    const byte = byteAt(0)
    if (byte === ESC) return escape()
    at += 1
    if (byte === LF) {
      const text = textOf(line)
      line = []
      return { kind: 'line', text }
    }
    if (KICKS.has(byte)) return { kind: 'drawer' }
    if (byte === ETB) return { kind: 'asked-in-turn' }
    if (byte === CANCEL) line = []
    if (byte >= 0x20) line.push(byte)
    else if (byte !== CR && byte !== CANCEL && byte !== ACK && byte !== 0) return { kind: 'not-understood', command: `0x${byte.toString(16).padStart(2, '0')}` }
    return undefined
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
