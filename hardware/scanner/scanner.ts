import { isUtf8 } from 'node:buffer'
import type { ByteConnection, EmbeddedLayout, Framing } from '../../contracts/core/profile.ts'
import type { DeviceListener, InputDevice, Scan } from '../device.ts'
import { openInputDevice } from '../input-device.ts'
import { type ReadPatterns, programCards } from '../msr/program-card.ts'
import { type Symbology, identify } from './symbology-identifiers.ts'
import { scanClassifier } from './classify.ts'

/** Maximum length of a scan, above the capacity of a QR code of version 10; scanned codes are far shorter. */
const LONGEST_SCAN = 512
const SILENCE_MS = 80
/**
 * Minimum number of bytes of an unreadable scan without a suffix, and of a scan right after unreadable data: a port may
 * emit a byte or two when it is plugged in or switched on.
 */
const SHORTEST_SCAN = 3

/** Shown in place of a code of several lines, which no item has. */
const CODE_OF_LINES = '…'
const TWO_DIMENSIONAL: ReadonlySet<Symbology> = new Set([
  'qr',
  'gs1-qr',
  'data-matrix',
  'gs1-data-matrix',
  'aztec',
  'pdf417',
])
const mayHoldLineEnd = (bytes: Uint8Array): boolean => TWO_DIMENSIONAL.has(identify(bytes).symbology)

export interface ScannerConfig {
  readonly connection: ByteConnection
  readonly patterns: ReadPatterns
  readonly framing?: Framing | undefined
  readonly embedded?: readonly EmbeddedLayout[] | undefined
  readonly enabled?: boolean
}

/** Whether the bytes are noise: not UTF-8, or with control characters other than the separators FS, GS, RS and US. */
function isNoise(frame: Uint8Array): boolean {
  return frame.some((byte) => byte < 0x1c || byte === 0x7f) || !isUtf8(frame)
}

/**
 * Driver of a barcode scanner, with one event per scan. A payment card number yields `foreign-card`, and its bytes are
 * overwritten. Data that is not text yields one `unreadable`, and no other until the wire is silent; a flood of noise
 * yields nothing.
 */
export function openScanner(
  { connection, patterns, framing, embedded, enabled = true }: ScannerConfig,
  listener: DeviceListener<Scan>,
): InputDevice {
  const classify = scanClassifier(programCards(patterns), embedded)
  return openInputDevice(
    { connection, framing, enabled, longestFrame: LONGEST_SCAN, silenceMs: SILENCE_MS },
    listener,
    (notify, noise) => {
      let sendsSuffix = framing !== undefined && framing.suffix !== 'any' && framing.suffix !== 'none'
      let pendingUnreadable = false
      function notifyUnreadable(): void {
        if (pendingUnreadable && !noise.isFlooded) notify({ kind: 'unreadable' }, 'unreadable')
        pendingUnreadable = false
      }
      /**
       * First line of a two-dimensional code, which may contain line ends. It is held until the wire is silent or a
       * symbology identifier arrives: data before that belongs to the same code.
       */
      let held: Buffer | null = null
      let holdsLineEnd = false
      function forget(): void {
        held?.fill(0)
        held = null
        holdsLineEnd = false
      }
      function release(): void {
        if (held === null) return
        const scan: Scan = holdsLineEnd ? { kind: 'unknown', code: CODE_OF_LINES } : classify(held)
        forget()
        notify(scan, scan.kind === 'foreign-card' ? 'refused' : 'read')
      }
      return {
        frame(bytes, ended) {
          if (ended === 'suffix') sendsSuffix = true
          if (held !== null && identify(bytes).length === 0) {
            holdsLineEnd = true
            return
          }
          release()
          // If the scanner sends suffixes, a frame without one is cut off: a part of a number would be another item's
          // number.
          const cutOff = ended === 'silence' && sendsSuffix
          const rng = noise.isFlooded || (pendingUnreadable && bytes.length < SHORTEST_SCAN)
          if (cutOff || rng || isNoise(bytes)) {
            noise.add(bytes.length)
            // A cut-off scan is reported, because a cashier would take silence for a successful scan.
            pendingUnreadable ||= ended === 'suffix' || bytes.length >= SHORTEST_SCAN
            return
          }
          notifyUnreadable()
          if (mayHoldLineEnd(bytes) && ended === 'suffix') {
            held = Buffer.from(bytes)
            return
          }
          const scan = classify(bytes)
          notify(scan, scan.kind === 'foreign-card' ? 'refused' : 'read')
        },
        dropped(bytes) {
          noise.add(bytes)
          if (held !== null) {
            holdsLineEnd = true
            return
          }
          pendingUnreadable = true
        },
        silence() {
          release()
          notifyUnreadable()
        },
        reset() {
          pendingUnreadable = false
          forget()
        },
      }
    },
  )
}

export interface KeyboardConfig {
  readonly patterns: ReadPatterns
  readonly embedded?: readonly EmbeddedLayout[] | undefined
}

/**
 * Classifies a line of text from a keyboard scanner. A person may also have typed it, so the caller must treat its
 * collector number as keyed.
 */
export function keyboardScans({ patterns, embedded }: KeyboardConfig): (text: string) => Scan {
  const classify = scanClassifier(programCards(patterns), embedded)
  return (text) => {
    const bytes = Buffer.alloc(text.length, text, 'latin1')
    try {
      return classify(bytes)
    } finally {
      bytes.fill(0)
    }
  }
}
