import type { CollectorNumber } from '../contracts/core/ids.ts'
import type { ReceiptDocument } from '../contracts/core/receipt.ts'
import type { MaskedBytes, TracedMessage } from './serial/channel.ts'
import type { Trouble, TroubleKind } from '../contracts/operations/diagnostics.ts'
import type { Measure } from '../contracts/catalog/measure.ts'

/**
 * The interfaces of the drivers. Drivers know nothing of sales. The model is UnifiedPOS: a device is opened, claims its
 * wire, delivers while enabled, reports its health and its statistics, and is closed. Its status events are `onHealth`;
 * its error events are the reads of kind `unreadable`.
 */
export type HealthState = 'connecting' | 'ready' | 'unavailable' | 'needs-attention'

export interface Health {
  readonly state: HealthState
  /**
   * Short technical reason of the state in English, for the diagnostics screen. It never contains data received over
   * the wire.
   */
  readonly detail: string | null
}

export interface Device {
  readonly health: Health
  /** Checks the device now instead of at the next attempt or poll, for example after a cable was reconnected. */
  checkHealth(): Promise<Health>
  /** Stops delivery, closes the wire, and waits until it is closed. May be called twice. */
  close(): Promise<void>
}

/** Counts since the device was opened, for the diagnostics screen. They contain no data received over the wire. */
export interface InputStatistics {
  /** How often the wire was claimed, and how often it was lost. */
  readonly connections: number
  readonly disconnections: number
  readonly bytes: number
  readonly frames: number
  /** Number of bytes outside any message. */
  readonly noiseBytes: number
  /**
   * Numbers of reads that were understood, of cards of other programs, and of reads that the person was asked to
   * repeat.
   */
  readonly reads: number
  readonly refused: number
  readonly unreadable: number
  /** Number of events dropped because they waited too long for the device to be enabled. */
  readonly stale: number
}

/**
 * UnifiedPOS statistics of a POSPrinter that our encoder knows or the printer reports. A job counts when the printer
 * confirmed it, or received all of it and cannot confirm; an uncertain job counts as not printed.
 */
export interface PrinterStatistics {
  /** How often the printer could not be reached, lost its wire or stopped answering. */
  readonly communicationErrorCount: number
  readonly receiptLinePrintedCount: number
  readonly receiptCharacterPrintedCount: number
  readonly barcodePrintedCount: number
  readonly paperCutCount: number
  /** How often the status changed to cutter failure, any fault, overheated head and open cover. */
  readonly failedPaperCutCount: number
  readonly printerFaultCount: number
  readonly maximumTempReachedCount: number
  readonly receiptCoverOpenCount: number
}

/**
 * UnifiedPOS statistics of a CashDrawer with a wired switch: how often it was open, and how often not, after the kick
 * of a confirmed job.
 */
export interface DrawerStatistics {
  readonly drawerGoodOpenCount: number
  readonly drawerFailedOpenCount: number
}

export interface LineDisplayStatistics {
  readonly onlineTransitionCount: number
  readonly communicationErrorCount: number
}

/** Identity reported by a printer: printable ASCII of at most eighty characters each, null if not reported. */
export interface PrinterIdentity {
  readonly manufacturerName: string | null
  readonly modelName: string | null
  readonly firmwareRevision: string | null
  readonly serialNumber: string | null
}

/** A card reader or a scanner. `ready` means that its wire is open and locked against other programs. */
export interface InputDevice extends Device {
  readonly enabled: boolean
  /**
   * Whether events are delivered. While disabled, the wire is still read and watched; reads wait and are dropped when
   * they are stale.
   */
  setEnabled(enabled: boolean): void
  readonly statistics: InputStatistics
  readonly trace: readonly TracedMessage[]
}

/** An event of a card reader. Track data never leaves the driver. */
export type CardRead =
  | { readonly kind: 'program-card'; readonly collectorNumber: CollectorNumber }
  | { readonly kind: 'staff-badge'; readonly number: string }
  /** A well-formed card of another issuer, such as a payment card, whose bytes were overwritten. */
  | { readonly kind: 'foreign-card' }
  | { readonly kind: 'unreadable' }

/**
 * Code of an item. With a `measure` it comes from the label of one piece: `code` is then the item's number within the
 * label, not the printed barcode, and `base` is the barcode of the same label with a price or weight of 0. `lot` and
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

/** An event of a scanner, classified by symbology and the profile's patterns. */
export type Scan =
  | ScannedItem
  | { readonly kind: 'collector'; readonly collectorNumber: CollectorNumber }
  | { readonly kind: 'receipt'; readonly saleId: string }
  | { readonly kind: 'staff-badge'; readonly number: string }
  /** Complete content of the QR code of an enrolment sheet. It contains a secret. */
  | { readonly kind: 'enrolment'; readonly ticket: string }
  | { readonly kind: 'unknown'; readonly code: string }
  /** Track data of a payment card, typed or scanned into the scanner's wire: rejected and wiped. */
  | { readonly kind: 'foreign-card' }
  /**
   * A scan that did not arrive as text: partial, too long, or with bytes that are not characters. Its content is
   * dropped.
   */
  | { readonly kind: 'unreadable' }

export interface DeviceListener<Event> {
  readonly onEvent: (event: Event) => void
  readonly onHealth: (health: Health) => void
  /** Bytes received by an input device, with every digit and letter masked, for an installer. */
  readonly onMaskedBytes?: ((bytes: MaskedBytes) => void) | undefined
}

/**
 * Outcome of a print job. sent: every byte was written, and the device cannot confirm. confirmed: the device reported
 * that it printed. failed: nothing was printed (no connection, or the device refused before the first byte). unknown:
 * some bytes were written and the outcome is not known. Only a person decides whether to print again.
 */
export type PrintOutcome = {
  readonly state: 'sent' | 'confirmed' | 'unknown' | 'failed'
  readonly detail: string | null
}

export interface PrintRequest {
  readonly document: ReceiptDocument
  readonly openDrawer: boolean
  /** Number of the copy: 0 is the original; from 1 on the document itself is marked as a copy. */
  readonly copy: number
}

export type DrawerPosition = 'open' | 'closed'
/**
 * State of the drawer's switch, if it is wired to the printer; null when the printer cannot be reached, so that the
 * state is unknown.
 */
export interface PrinterEvent {
  readonly kind: 'drawer'
  readonly position: DrawerPosition | null
}

export interface Printer extends Device {
  readonly drawer: DrawerPosition | null
  readonly identity: PrinterIdentity | null
  readonly statistics: PrinterStatistics
  readonly drawerStatistics: DrawerStatistics | null
  /** Prints one job; concurrent calls are queued. Never throws and never prints twice. */
  print(request: PrintRequest): Promise<PrintOutcome>
}

export interface LineDisplay extends Device {
  readonly statistics: LineDisplayStatistics
  /** Shows both lines, each cut to twenty characters, and shows them again after a lost connection. Never throws. */
  show(upper: string, lower: string): void
}

/*
 * Classifies the detail of a device's health for messages in the reader's language. This is the only code that parses
 * the detail. It belongs to the hardware because the drivers, the system and the printers write these details.
 */
const KINDS: readonly (readonly [RegExp, TroubleKind])[] = [
  [/in use by|lock|busy|temporarily unavailable/i, 'in-use'],
  [/permission denied|access denied|EACCES|EPERM/i, 'not-allowed'],
  [/no such|file not found|ENOENT|ENODEV|ENXIO/i, 'not-there'],
  [/unplugged|the wire was lost|\bEIO\b|input.output error|bad file descriptor/i, 'unplugged'],
  [/ECONNREFUSED/, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, 'unreachable'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-name'],
  [/accepted no (?:more )?data|still blocks/, 'stalled'],
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
  [/does not report its status|cannot be asked|stopped answering/, 'printer-silent'],
  [/did not confirm the job/, 'not-confirmed'],
]

export function troubleOf(detail: string | null): Trouble | null {
  if (detail === null) return null
  const kind = KINDS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'other'
  return { kind, holder: /in use by (.+)$/.exec(detail)?.[1] ?? null, code: /\bE[A-Z]{2,}\b/.exec(detail)?.[0] ?? null }
}
