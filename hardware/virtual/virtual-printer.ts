import type { Socket } from 'node:net'
import { createEscPosDecoder } from './esc-pos-decoder.ts'
import { type FarEnd, openFarEnd } from './far-end.ts'
import { loadPaper, type PaperRoll } from './paper-roll.ts'

/** Like a printer's receive buffer: when it is full the wire stands still. */
const RECEIVE_BUFFER = 65_536

export interface VirtualPrinter {
  readonly farEnd: FarEnd
  readonly roll: PaperRoll
  paper: 'ok' | 'out'
  /** false: takes bytes and never answers, as printers without a way back do. */
  answers: boolean
  /** Runs out of paper after this many more lines. */
  runOutAfterLines: number | null
  /** Pulls the cable after this many more bytes. */
  breakAfterBytes: number | null
  readonly drawerKicks: number
}

/** A receipt printer on loopback TCP: decodes, prints to files, kicks a drawer that it only counts, answers for its status. */
export async function openVirtualPrinter(paperFolder: string, onCut: (paper: string) => void): Promise<VirtualPrinter> {
  const roll = await loadPaper(paperFolder, onCut)
  let paper: 'ok' | 'out' = 'ok'
  let drawerKicks = 0
  const resume = new Set<() => void>()

  function statusByte(what: number): number {
    const out = paper === 'out'
    switch (what) {
      case 1: return out ? 0x1a : 0x12
      case 2: return out ? 0x32 : 0x12
      case 4: return out ? 0x7e : 0x12
      default: return 0x12
    }
  }

  function serve(socket: Socket): void {
    const decoder = createEscPosDecoder()
    let window: number[] = []
    const answer = (byte: number): void => { if (printer.answers && socket.writable) socket.write(Uint8Array.of(byte)) }

    /** Real-time commands are obeyed as they arrive, wherever they stand: a printer does not look what they are part of. */
    function realTime(bytes: Uint8Array): void {
      for (const byte of bytes) {
        window = [...window.slice(-4), byte]
        if (window.at(-3) === 0x10 && window.at(-2) === 0x04 && byte >= 1 && byte <= 4) answer(statusByte(byte))
        if (window.length === 5 && window[0] === 0x10 && window[1] === 0x14 && window[2] === 0x01) drawerKicks += 1
      }
    }

    function work(): void {
      while (paper === 'ok') {
        const mark = decoder.next()
        if (mark === null) break
        roll.mark(mark)
        if (mark.kind === 'drawer') drawerKicks += 1
        if (mark.kind === 'asked-in-turn') answer(0x00)
        if (mark.kind === 'line' && printer.runOutAfterLines !== null) {
          printer.runOutAfterLines -= 1
          if (printer.runOutAfterLines <= 0) {
            printer.runOutAfterLines = null
            paper = 'out'
          }
        }
      }
      if (paper === 'ok' && socket.isPaused()) socket.resume()
    }

    resume.add(work)
    socket.on('close', () => { if (decoder.pending === 0) resume.delete(work) })
    socket.on('data', (bytes) => {
      let taken: Uint8Array = bytes
      if (printer.breakAfterBytes !== null) {
        taken = bytes.subarray(0, printer.breakAfterBytes)
        printer.breakAfterBytes -= taken.length
      }
      realTime(taken)
      decoder.push(taken)
      work()
      if (printer.breakAfterBytes === 0) {
        printer.breakAfterBytes = null
        socket.destroy()
      } else if (decoder.pending > RECEIVE_BUFFER) socket.pause()
    })
  }

  const farEnd = await openFarEnd({ onConnect: serve })
  const printer: VirtualPrinter = {
    farEnd,
    roll,
    get paper() { return paper },
    set paper(next) {
      paper = next
      // As with a real one: what waits in its buffer prints once there is paper again.
      if (next === 'ok') for (const work of resume) work()
    },
    answers: true,
    runOutAfterLines: null,
    breakAfterBytes: null,
    get drawerKicks() { return drawerKicks },
  }
  return printer
}
