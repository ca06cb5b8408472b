/**
 * Distinguishes a keyboard-wedge scanner from a person by pace and suffix. A person's keys are 60 to 300 ms apart,
 * occasionally two or three of them closer; six in a row at this pace are over 1,000 keys a minute.
 */
const PACE_MS = 50
const MIN_SCAN_KEYS = 6
/**
 * How long a certain scan without a suffix waits for more keys, in milliseconds: a busy system delivers keys in
 * batches, and half a number is another number.
 */
const SCAN_PAUSE_MS = 200
/** The longest line that the terminal accepts (POST /api/devices/keys). */
const MAX_SCAN_KEYS = 512
/** A suffix may lag behind the code, or be two keys (CR, LF). It belongs to the scan and presses no button. */
const SUFFIX_MS = 150

export interface Stroke {
  readonly key: string
  /** Time of the key press in milliseconds, from the system: independent of a busy page. */
  readonly at: number
}

export interface KeyBurstEvents<Typed extends Stroke> {
  /** The keys of a scan without its suffix; null when there were too many, or the first are missing. */
  readonly onScan: (strokes: readonly Typed[] | null) => void
  /** Keys of a person in order, held back until they were recognized as typing. */
  readonly onTyping: (strokes: readonly Typed[]) => void
}

export interface KeyBurst<Typed extends Stroke> {
  /** hold: no other listener may see this key now; pass: the key has its normal effect. */
  press(stroke: Typed): 'hold' | 'pass'
  /** Completes the held keys: another event occurred, or no key for `paceMs`. */
  complete(): void
  readonly holds: boolean
  /** The pause that completes the held keys, in milliseconds. */
  readonly paceMs: number
}

/** A dead key, which waits for its letter: the system keeps it, and a page cannot. */
export const DEAD = 'Dead'
/** Modifier keys, which type nothing. */
const MODIFIER_KEYS = new Set(['Shift', 'CapsLock'])
const SUFFIXES = new Set(['Enter', 'Tab'])
const writes = (key: string): boolean => [...key].length === 1

export function createKeyBurst<Typed extends Stroke>(events: KeyBurstEvents<Typed>): KeyBurst<Typed> {
  let held: Typed[] = []
  /** The held keys are incomplete: half a number is another item's number. */
  let isIncomplete = false
  /** The held keys are the rest of a scan that was already reported, however short. */
  let isRest = false
  /** A suffix followed the held keys. */
  let hasSuffix = false
  let lastAt = -Infinity
  let scannedAt = -Infinity
  /** Time of the last key of a scan that a pause completed: a key pressed right after belongs to it. */
  let endedByPauseAt = -Infinity
  let returnedAt = -Infinity

  const isScan = (): boolean => isRest || held.length >= MIN_SCAN_KEYS
  /** A QR code or Data Matrix may contain line ends; a number is complete with its suffix. */
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
    // The previous keys passed as typing or as a complete scan, because the page was too busy to receive these in time.
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
      // A leading space presses a button; no code begins with one.
      if ((!writes(key) && key !== DEAD) || (key === ' ' && held.length === 0)) {
        complete()
        return 'pass'
      }
      take(stroke)
      return key === DEAD ? 'pass' : 'hold'
    },
  }
}
