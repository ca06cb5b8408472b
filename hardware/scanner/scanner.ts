import { isUtf8 } from 'node:buffer'
import type { ByteConnection, CardPatterns } from '../../contracts/profile.ts'
import type { Device, DeviceListener, Scan } from '../device.ts'
import { programCards } from '../msr/program-card.ts'
import { createFramer } from '../serial/framer.ts'
import { keepLine } from '../serial/line.ts'
import { classifyScan } from './classify.ts'

/** A QR code of version 10 holds less; what a lane scans is far shorter. */
const LONGEST_SCAN = 512
const SILENCE_MS = 80
/** A port that is plugged in or switched on may cough up a byte or two: nobody has scanned. */
const SHORTEST_SCAN = 3

export interface ScannerConfig {
  readonly connection: ByteConnection
  readonly patterns: CardPatterns
}

/**
 * Line noise and no scan: bytes that are neither text nor a separator of a structured code (FS, GS, RS, US).
 * A code in UTF-8 is text.
 */
function isNoise(frame: Uint8Array): boolean {
  return frame.some((byte) => byte < 0x1c || byte === 0x7f) || !isUtf8(frame)
}

/** A barcode scanner: one event per scan. Payment card numbers yield `foreign-card` and their bytes are overwritten; what is no text yields `unreadable`. */
export function openScanner({ connection, patterns }: ScannerConfig, listener: DeviceListener<Scan>): Device {
  const cards = programCards(patterns)
  let closed = false
  let sendsSuffix = false
  // Later, when the framer and the channel have wiped what they hold.
  const tell = (scan: Scan): void => { queueMicrotask(() => { if (!closed) listener.onEvent(scan) }) }
  const framer = createFramer({ maxLength: LONGEST_SCAN, interByteMs: SILENCE_MS }, {
    onFrame: (frame, ended) => {
      if (ended === 'suffix') sendsSuffix = true
      // From a scanner that ends its scans, a frame without an end lost its tail: half a number is another item's number.
      const cutOff = ended === 'silence' && sendsSuffix
      if (!cutOff && !isNoise(frame)) tell(classifyScan(frame, cards))
      // Somebody waits for what was scanned: silence would be taken for a scan that was rung.
      else if (ended === 'suffix' || frame.length >= SHORTEST_SCAN) tell({ kind: 'unreadable' })
    },
    onOverflow: () => { tell({ kind: 'unreadable' }) },
    onSilence: () => undefined,
  })
  const line = keepLine(connection, {
    onData: (bytes) => { framer.push(bytes) },
    onBreak: () => { framer.reset() },
    onHealth: listener.onHealth,
  })
  return {
    get health() { return line.health },
    async close() {
      closed = true
      await line.close()
      framer.reset()
    },
  }
}
