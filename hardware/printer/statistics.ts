import type { DrawerStatistics, PrinterStatistics } from '../device.ts'
import type { JobWork } from './encode.ts'
import type { PrinterCondition, PrinterTrouble } from './talk.ts'

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
