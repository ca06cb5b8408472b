import type { Socket } from 'node:net'
import type { PrinterLanguage } from '../../contracts/profile.ts'
import { createEscPosDecoder } from './esc-pos-decoder.ts'
import { type FarEnd, openFarEnd } from './far-end.ts'
import { farStatusOf, type PrinterState } from './far-status.ts'
import { loadPaper, type PaperRoll } from './paper-roll.ts'
import { createStarDecoder } from './star-decoder.ts'

/** Like a printer's receive buffer: when it is full the wire stands still. */
const RECEIVE_BUFFER = 65_536

export interface VirtualPrinter {
  readonly farEnd: FarEnd
  readonly roll: PaperRoll
  paper: 'ok' | 'out'
  coverOpen: boolean
  /** Opened by a kick; only a person closes it. */
  drawerOpen: boolean
  /** false: takes bytes and never answers, as printers without a way back do. */
  answers: boolean
  /** Runs out of paper after this many more lines. */
  runOutAfterLines: number | null
  /** Pulls the cable after this many more bytes. */
  breakAfterBytes: number | null
  readonly drawerKicks: number
}

export interface VirtualPrinterOptions {
  readonly paperFolder: string
  readonly language: PrinterLanguage
  readonly onCut: (paper: string) => void
}

/** A receipt printer on loopback TCP: decodes, prints to files, kicks a drawer, answers for its status. */
export async function openVirtualPrinter({ paperFolder, language, onCut }: VirtualPrinterOptions): Promise<VirtualPrinter> {
  const roll = await loadPaper(paperFolder, onCut)
  let paper: 'ok' | 'out' = 'ok'
  let coverOpen = false
  let drawerKicks = 0
  let endsReached = 0
  const resume = new Set<() => void>()
  const state = (): PrinterState => ({ paper, coverOpen, drawerOpen: printer.drawerOpen, endsReached })
  const works = (): boolean => paper === 'ok' && !coverOpen
  const workOn = (): void => { if (works()) for (const work of resume) work() }

  function kick(): void {
    drawerKicks += 1
    printer.drawerOpen = true
  }

  function serve(socket: Socket): void {
    const decoder = language === 'esc-pos' ? createEscPosDecoder() : createStarDecoder()
    const status = farStatusOf(language)
    const answer = (bytes: Uint8Array): void => { if (printer.answers && socket.writable) socket.write(bytes) }

    function work(): void {
      while (works()) {
        const mark = decoder.next()
        if (mark === null) break
        roll.mark(mark)
        if (mark.kind === 'drawer') kick()
        if (mark.kind === 'asked-in-turn') {
          endsReached += 1
          answer(status.reached(state()))
        }
        if (mark.kind === 'line' && printer.runOutAfterLines !== null) {
          printer.runOutAfterLines -= 1
          if (printer.runOutAfterLines <= 0) {
            printer.runOutAfterLines = null
            paper = 'out'
          }
        }
      }
      if (works() && socket.isPaused()) socket.resume()
    }

    resume.add(work)
    socket.on('close', () => { if (decoder.pending === 0) resume.delete(work) })
    socket.on('data', (bytes) => {
      let taken: Uint8Array = bytes
      if (printer.breakAfterBytes !== null) {
        taken = bytes.subarray(0, printer.breakAfterBytes)
        printer.breakAfterBytes -= taken.length
      }
      const { answers, kicks } = status.arrived(taken, state())
      for (const said of answers) answer(said)
      for (let left = kicks; left > 0; left -= 1) kick()
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
      workOn()
    },
    get coverOpen() { return coverOpen },
    set coverOpen(next) {
      coverOpen = next
      workOn()
    },
    drawerOpen: false,
    answers: true,
    runOutAfterLines: null,
    breakAfterBytes: null,
    get drawerKicks() { return drawerKicks },
  }
  return printer
}
