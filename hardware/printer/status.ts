import type { DrawerStatistics, PrinterIdentity, PrinterStatistics } from '../device.ts'
import {
  ANSWER_MS,
  LONGEST_IDENTITY,
  type PrinterCondition,
  type PrinterTalk,
  type PrinterTrouble,
  type Write,
  createAnswer,
  identityOf,
  identityText,
} from './talk.ts'
import type { JobWork } from './encode.ts'

/**
 * What an ESC/POS printer says about itself. DLE EOT is answered at once, even while the printer cannot print;
 * GS r is answered in its turn, when everything sent before it was processed, so its answer is what confirms a job.
 * The bits: Epson, ESC/POS Application Programming Guide, and the specification of the TM-U220 (DLE EOT, GS a, GS r, GS
 * I).
 */
const DLE = 0x10
const EOT = 0x04
const GS = 0x1d

const ASK_PRINTER = Uint8Array.of(DLE, EOT, 1)
const ASK_OFFLINE_CAUSE = Uint8Array.of(DLE, EOT, 2)
const ASK_ERROR_CAUSE = Uint8Array.of(DLE, EOT, 3)
const ASK_PAPER = Uint8Array.of(DLE, EOT, 4)
/**
 * Printer information B: maker, model, firmware, serial number, in the order in which printers are likely to know them.
 */
const ASK_IDENTITY = [
  ['manufacturerName', 66],
  ['modelName', 67],
  ['firmwareRevision', 65],
  ['serialNumber', 68],
] as const
/** Begins a piece of printer information, which ends with NUL. No byte of any status has these bits. */
const INFORMATION = 0x5f
/** Automatic status back for drawer, online, error and paper. ESC @, with which every job begins, ends it. */
const REPORT_CHANGES = Uint8Array.of(GS, 0x61, 0x0f)
const ASK_IN_TURN = Uint8Array.of(GS, 0x72, 1)

const WATCH_MS = 1_000

/** Whether an answer to DLE EOT 2 speaks of an error, so that DLE EOT 3 says of which. */
const hasError = (offlineCause: number): boolean => (offlineCause & 0x40) !== 0

/** Answers to DLE EOT 1, 2 and 4, in this order; `errorCause`, to DLE EOT 3, where there was reason to ask. */
export function conditionOf(printer: number, offlineCause: number, paper: number, errorCause = 0): PrinterCondition {
  const drawerSwitch = (printer & 0x04) === 0 ? 'low' : 'high'
  if ((offlineCause & 0x04) !== 0) return { kind: 'trouble', detail: 'cover open', drawerSwitch }
  if ((offlineCause & 0x20) !== 0 || (paper & 0x60) !== 0) return { kind: 'trouble', detail: 'paper out', drawerSwitch }
  if (hasError(offlineCause)) {
    // Recovers by itself: the head stops until it has cooled down.
    const detail =
      (errorCause & 0x08) !== 0 ? 'cutter error' : (errorCause & 0x40) !== 0 ? 'print head too hot' : 'printer error'
    return { kind: 'trouble', detail, drawerSwitch }
  }
  if ((printer & 0x08) !== 0) return { kind: 'trouble', detail: 'printer offline', drawerSwitch }
  return { kind: 'ready', paperLow: (paper & 0x0c) !== 0, drawerSwitch }
}

/** Paper end in an answer to GS r 1. */
const paperEndInTurn = (answer: number): boolean => (answer & 0x0c) !== 0

/** Length of the status that a printer sends unasked, the first byte `0xx1xx00`. */
const UNASKED_BYTES = 4

/** Tells the printer's answers apart by their fixed bits, and hears of the status that it sends unasked. */
function readAnswers(onNews: () => void) {
  let unasked: number[] = []
  let known: string | null = null
  /** A piece of information that has begun; null between two. */
  let text: number[] | null = null
  /** To DLE EOT, to GS r and to GS I. */
  const immediate = createAnswer<number>()
  const inTurn = createAnswer<number>()
  const information = createAnswer<string>()

  function news(block: readonly number[]): void {
    const before = known
    known = block.join()
    // Also the first: it may be of a moment after the last answer.
    if (before !== known) onNews()
  }

  /**
   * False when this byte belongs to no information: it is looked at as any other. Its letters would pass for answers to
   * GS r.
   */
  function isInformation(byte: number): boolean {
    if (text === null) {
      if (byte !== INFORMATION) return false
      text = []
      unasked = []
      return true
    }
    if (byte >= 0x20) {
      if (text.length < LONGEST_IDENTITY) text.push(byte)
      return true
    }
    const whole = text
    text = null
    if (byte !== 0) return false
    information.came(identityText(whole))
    return true
  }

  return {
    immediate,
    inTurn,
    information,
    begin() {
      unasked = []
      known = null
      text = null
    },
    push(bytes: Uint8Array) {
      for (const byte of bytes) {
        if (isInformation(byte)) continue
        if (unasked.length > 0 || (byte & 0x93) === 0x10) {
          unasked.push(byte)
          if (unasked.length === UNASKED_BYTES) {
            news(unasked)
            unasked = []
          }
          continue
        }
        if ((byte & 0x93) === 0x12) immediate.came(byte)
        else if ((byte & 0x90) === 0) inTurn.came(byte)
      }
    },
  }
}

export function createEscPosTalk(onNews: () => void): PrinterTalk {
  const answers = readAnswers(onNews)
  async function status(write: Write, question: Uint8Array): Promise<number | null> {
    const answer = answers.immediate.next(ANSWER_MS)
    await write(question, ANSWER_MS)
    return answer
  }
  async function information(write: Write, what: number): Promise<string | null> {
    const answer = answers.information.next(ANSWER_MS)
    await write(Uint8Array.of(GS, 0x49, what), ANSWER_MS)
    return answer
  }
  return {
    reportChanges: REPORT_CHANGES,
    watchMs: WATCH_MS,
    begin: () => {
      answers.begin()
    },
    push: (bytes) => {
      answers.push(bytes)
    },
    async ask(write) {
      const said: number[] = []
      for (const question of [ASK_PRINTER, ASK_OFFLINE_CAUSE, ASK_PAPER]) {
        const byte = await status(write, question)
        if (byte === null) return { kind: 'silent' }
        said.push(byte)
      }
      const [printer = 0, offlineCause = 0, paper = 0] = said
      return conditionOf(
        printer,
        offlineCause,
        paper,
        hasError(offlineCause) ? ((await status(write, ASK_ERROR_CAUSE)) ?? 0) : 0,
      )
    },
    async identify(write) {
      const said = new Map<keyof PrinterIdentity, string>()
      for (const [fact, what] of ASK_IDENTITY) {
        const answer = await information(write, what)
        if (answer === null) break
        said.set(fact, answer)
      }
      return identityOf(said)
    },
    async finish(write, deadlineMs) {
      const answer = answers.inTurn.next(deadlineMs)
      await write(ASK_IN_TURN, deadlineMs)
      const byte = await answer
      return byte === null ? null : paperEndInTurn(byte) ? 'paper-out' : 'worked-through'
    },
  }
}

/** Counts of one printer and its drawer since it was opened. They stand beside the wire, and outlive its losses. */
export interface PrinterCounts {
  readonly printer: PrinterStatistics
  readonly drawer: DrawerStatistics
  /** What the printer says of itself; a trouble that lasts is counted when it begins. */
  condition(condition: PrinterCondition): void
  /** Nothing was said, or the wire failed, where there was an answer before. */
  communicationError(): void
  /** A job is on paper, as far as anybody can know. */
  printed(work: JobWork): void
  /** A kick was carried out, and the drawer's switch was looked at after it. */
  kicked(isOpen: boolean): void
}

/** Troubles that are faults of the printer, and not of its paper, its cover or its button. */
const FAULTS: ReadonlySet<PrinterTrouble> = new Set(['cutter error', 'print head too hot', 'printer error'])

export function createPrinterCounts(): PrinterCounts {
  const printer = {
    communicationErrorCount: 0,
    receiptLinePrintedCount: 0,
    receiptCharacterPrintedCount: 0,
    barcodePrintedCount: 0,
    paperCutCount: 0,
    failedPaperCutCount: 0,
    printerFaultCount: 0,
    maximumTempReachedCount: 0,
    receiptCoverOpenCount: 0,
  }
  const drawer = { drawerGoodOpenCount: 0, drawerFailedOpenCount: 0 }
  let trouble: PrinterTrouble | null = null

  function begins(detail: PrinterTrouble): void {
    if (FAULTS.has(detail)) printer.printerFaultCount += 1
    if (detail === 'cutter error') printer.failedPaperCutCount += 1
    if (detail === 'print head too hot') printer.maximumTempReachedCount += 1
    if (detail === 'cover open') printer.receiptCoverOpenCount += 1
  }

  return {
    get printer() {
      return { ...printer }
    },
    get drawer() {
      return { ...drawer }
    },
    condition(condition) {
      // Silence says nothing: the trouble before it may last.
      if (condition.kind === 'silent') return
      const before = trouble
      trouble = condition.kind === 'trouble' ? condition.detail : null
      if (trouble !== null && trouble !== before) begins(trouble)
    },
    communicationError() {
      printer.communicationErrorCount += 1
    },
    printed({ lines, characters, barcodes, cuts }) {
      printer.receiptLinePrintedCount += lines
      printer.receiptCharacterPrintedCount += characters
      printer.barcodePrintedCount += barcodes
      printer.paperCutCount += cuts
    },
    kicked(isOpen) {
      if (isOpen) drawer.drawerGoodOpenCount += 1
      else drawer.drawerFailedOpenCount += 1
    },
  }
}
