import type { DrawerStatistics, PrinterIdentity, PrinterStatistics } from '../device.ts'
import {
  ANSWER_MS,
  LONGEST_IDENTITY,
  type PrinterCondition,
  type PrinterProtocol,
  type PrinterTrouble,
  type Write,
  createAnswer,
  identityOf,
  identityText,
} from './protocol.ts'
import type { JobWork } from './encode.ts'

/**
 * Status protocol of an ESC/POS printer. DLE EOT is answered immediately, even while the printer cannot print; GS r is
 * answered in order, after everything sent before it was processed, so that its answer confirms a job. The bits: Epson,
 * ESC/POS Application Programming Guide, and the specification of the TM-U220 (DLE EOT, GS a, GS r, GS I).
 */
const DLE = 0x10
const EOT = 0x04
const GS = 0x1d

const REQUEST_PRINTER = Uint8Array.of(DLE, EOT, 1)
const REQUEST_OFFLINE_CAUSE = Uint8Array.of(DLE, EOT, 2)
const REQUEST_ERROR_CAUSE = Uint8Array.of(DLE, EOT, 3)
const REQUEST_PAPER = Uint8Array.of(DLE, EOT, 4)
/** Requests for printer information B (maker, model, firmware, serial number), the most widely supported first. */
const REQUEST_IDENTITY = [
  ['manufacturerName', 66],
  ['modelName', 67],
  ['firmwareRevision', 65],
  ['serialNumber', 68],
] as const
/** First byte of printer information, which ends with NUL. No status byte has the same bits. */
const INFORMATION = 0x5f
/**
 * ESC/POS command by which the printer sends changes of drawer, online state, error and paper by itself (Automatic
 * Status Back). ESC @ at the start of every job disables it.
 */
const REPORT_CHANGES = Uint8Array.of(GS, 0x61, 0x0f)
const REQUEST_IN_ORDER = Uint8Array.of(GS, 0x72, 1)

const WATCH_MS = 1_000

const hasError = (offlineCause: number): boolean => (offlineCause & 0x40) !== 0

/**
 * Interprets the answers to DLE EOT 1, 2 and 4, in this order, and to DLE EOT 3 (`errorCause`; 0 if it was not sent).
 */
export function conditionOf(printer: number, offlineCause: number, paper: number, errorCause = 0): PrinterCondition {
  const drawerSwitch = (printer & 0x04) === 0 ? 'low' : 'high'
  if ((offlineCause & 0x04) !== 0) return { kind: 'trouble', detail: 'cover open', drawerSwitch }
  if ((offlineCause & 0x20) !== 0 || (paper & 0x60) !== 0) return { kind: 'trouble', detail: 'paper out', drawerSwitch }
  if (hasError(offlineCause)) {
    // Bit 0x40 of `errorCause` is an error from which the printer recovers by itself, such as an overheated head.
    const detail =
      (errorCause & 0x08) !== 0 ? 'cutter error' : (errorCause & 0x40) !== 0 ? 'print head too hot' : 'printer error'
    return { kind: 'trouble', detail, drawerSwitch }
  }
  if ((printer & 0x08) !== 0) return { kind: 'trouble', detail: 'printer offline', drawerSwitch }
  return { kind: 'ready', paperLow: (paper & 0x0c) !== 0, drawerSwitch }
}

const isPaperEnd = (answer: number): boolean => (answer & 0x0c) !== 0

/** Length of an unsolicited status in bytes; its first byte is `0xx1xx00`. */
const UNSOLICITED_BYTES = 4

/** Separates the printer's answers by their fixed bits, and detects unsolicited status. */
function readAnswers(onChange: () => void) {
  let unsolicited: number[] = []
  let known: string | null = null
  let text: number[] | null = null
  const immediate = createAnswer<number>()
  const inOrder = createAnswer<number>()
  const information = createAnswer<string>()

  function onStatusBlock(block: readonly number[]): void {
    const before = known
    known = block.join()
    // The first status counts as a change too, because it may be newer than the last requested answer.
    if (before !== known) onChange()
  }

  /**
   * Adds a byte to the printer information that is arriving. Returns false for a byte that does not belong to it.
   * Without this check, letters of the information could be read as answers to GS r.
   */
  function isInformation(byte: number): boolean {
    if (text === null) {
      if (byte !== INFORMATION) return false
      text = []
      unsolicited = []
      return true
    }
    if (byte >= 0x20) {
      if (text.length < LONGEST_IDENTITY) text.push(byte)
      return true
    }
    const whole = text
    text = null
    if (byte !== 0) return false
    information.receive(identityText(whole))
    return true
  }

  return {
    immediate,
    inTurn: inOrder,
    information,
    begin() {
      unsolicited = []
      known = null
      text = null
    },
    push(bytes: Uint8Array) {
      for (const byte of bytes) {
        if (isInformation(byte)) continue
        if (unsolicited.length > 0 || (byte & 0x93) === 0x10) {
          unsolicited.push(byte)
          if (unsolicited.length === UNSOLICITED_BYTES) {
            onStatusBlock(unsolicited)
            unsolicited = []
          }
          continue
        }
        if ((byte & 0x93) === 0x12) immediate.receive(byte)
        else if ((byte & 0x90) === 0) inOrder.receive(byte)
      }
    },
  }
}

export function createEscPosProtocol(onChange: () => void): PrinterProtocol {
  const answers = readAnswers(onChange)
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
      const answers: number[] = []
      for (const question of [REQUEST_PRINTER, REQUEST_OFFLINE_CAUSE, REQUEST_PAPER]) {
        const byte = await status(write, question)
        if (byte === null) return { kind: 'silent' }
        answers.push(byte)
      }
      const [printer = 0, offlineCause = 0, paper = 0] = answers
      return conditionOf(
        printer,
        offlineCause,
        paper,
        hasError(offlineCause) ? ((await status(write, REQUEST_ERROR_CAUSE)) ?? 0) : 0,
      )
    },
    async identify(write) {
      const identity = new Map<keyof PrinterIdentity, string>()
      for (const [fact, what] of REQUEST_IDENTITY) {
        const answer = await information(write, what)
        if (answer === null) break
        identity.set(fact, answer)
      }
      return identityOf(identity)
    },
    async finish(write, deadlineMs) {
      const answer = answers.inTurn.next(deadlineMs)
      await write(REQUEST_IN_ORDER, deadlineMs)
      const byte = await answer
      return byte === null ? null : isPaperEnd(byte) ? 'paper-out' : 'worked-through'
    },
  }
}

export interface PrinterCounts {
  readonly printer: PrinterStatistics
  readonly drawer: DrawerStatistics
  condition(condition: PrinterCondition): void
  communicationError(): void
  printed(work: JobWork): void
  kicked(isOpen: boolean): void
}

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

  function countFault(detail: PrinterTrouble): void {
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
      // A printer without an answer may still have the earlier fault, so the fault is neither ended nor counted again.
      if (condition.kind === 'silent') return
      const before = trouble
      trouble = condition.kind === 'trouble' ? condition.detail : null
      if (trouble !== null && trouble !== before) countFault(trouble)
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
