import { isUtf8 } from 'node:buffer'
import type { ByteConnection, EmbeddedLayout, Framing } from '../../contracts/core/profile.ts'
import type { DeviceListener, InputDevice, Scan } from '../device.ts'
import { openInputDevice } from '../input-device.ts'
import { type ReadPatterns, programCards } from '../msr/program-card.ts'
import { type Symbology, identify } from './aim.ts'
import { scanClassifier } from './classify.ts'

/** A QR code of version 10 holds less; what a lane scans is far shorter. */
const LONGEST_SCAN = 512
const SILENCE_MS = 80
/** A port that is plugged in or switched on may cough up a byte or two: nobody has scanned. */
const SHORTEST_SCAN = 3

/** Shown for a code of several lines, of which nothing can be rung. */
const CODE_OF_LINES = '…'
/** QR, Data Matrix, Aztec and PDF417, by their AIM identifiers. */
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
  /** How the store's own labels carry prices and weights. */
  readonly embedded?: readonly EmbeddedLayout[] | undefined
  /** Left out: events are delivered from the first. */
  readonly enabled?: boolean
}

/**
 * Line noise and no scan: bytes that are neither text nor a separator of a structured code (FS, GS, RS, US).
 * A code in UTF-8 is text.
 */
function isNoise(frame: Uint8Array): boolean {
  return frame.some((byte) => byte < 0x1c || byte === 0x7f) || !isUtf8(frame)
}

/**
 * A barcode scanner: one event per scan. Payment card numbers yield `foreign-card` and their bytes are overwritten.
 * What is no text yields `unreadable`, once until the wire is silent; a flood of it yields nothing.
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
      /** A scan arrived that could not be read, and nobody was told yet. */
      let owesWord = false
      function notifyUnreadable(): void {
        if (owesWord && !noise.flooded) notify({ kind: 'unreadable' }, 'unreadable')
        owesWord = false
      }
      /** A code that may hold line ends: what follows without a silence and without an identifier belongs to it. */
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
          // From a scanner that ends its scans, a frame without an end lost its tail: half a number is another item's
          // number.
          const cutOff = ended === 'silence' && sendsSuffix
          // A sign or two among noise are chance.
          const rng = noise.flooded || (owesWord && bytes.length < SHORTEST_SCAN)
          if (cutOff || rng || isNoise(bytes)) {
            noise.add(bytes.length)
            // Somebody waits for what was scanned: silence would be taken for a scan that was rung.
            owesWord ||= ended === 'suffix' || bytes.length >= SHORTEST_SCAN
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
          owesWord = true
        },
        silence() {
          release()
          notifyUnreadable()
        },
        reset() {
          owesWord = false
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
 * For a scanner that types as a keyboard does: says what such a line of text is. Anybody can type, so that a
 * collector's number from here is a keyed one, whatever it looks like: that is for the caller to keep.
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
