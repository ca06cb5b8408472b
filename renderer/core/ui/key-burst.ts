/**
 * Maximum time between two keys of a keyboard-wedge scanner, and minimum number of keys of a scan. A person's keys are
 * 60 to 300 ms apart, occasionally two or three of them closer; six in a row at the pace of a scanner are over 1,000
 * keys a minute.
 */
const PACE_MS = 50
const MIN_SCAN_KEYS = 6
/**
 * How long keys that are certainly a scan, but have no suffix, wait for more keys, in milliseconds: a busy system
 * delivers keys in batches, and half a number is another number.
 */
const SCAN_PAUSE_MS = 200
const MAX_SCAN_KEYS = 512
/**
 * Time in which a suffix may follow a code; a suffix may be two keys (CR, LF). It belongs to the scan and presses no
 * button.
 */
const SUFFIX_MS = 150

export interface Stroke {
  readonly key: string
  /** Time of the key press in milliseconds, from the system's event: independent of a busy page. */
  readonly at: number
}

export interface KeyBurstEvents<Typed extends Stroke> {
  /** Receives the keys of a scan without its suffix; null when there were too many, or the first are missing. */
  readonly onScan: (strokes: readonly Typed[] | null) => void
  /** Receives the keys of a person in order, which were held back until they were recognized as typing. */
  readonly onTyping: (strokes: readonly Typed[]) => void
}

export interface KeyBurst<Typed extends Stroke> {
  /** Returns `hold` if no other listener may see this key now, `pass` if the key has its normal effect. */
  press(stroke: Typed): 'hold' | 'pass'
  /** Reports the held keys as a scan or as typing. Must be called when another event occurs, or no key for `paceMs`. */
  complete(): void
  readonly holds: boolean
  readonly paceMs: number
}

/** Name of a dead key, which waits for its letter: the system remembers it, and a page cannot type it. */
export const DEAD = 'Dead'
const MODIFIER_KEYS = new Set(['Shift', 'CapsLock'])
const SUFFIXES = new Set(['Enter', 'Tab'])
const writes = (key: string): boolean => [...key].length === 1

export function createKeyBurst<Typed extends Stroke>(events: KeyBurstEvents<Typed>): KeyBurst<Typed> {
  let held: Typed[] = []
  /**
   * Whether keys are missing from the held ones, so that the scan is unreadable: half a number is another item's
   * number.
   */
  let isIncomplete = false
  /** Whether the held keys continue a scan that was already reported; they are then a scan, however short. */
  let isRest = false
  let hasSuffix = false
  let lastAt = -Infinity
  let scannedAt = -Infinity
  /** Time of the last key of a scan that a pause completed: a key pressed right after it belongs to the same scan. */
  let endedByPauseAt = -Infinity
  let returnedAt = -Infinity

  const isScan = (): boolean => isRest || held.length >= MIN_SCAN_KEYS
  /**
   * Whether the held keys may contain line ends, as a QR code or Data Matrix does; a number is complete with its
   * suffix.
   */
  const mayHoldLineEnd = (): boolean => isScan() && held.some(({ key }) => key < '0' || key > '9')

  function complete(): void {
    if (held.length === 0) return
    const strokes = held
    const scan = isScan()
    const unreadable = isIncomplete
    held = []
    isIncomplete = false
    isRest = false
    hasSuffix = false
    if (!scan) {
      returnedAt = lastAt
      return events.onTyping(strokes.filter(({ key }) => key !== DEAD))
    }
    scannedAt = lastAt
    endedByPauseAt = lastAt
    events.onScan(unreadable ? null : strokes)
  }

  function take(stroke: Typed): void {
    // If the previous keys were completed just before, this key belongs to them: the page was too busy to receive it in
    // time.
    if (held.length === 0) {
      isRest = stroke.at - endedByPauseAt <= PACE_MS
      isIncomplete = isRest || stroke.at - returnedAt <= PACE_MS
    }
    if (hasSuffix) isIncomplete = true
    if (held.length < MAX_SCAN_KEYS) held.push(stroke)
    else isIncomplete = true
    lastAt = stroke.at
  }

  return {
    get paceMs() {
      return isScan() && !hasSuffix ? SCAN_PAUSE_MS : PACE_MS
    },
    get holds() {
      return held.length > 0
    },
    complete,
    press(stroke) {
      const { key, at } = stroke
      if (MODIFIER_KEYS.has(key)) return 'pass'
      if (at - lastAt > PACE_MS) complete()
      if (SUFFIXES.has(key)) {
        if (mayHoldLineEnd()) {
          hasSuffix = true
          lastAt = at
          return 'hold'
        }
        complete()
        endedByPauseAt = -Infinity
        return at - scannedAt <= SUFFIX_MS ? 'hold' : 'pass'
      }
      // No code begins with a space; a space alone presses the focused button.
      if ((!writes(key) && key !== DEAD) || (key === ' ' && held.length === 0)) {
        complete()
        return 'pass'
      }
      take(stroke)
      return key === DEAD ? 'pass' : 'hold'
    },
  }
}
