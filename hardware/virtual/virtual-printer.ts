import type { Socket } from 'node:net'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { PaperMark } from './printer-decoder.ts'
import {
  type SimulatedPort,
  type PrinterStatusModel,
  type PrinterFault,
  type PrinterState,
  statusModelOf,
  openSimulatedPort,
} from './simulated-port.ts'
import { type PaperRoll, decoderOf, loadPaper } from './paper-roll.ts'

/** Size of the receive buffer in bytes, as in a real printer; a full buffer stops the wire. */
const RECEIVE_BUFFER = 65_536

/** A virtual receipt printer on loopback TCP: decodes, prints to files, opens a drawer, answers status requests. */
export class VirtualPrinter {
  readonly port: SimulatedPort
  readonly roll: PaperRoll
  drawerKicks = 0
  drawerHeld = false
  /** False: the printer accepts bytes and never answers, as one without a return channel. */
  answers = true
  identifies = true
  /** Fault that begins after this number of further printed lines. */
  stopsAfter: { readonly lines: number; readonly why: 'paper-out' | 'cover-open' } | null = null
  breakAfterBytes: number | null = null
  private readonly language: PrinterLanguage
  private readonly onChange: () => void
  private readonly resume = new Set<() => void>()
  private readonly reports = new Set<() => void>()
  private state: PrinterState = { paper: 'ok', coverOpen: false, drawerOpen: false, endsReached: 0, fault: null }

  constructor(port: SimulatedPort, roll: PaperRoll, language: PrinterLanguage, onChange: () => void) {
    this.port = port
    this.roll = roll
    this.language = language
    this.onChange = onChange
  }

  get paper(): 'ok' | 'out' {
    return this.state.paper
  }
  set paper(paper) {
    this.become({ paper })
  }
  get coverOpen(): boolean {
    return this.state.coverOpen
  }
  set coverOpen(coverOpen) {
    this.become({ coverOpen })
  }
  get drawerOpen(): boolean {
    return this.state.drawerOpen
  }
  set drawerOpen(drawerOpen) {
    this.change({ drawerOpen })
  }
  get fault(): PrinterFault | null {
    return this.state.fault
  }
  set fault(fault) {
    this.become({ fault })
  }

  private change(to: Partial<PrinterState>): void {
    this.state = { ...this.state, ...to }
    for (const report of this.reports) report()
    this.onChange()
  }

  /**
   * Changes the state. During a fault, received data stays in the buffer; it prints when the fault is over, as in a
   * real printer.
   */
  private become(to: Partial<PrinterState>): void {
    this.change(to)
    if (this.works()) for (const work of this.resume) work()
  }

  private works(): boolean {
    const { paper, coverOpen, fault } = this.state
    return paper === 'ok' && !coverOpen && fault === null
  }

  private kick(): void {
    this.drawerKicks += 1
    if (this.drawerHeld) this.onChange()
    else this.change({ drawerOpen: true })
  }

  private countLine(): void {
    const { stopsAfter } = this
    if (stopsAfter === null) return
    this.stopsAfter = stopsAfter.lines > 1 ? { ...stopsAfter, lines: stopsAfter.lines - 1 } : null
    if (this.stopsAfter !== null) return
    this.change(stopsAfter.why === 'paper-out' ? { paper: 'out' } : { coverOpen: true })
  }

  serve(socket: Socket): void {
    const decoder = decoderOf(this.language)
    const status = statusModelOf(this.language)
    const answer = (bytes: Uint8Array): void => {
      if (this.answers && socket.writable) socket.write(bytes)
    }
    const report = (): void => answer(status.changed(this.state))
    const work = (): void => {
      while (this.works()) {
        const mark = decoder.next()
        if (mark === null) break
        this.execute(mark, status, answer, report)
      }
      if (this.works() && socket.isPaused()) socket.resume()
    }
    this.resume.add(work)
    socket.on('close', () => {
      this.reports.delete(report)
      if (decoder.pending === 0) this.resume.delete(work)
    })
    socket.on('data', (bytes) => {
      const accepted = this.acceptedBytes(bytes)
      const { answers, kicks } = status.arrived(accepted, this.state)
      for (const reply of answers) answer(reply)
      for (let remaining = kicks; remaining > 0; remaining -= 1) this.kick()
      decoder.push(accepted)
      work()
      if (this.breakAfterBytes === 0) {
        this.breakAfterBytes = null
        socket.destroy()
        this.onChange()
      } else if (decoder.pending > RECEIVE_BUFFER) socket.pause()
    })
  }

  private acceptedBytes(bytes: Buffer): Uint8Array {
    if (this.breakAfterBytes === null) return bytes
    const accepted = bytes.subarray(0, this.breakAfterBytes)
    this.breakAfterBytes -= accepted.length
    return accepted
  }

  private execute(
    mark: PaperMark,
    status: PrinterStatusModel,
    answer: (bytes: Uint8Array) => void,
    report: () => void,
  ): void {
    this.roll.mark(mark)
    if (mark.kind === 'drawer') this.kick()
    if (mark.kind === 'asked-in-turn') {
      this.state = { ...this.state, endsReached: this.state.endsReached + 1 }
      answer(status.reached(this.state))
    }
    if (mark.kind === 'counter-cleared') this.state = { ...this.state, endsReached: 0 }
    if (mark.kind === 'asked-identity' && this.identifies) {
      const identity = status.identity(mark.question)
      if (identity !== null) answer(identity)
    }
    if (mark.kind === 'line') this.countLine()
    if (mark.kind === 'report-changes') {
      this.reports[mark.on ? 'add' : 'delete'](report)
      if (mark.on) report()
    }
  }
}

export async function openVirtualPrinter(
  paperFolder: string,
  language: PrinterLanguage,
  onCut: (paper: string) => void,
  onChange: () => void = () => undefined,
): Promise<VirtualPrinter> {
  const roll = await loadPaper(paperFolder, onCut)
  const port = await openSimulatedPort({ onConnect: (socket) => printer.serve(socket) })
  const printer = new VirtualPrinter(port, roll, language, onChange)
  return printer
}
