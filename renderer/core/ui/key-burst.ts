/**
 * Tells a scanner that types as a keyboard from a person who types, by pace and suffix. A person's keys come 60 to 300
 * ms apart, now and then two or three of them closer; six in a row at this pace are over two hundred words a minute.
 */
const PACE_MS = 50
const SHORTEST_SCAN = 6
/**
 * What is a scan for certain and has no suffix yet waits so long for the rest of it, in milliseconds: a busy system
 * hands keys on in lumps, and half a number is another number.
 */
const SCAN_SILENCE_MS = 200
/** The longest line that the terminal takes (POST /api/devices/keys). */
const LONGEST_SCAN = 512
/** A suffix may lag behind the code, or be two keys (CR, LF). It belongs to the scan and presses no button. */
const SUFFIX_MS = 150

export interface Stroke {
  readonly key: string
  /** When the key went down, in milliseconds, as the system says: a busy page does not change it. */
  readonly at: number
}

export interface KeyBurstEvents<Typed extends Stroke> {
  /** The keys of a scanner, without its suffix; null when there were too many, or the first are not there. */
  readonly onScan: (strokes: readonly Typed[] | null) => void
  /** Keys of a person, in their order, held back until it was clear that they are. */
  readonly onTyping: (strokes: readonly Typed[]) => void
}

export interface KeyBurst<Typed extends Stroke> {
  /** hold: nobody else may see this key, now; pass: it means what it always means. */
  press(stroke: Typed): 'hold' | 'pass'
  /** Something else happened, or no key came for `paceMs`: what is held is complete. */
  settle(): void
  /** Keys are held back. */
  readonly holds: boolean
  /** How long a silence completes what is held now, in milliseconds. */
  readonly paceMs: number
}

/** The key of an accent that waits for its letter: the system keeps it, and a page cannot. */
export const DEAD = 'Dead'
/** Keys that change others and write nothing. */
const SILENT_KEYS = new Set(['Shift', 'CapsLock'])
const SUFFIXES = new Set(['Enter', 'Tab'])
const writes = (key: string): boolean => [...key].length === 1

export function createKeyBurst<Typed extends Stroke>(events: KeyBurstEvents<Typed>): KeyBurst<Typed> {
  let held: Typed[] = []
  /** What is held is not all of it: half a number is another item's number. */
  let torn = false
  /** What is held is the rest of a scan that was told before, however short. */
  let rest = false
  /** A suffix came behind what is held. */
  let ended = false
  let lastAt = -Infinity
  let scannedAt = -Infinity
  /** The last key of a scan whose end was a silence: a key that went down right after it belonged to it. */
  let endedBySilenceAt = -Infinity
  let givenBackAt = -Infinity

  const isScan = (): boolean => rest || held.length >= SHORTEST_SCAN
  /** A QR code or Data Matrix may hold line ends; a number is complete with its suffix. */
  const mayHoldLineEnd = (): boolean => isScan() && held.some(({ key }) => key < '0' || key > '9')

  function settle(): void {
    if (held.length === 0) return
    const strokes = held
    const scan = isScan()
    const unreadable = torn
    held = []
    torn = false
    rest = false
    ended = false
    if (!scan) {
      givenBackAt = lastAt
      return events.onTyping(strokes.filter(({ key }) => key !== DEAD))
    }
    scannedAt = lastAt
    endedBySilenceAt = lastAt
    events.onScan(unreadable ? null : strokes)
  }

  function take(stroke: Typed): void {
    // Its first keys were taken for typing, or for the whole of it: the page was too busy to hear the others in time.
    if (held.length === 0) {
      rest = stroke.at - endedBySilenceAt <= PACE_MS
      torn = rest || stroke.at - givenBackAt <= PACE_MS
    }
    if (ended) torn = true
    if (held.length < LONGEST_SCAN) held.push(stroke)
    else torn = true
    lastAt = stroke.at
  }

  return {
    get paceMs() {
      return isScan() && !ended ? SCAN_SILENCE_MS : PACE_MS
    },
    get holds() {
      return held.length > 0
    },
    settle,
    press(stroke) {
      const { key, at } = stroke
      if (SILENT_KEYS.has(key)) return 'pass'
      if (at - lastAt > PACE_MS) settle()
      if (SUFFIXES.has(key)) {
        if (mayHoldLineEnd()) {
          ended = true
          lastAt = at
          return 'hold'
        }
        settle()
        endedBySilenceAt = -Infinity
        return at - scannedAt <= SUFFIX_MS ? 'hold' : 'pass'
      }
      // A space that begins something is a pressed button; no code begins with one.
      if ((!writes(key) && key !== DEAD) || (key === ' ' && held.length === 0)) {
        settle()
        return 'pass'
      }
      take(stroke)
      return key === DEAD ? 'pass' : 'hold'
    },
  }
}
