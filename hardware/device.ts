import type { CollectorNumber } from '../contracts/core/ids.ts'
import type { ReceiptDocument } from '../contracts/core/receipt.ts'
import type { MaskedBytes, TracedMessage } from './serial/channel.ts'
import type { Trouble, TroubleKind } from '../contracts/operations/diagnostics.ts'
import type { Measure } from '../contracts/catalog/measure.ts'

/**
 * The interfaces of the drivers, which know nothing of sales. The model is UnifiedPOS: a device is opened, locks its
 * wire, delivers while enabled, reports its health and its statistics, and is closed. Its status events are `onHealth`;
 * its error events are the reads of kind `unreadable`.
 */
export type HealthState = 'connecting' | 'ready' | 'unavailable' | 'needs-attention'

export interface Health {
  readonly state: HealthState
  readonly detail: string | null
}

export interface Device {
  readonly health: Health
  /**
   * Checks the device now instead of at the next attempt to connect or the next poll, for example after a cable was
   * reconnected.
   */
  checkHealth(): Promise<Health>
  close(): Promise<void>
}

/** Counts since the device was opened, for the diagnostics screen. They contain no data received over the wire. */
export interface InputStatistics {
  readonly connections: number
  readonly disconnections: number
  readonly bytes: number
  readonly frames: number
  readonly noiseBytes: number
  /**
   * Numbers of reads that were understood, of cards of other issuers, and of unreadable reads, which the person was
   * asked to repeat.
   */
  readonly reads: number
  readonly refused: number
  readonly unreadable: number
  /** Number of events dropped because they waited too long for the device to be enabled or the buffer was full. */
  readonly stale: number
}

export interface PrinterStatistics {
  readonly communicationErrorCount: number
  readonly receiptLinePrintedCount: number
  readonly receiptCharacterPrintedCount: number
  readonly barcodePrintedCount: number
  readonly paperCutCount: number
  readonly failedPaperCutCount: number
  readonly printerFaultCount: number
  readonly maximumTempReachedCount: number
  readonly receiptCoverOpenCount: number
}

/**
 * UnifiedPOS statistics of a CashDrawer with a wired switch: after how many confirmed jobs that should open a closed
 * drawer the switch reported it open, and after how many still closed.
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
 * Code of an item. With a `measure` it comes from the label of one piece. With a `base` too, the label is an EAN-13
 * with an embedded price or weight: `code` is then the item's number within it, and `base` is the barcode of the same
 * label with a price or weight of 0. `lot` and `expiry` (YYYY-MM-DD) come from GS1 element strings and GS1 Digital
 * Links.
 */
export interface ScannedItem {
  readonly kind: 'item'
  readonly code: string
  readonly measure?: Measure
  readonly base?: string
  readonly lot?: string
  readonly expiry?: string
}

export type Scan =
  | ScannedItem
  | { readonly kind: 'collector'; readonly collectorNumber: CollectorNumber }
  | { readonly kind: 'receipt'; readonly saleId: string }
  | { readonly kind: 'staff-badge'; readonly number: string }
  /** Complete content of the QR code of an enrolment sheet. It contains a secret. */
  | { readonly kind: 'enrolment'; readonly ticket: string }
  | { readonly kind: 'unknown'; readonly code: string }
  /** The number of a payment card, or track data of a card of another issuer: rejected and wiped. */
  | { readonly kind: 'foreign-card' }
  /**
   * A scan that did not arrive as text: partial, too long, or with bytes that are not characters. Its content is
   * dropped.
   */
  | { readonly kind: 'unreadable' }

export interface DeviceListener<Event> {
  readonly onEvent: (event: Event) => void
  readonly onHealth: (health: Health) => void
  readonly onMaskedBytes?: ((bytes: MaskedBytes) => void) | undefined
}

/**
 * Outcome of a print job. sent: every byte was written, and the printer cannot confirm. confirmed: the printer reported
 * that it printed. failed: nothing was printed (no connection, or the printer refused before the first byte). unknown:
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
/** State of the drawer's switch, if it is wired to the printer; null while the printer cannot be reached. */
export interface PrinterEvent {
  readonly kind: 'drawer'
  readonly position: DrawerPosition | null
}

export interface Printer extends Device {
  readonly drawer: DrawerPosition | null
  readonly identity: PrinterIdentity | null
  readonly statistics: PrinterStatistics
  readonly drawerStatistics: DrawerStatistics | null
  /** Prints one job after those that were requested before it. Never throws and never prints twice. */
  print(request: PrintRequest): Promise<PrintOutcome>
}

export interface LineDisplay extends Device {
  readonly statistics: LineDisplayStatistics
  /** Shows both lines, each cut to twenty characters, and shows them again after a lost connection. Never throws. */
  show(upper: string, lower: string): void
}

/**
 * A reading of a scale. Only `stable` and `zero` have a weight. unstable: the load moves. over: above the capacity.
 * under: below zero. not-zeroed: the scale did not find its zero when it was switched on. fault: the scale reports an
 * error of its own.
 */
export type ScaleReading =
  | { readonly state: 'stable' | 'zero'; readonly weight: ScaleWeight }
  | { readonly state: 'unstable' | 'over' | 'under' | 'not-zeroed' | 'fault'; readonly weight: null }

export interface ScaleWeight {
  readonly thousandths: number
  readonly unit: 'kg' | 'lb'
  /** Number of decimals that the scale sends; screens show as many. */
  readonly decimals: number
  /** Whether the scale has subtracted a tare that was set at the scale. */
  readonly isNet: boolean
}

export type ScaleStatistics = Omit<InputStatistics, 'refused' | 'stale'>

/** A scale, whose events are changes of its reading; null without a valid reply. `ready`: it answers requests. */
export interface Scale extends Device {
  readonly reading: ScaleReading | null
  readonly statistics: ScaleStatistics
  readonly trace: readonly TracedMessage[]
}

/*
 * Classifies the English detail of a device's health into kinds, for which screens have messages in every language.
 * Only this code parses the detail: the drivers, the system and the printers write it.
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
  [/^the scale weighs in/, 'scale-unit'],
  [/^the scale (?:reports a fault|sends data|does not know)/, 'scale-fault'],
]

export function troubleOf(detail: string | null): Trouble | null {
  if (detail === null) return null
  const kind = KINDS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'other'
  return { kind, holder: /in use by (.+)$/.exec(detail)?.[1] ?? null, code: /\bE[A-Z]{2,}\b/.exec(detail)?.[0] ?? null }
}
