import type { CollectorNumber } from '../contracts/core/ids.ts'
import type { ReceiptDocument } from '../contracts/core/receipt.ts'
import type { MaskedBytes, TracedMessage } from './serial/channel.ts'
import type { Trouble, TroubleKind } from '../contracts/operations/diagnostics.ts'
import type { Measure } from '../contracts/catalog/measure.ts'

/**
 * The small interfaces behind which the drivers stand. They know nothing of sales.
 * The model is UnifiedPOS: a device is opened, claims its wire, delivers while enabled, reports its health and its
 * statistics, and is closed. Its status events are `onHealth`; its error events are the reads of kind `unreadable`.
 */
export type HealthState = 'connecting' | 'ready' | 'unavailable' | 'needs-attention'

export interface Health {
  readonly state: HealthState
  /** A short technical reason in English, for the diagnostics screen. Never holds data that came over the wire. */
  readonly detail: string | null
}

export interface Device {
  readonly health: Health
  /** Looks now instead of when the next attempt or question is due: for a person who has just put the cable back. */
  checkHealth(): Promise<Health>
  /** Stops delivery, closes the wire and waits for it. Safe to call twice. */
  close(): Promise<void>
}

/** Counts since the device was opened, for the diagnostics screen. None holds data that came over the wire. */
export interface InputStatistics {
  /** How often its wire was claimed, and how often a claimed wire was lost. */
  readonly connections: number
  readonly disconnections: number
  readonly bytes: number
  /** Messages that came whole, whatever they said. */
  readonly frames: number
  /** Bytes that meant nothing. */
  readonly noiseBytes: number
  /** What was understood, what was a card of somebody else, and what a person was told to present again. */
  readonly reads: number
  readonly refused: number
  readonly unreadable: number
  /** Events that waited too long for the device to be enabled, and were dropped. */
  readonly stale: number
}

/**
 * What UnifiedPOS counts of a POSPrinter, as far as our encoder knows it or the printer says it. What a job held is
 * counted when the printer confirmed the job, or took all of it and cannot say more; a job in doubt is counted as
 * nothing printed.
 */
export interface PrinterStatistics {
  /** How often the printer could not be reached, its wire was lost, or it answered no more. */
  readonly communicationErrorCount: number
  readonly receiptLinePrintedCount: number
  /** Characters other than spaces. */
  readonly receiptCharacterPrintedCount: number
  /** Barcodes and QR codes. */
  readonly barcodePrintedCount: number
  readonly paperCutCount: number
  /** How often its status began to tell of a cutter that failed, of any fault, of a head too hot, of an open cover. */
  readonly failedPaperCutCount: number
  readonly printerFaultCount: number
  readonly maximumTempReachedCount: number
  readonly receiptCoverOpenCount: number
}

/**
 * What UnifiedPOS counts of a CashDrawer whose switch is wired: kicks of confirmed jobs after which it stood open, or
 * did not.
 */
export interface DrawerStatistics {
  readonly drawerGoodOpenCount: number
  readonly drawerFailedOpenCount: number
}

/** What UnifiedPOS counts of a LineDisplay. */
export interface LineDisplayStatistics {
  /** How often its wire was claimed, and how often a claimed wire was lost. */
  readonly onlineTransitionCount: number
  readonly communicationErrorCount: number
}

/** What a printer says it is: printable ASCII, at most eighty characters each; null where it does not say. */
export interface PrinterIdentity {
  readonly manufacturerName: string | null
  readonly modelName: string | null
  readonly firmwareRevision: string | null
  readonly serialNumber: string | null
}

/** A device that reads: a card reader or a scanner. `ready` means that its wire is claimed: nobody else can open it. */
export interface InputDevice extends Device {
  readonly enabled: boolean
  /**
   * Events are delivered while enabled. Meanwhile the wire is read and watched all the same; what is read waits, and is
   * dropped when it is stale.
   */
  setEnabled(enabled: boolean): void
  readonly statistics: InputStatistics
  /** The newest messages of its wire, masked. */
  readonly trace: readonly TracedMessage[]
}

/** What came over a card reader's wire. Track data never leaves the driver. */
export type CardRead =
  | { readonly kind: 'program-card'; readonly collectorNumber: CollectorNumber }
  /** A badge of the store's staff. */
  | { readonly kind: 'staff-badge'; readonly number: string }
  /** A well-formed card that is not the program's (a payment card): its bytes were overwritten. */
  | { readonly kind: 'foreign-card' }
  | { readonly kind: 'unreadable' }

/**
 * An item's code. With a `measure` it is a label of one piece: `code` is then the item's number within the label and
 * not what stands under the bars, and `base` the barcode of the same label with a price or weight of 0. `lot` and
 * `expiry` (YYYY-MM-DD) come from GS1 element strings.
 */
export interface ScannedItem {
  readonly kind: 'item'
  readonly code: string
  readonly measure?: Measure
  readonly base?: string
  readonly lot?: string
  readonly expiry?: string
}

/** What came over a scanner's wire, classified by symbology and the profile's patterns. */
export type Scan =
  | ScannedItem
  | { readonly kind: 'collector'; readonly collectorNumber: CollectorNumber }
  | { readonly kind: 'receipt'; readonly saleId: string }
  | { readonly kind: 'staff-badge'; readonly number: string }
  /** The QR code of an enrolment sheet, whole: it holds a secret. */
  | { readonly kind: 'enrolment'; readonly ticket: string }
  | { readonly kind: 'unknown'; readonly code: string }
  /** Track data of a payment card typed or scanned into the scanner's wire: refused and wiped. */
  | { readonly kind: 'foreign-card' }
  /**
   * Something was scanned and arrived as no text: in part, too long, or in bytes that are no characters. Nothing of it
   * is passed on.
   */
  | { readonly kind: 'unreadable' }

export interface DeviceListener<Event> {
  readonly onEvent: (event: Event) => void
  readonly onHealth: (health: Health) => void
  /** Of an input device, for an installer who looks at the wire: what arrived, with every digit and letter masked. */
  readonly onMaskedBytes?: ((bytes: MaskedBytes) => void) | undefined
}

/**
 * sent: every byte was handed to the wire, and the device could not say more.
 * confirmed: the device itself said that it printed.
 * failed: provably nothing was printed (no connection, or the device refused before the first byte).
 * unknown: some bytes left and the outcome is not known. Only a person decides whether to print again.
 */
export type PrintOutcome = {
  readonly state: 'sent' | 'confirmed' | 'unknown' | 'failed'
  readonly detail: string | null
}

export interface PrintRequest {
  readonly document: ReceiptDocument
  readonly openDrawer: boolean
  /** Number of the copy: 0 the original; from 1 the paper is marked as a copy by the document itself. */
  readonly copy: number
}

export type DrawerPosition = 'open' | 'closed'
/** The drawer's switch, where it is wired to the printer. null: the printer cannot be asked, and nobody knows. */
export interface PrinterEvent {
  readonly kind: 'drawer'
  readonly position: DrawerPosition | null
}

export interface Printer extends Device {
  /** null where no drawer switch is wired, or the printer has not said. */
  readonly drawer: DrawerPosition | null
  /** null until it has said, and where it does not. */
  readonly identity: PrinterIdentity | null
  readonly statistics: PrinterStatistics
  /** null where no drawer switch is wired. */
  readonly drawerStatistics: DrawerStatistics | null
  /** Prints one job; calls are served one after another. Never throws and never prints twice. */
  print(request: PrintRequest): Promise<PrintOutcome>
}

/** The customer's line display: two lines of twenty characters. */
export interface LineDisplay extends Device {
  readonly statistics: LineDisplayStatistics
  /** Shows both lines, cut to twenty characters; after a lost wire, again. Never throws. */
  show(upper: string, lower: string): void
}

/*
 * What kind of trouble a device's health tells of, for words in the language of whoever reads them. The detail stays
 * what a technician may search for; this is its only reader. It stands here because the drivers, the system and the
 * printers write these details.
 */
const KINDS: readonly (readonly [RegExp, TroubleKind])[] = [
  [/in use by|lock|busy|temporarily unavailable/i, 'in-use'],
  [/permission denied|access denied|EACCES|EPERM/i, 'not-allowed'],
  [/no such|file not found|ENOENT|ENODEV|ENXIO/i, 'not-there'],
  [/unplugged|the wire was lost|\bEIO\b|input.output error|bad file descriptor/i, 'unplugged'],
  [/ECONNREFUSED/, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, 'unreachable'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-name'],
  [/took no more data|still blocks/, 'stalled'],
  [/within \d+ ms|ETIMEDOUT/, 'no-answer'],
  [/closed by the device|ECONNRESET|EPIPE/, 'closed'],
  [/not open yet|not connected|was closed|port is closed/, 'not-open'],
  [/without a virtual bench/, 'no-bench'],
  [/^paper out/, 'paper-out'],
  [/^paper is low/, 'paper-low'],
  [/^cover open/, 'cover-open'],
  [/^cutter error/, 'cutter-error'],
  [/^print head too hot/, 'too-hot'],
  [/^printer error/, 'printer-error'],
  [/^printer offline/, 'printer-offline'],
  [/does not report its status|cannot be asked|stopped answering|answers no more/, 'printer-silent'],
  [/did not confirm the job/, 'not-confirmed'],
]

/** null for a health without a detail. */
export function troubleOf(detail: string | null): Trouble | null {
  if (detail === null) return null
  const kind = KINDS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'other'
  return { kind, holder: /in use by (.+)$/.exec(detail)?.[1] ?? null, code: /\bE[A-Z]{2,}\b/.exec(detail)?.[0] ?? null }
}
