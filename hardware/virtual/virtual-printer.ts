import type { Socket } from 'node:net'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import { type FarEnd, type PrinterFault, type PrinterState, farStatusOf, openFarEnd } from './far-end.ts'
import { type PaperRoll, decoderOf, loadPaper } from './paper-roll.ts'

/** Like a printer's receive buffer: when it is full the wire stands still. */
const RECEIVE_BUFFER = 65_536

export interface VirtualPrinter {
  readonly farEnd: FarEnd
  readonly roll: PaperRoll
  paper: 'ok' | 'out'
  coverOpen: boolean
  /** Opened by a kick, or by a person; only a person closes it. */
  drawerOpen: boolean
  /** Something keeps the drawer as it is, open or closed: a kick does not move it. */
  drawerHeld: boolean
  /** false: takes bytes and never answers, as printers without a way back do. */
  answers: boolean
  /** false: says how it is, and not what it is. */
  identifies: boolean
  /** A fault of its own stops it. */
  fault: PrinterFault | null
  /** What stops it after so many more lines. */
  stopsAfter: { readonly lines: number; readonly why: 'paper-out' | 'cover-open' } | null
  /** Pulls the cable after this many more bytes. */
  breakAfterBytes: number | null
  readonly drawerKicks: number
}

export interface VirtualPrinterOptions {
  readonly paperFolder: string
  readonly language: PrinterLanguage
  readonly onCut: (paper: string) => void
  /** Paper, cover, drawer or what waits to happen changed by itself. */
  readonly onChange?: () => void
}

/** A receipt printer on loopback TCP: decodes, prints to files, kicks a drawer, answers for its status. */
export async function openVirtualPrinter({
  paperFolder,
  language,
  onCut,
  onChange = () => undefined,
}: VirtualPrinterOptions): Promise<VirtualPrinter> {
  const roll = await loadPaper(paperFolder, onCut)
  let paper: 'ok' | 'out' = 'ok'
  let coverOpen = false
  let drawerKicks = 0
  let endsReached = 0
  let drawerOpen = false
  let fault: PrinterFault | null = null
  const resume = new Set<() => void>()
  /** Hosts that want to hear of every change. */
  const reports = new Set<() => void>()
  const state = (): PrinterState => ({ paper, coverOpen, drawerOpen, endsReached, fault })
  const works = (): boolean => paper === 'ok' && !coverOpen && fault === null
  const workOn = (): void => {
    if (works()) for (const work of resume) work()
  }
  const changed = (): void => {
    for (const report of reports) report()
    onChange()
  }

  function kick(): void {
    drawerKicks += 1
    if (printer.drawerHeld) onChange()
    else printer.drawerOpen = true
  }

  /** One more line is on the paper: perhaps the last. */
  function countLine(): void {
    const { stopsAfter } = printer
    if (stopsAfter === null) return
    printer.stopsAfter = stopsAfter.lines > 1 ? { ...stopsAfter, lines: stopsAfter.lines - 1 } : null
    if (printer.stopsAfter !== null) return
    if (stopsAfter.why === 'paper-out') paper = 'out'
    else coverOpen = true
    changed()
  }

  function serve(socket: Socket): void {
    const decoder = decoderOf(language)
    const status = farStatusOf(language)
    const answer = (bytes: Uint8Array): void => {
      if (printer.answers && socket.writable) socket.write(bytes)
    }

    const report = (): void => {
      answer(status.changed(state()))
    }

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
        if (mark.kind === 'counter-cleared') endsReached = 0
        if (mark.kind === 'asked-identity' && printer.identifies) {
          const said = status.identity(mark.question)
          if (said !== null) answer(said)
        }
        if (mark.kind === 'line') countLine()
        if (mark.kind === 'report-changes') {
          reports[mark.on ? 'add' : 'delete'](report)
          // Switched on, it tells at once how it is.
          if (mark.on) report()
        }
      }
      if (works() && socket.isPaused()) socket.resume()
    }

    resume.add(work)
    socket.on('close', () => {
      reports.delete(report)
      if (decoder.pending === 0) resume.delete(work)
    })
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
        onChange()
      } else if (decoder.pending > RECEIVE_BUFFER) socket.pause()
    })
  }

  const farEnd = await openFarEnd({ onConnect: serve })
  const printer: VirtualPrinter = {
    farEnd,
    roll,
    get paper() {
      return paper
    },
    set paper(next) {
      paper = next
      changed()
      // As with a real one: what waits in its buffer prints once there is paper again.
      workOn()
    },
    get coverOpen() {
      return coverOpen
    },
    set coverOpen(next) {
      coverOpen = next
      changed()
      workOn()
    },
    get drawerOpen() {
      return drawerOpen
    },
    set drawerOpen(next) {
      drawerOpen = next
      changed()
    },
    get fault() {
      return fault
    },
    set fault(next) {
      fault = next
      changed()
      workOn()
    },
    drawerHeld: false,
    answers: true,
    identifies: true,
    stopsAfter: null,
    breakAfterBytes: null,
    get drawerKicks() {
      return drawerKicks
    },
  }
  return printer
}
