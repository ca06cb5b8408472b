import { isCommonPaymentNumber, isDigit, isPaymentNumber } from '../../contracts/core/card-numbers.ts'

/**
 * Finds the tracks of ISO/IEC 7811-2 and 7813 in a frame. The search works in place and copies nothing, so that the
 * caller can wipe the data.
 */
const PERCENT = 0x25
const SEMICOLON = 0x3b
const PLUS = 0x2b
const EQUALS = 0x3d
const CARET = 0x5e
const END = 0x3f
const LETTER_D = 0x44
const LETTER_E = 0x45
const FIRST_PRINTABLE = 0x20

/**
 * State of a track. read: well formed. failed: marked by the reader as unreadable (`%E?`), empty, invalid characters,
 * no end sentinel, or a wrong LRC.
 */
export interface Track {
  readonly number: 1 | 2 | 3
  readonly state: 'read' | 'failed'
  readonly start: number
  readonly end: number
}

const isStart = (byte: number | undefined): boolean => byte === PERCENT || byte === SEMICOLON || byte === PLUS

/** Track 1 is encoded in 6 bits from 0x20, tracks 2 and 3 in 4 bits from 0x30 (ISO/IEC 7811-2 tables 2 and 4). */
const baseOf = (number: 1 | 2 | 3): number => (number === 1 ? 0x20 : 0x30)

/** Whether the character may be inside a track. Field separators are ^ on track 1 and = on tracks 2 and 3. */
function allowed(number: 1 | 2 | 3, byte: number): boolean {
  return number === 1
    ? byte >= 0x20 && byte <= 0x5f && byte !== PERCENT && byte !== END
    : byte >= 0x30 && byte <= 0x3e && byte !== SEMICOLON
}

export function lrcOf(bytes: Uint8Array, number: 1 | 2 | 3, start: number, end: number): number {
  const base = baseOf(number)
  // Many readers send + as the start sentinel of track 3; on the stripe it is the same character as that of track 2.
  let value = bytes[start] === PLUS && number === 3 ? SEMICOLON - base : (bytes[start] ?? base) - base
  for (let index = start + 1; index < end; index += 1) value ^= (bytes[index] ?? base) - base
  return base + value
}

/**
 * Returns the number of LRC bytes after the end sentinel at `end - 1`: 0 or 1, or -1 for a wrong LRC. An LRC may look
 * like a start sentinel; it is an LRC if another track or nothing follows it.
 */
function lrcLength(bytes: Uint8Array, number: 1 | 2 | 3, start: number, end: number): 0 | 1 | -1 {
  const next = bytes[end]
  if (next === undefined || next < FIRST_PRINTABLE) return 0
  const isLrc = next === lrcOf(bytes, number, start, end)
  if (!isStart(next)) return isLrc ? 1 : -1
  const after = bytes[end + 1]
  return isLrc && (after === undefined || isStart(after)) ? 1 : 0
}

/**
 * Reverses the frame of a card swiped backwards through a reader that does not correct the direction: the end sentinel
 * comes first, perhaps after the LRC, and a start sentinel last. A forward frame ends with a start sentinel only as an
 * LRC, and then also begins with one.
 */
function reverseBackwards(bytes: Uint8Array): void {
  const last = bytes.length - 1
  if ((bytes[0] === END || bytes[1] === END) && isStart(bytes[last]) && !isStart(bytes[0])) bytes.reverse()
}

/**
 * Returns every track of the frame in order. Normalizes separators to `=` and reverses backward frames. Takes linear
 * time in the length of the frame; skips bytes between tracks.
 */
export function findTracks(bytes: Uint8Array): Track[] {
  const tracks: Track[] = []
  let sawTrack2 = false
  let at = 0
  reverseBackwards(bytes)
  while (at < bytes.length) {
    const sentinel = bytes[at]
    if (!isStart(sentinel)) {
      at += 1
      continue
    }
    // Some readers also send ; for track 3, so the second one in a frame is track 3.
    const number = sentinel === PERCENT ? 1 : sentinel === PLUS || sawTrack2 ? 3 : 2
    if (number === 2) sawTrack2 = true
    let end = at + 1
    let wellFormed = true
    while (end < bytes.length && bytes[end] !== END) {
      // Some readers send the separator as the hexadecimal digit D of the stripe; it is overwritten in place to avoid a
      // copy.
      if (number !== 1 && bytes[end] === LETTER_D) bytes[end] = EQUALS
      if (!allowed(number, bytes[end] ?? 0)) wellFormed = false
      end += 1
    }
    const ended = end < bytes.length
    end = Math.min(end + 1, bytes.length)
    const content = end - at - 2
    const marked = content === 1 && bytes[at + 1] === LETTER_E
    const lrc = ended && !marked ? lrcLength(bytes, number, at, end) : 0
    tracks.push({
      number,
      state: ended && wellFormed && content > 0 && !marked && lrc >= 0 ? 'read' : 'failed',
      start: at,
      end,
    })
    at = end + (lrc === 1 ? 1 : 0)
  }
  return tracks
}

/**
 * Whether the track carries a payment card's number, in one run of digits or in groups: in the number field any payment
 * number, in the later fields only one in common use (`isCommonPaymentNumber`), because an expiry date, a service code
 * and zeros may look like others. The search works on bytes, so that no string of the number exists.
 */
export function carriesPaymentNumber(bytes: Uint8Array, { number, start, end }: Track): boolean {
  const separator = bytes.indexOf(number === 1 ? CARET : EQUALS, start)
  const behind = separator < 0 || separator > end ? end : separator
  return (
    holdsGroups(bytes, start, behind, end - start, (digits, count) => isPaymentNumber(digits, 0, count)) ||
    holdsGroups(bytes, behind, end, end - start, (digits, count) => isCommonPaymentNumber(digits, 0, count))
  )
}

const SPACE = 0x20
const DASH = 0x2d
const MAX_DIGITS = 32

/**
 * Reused buffer for the digits of groups. Its size keeps it outside the V8 heap, whose garbage collector would copy it
 * and leave the old copy in memory.
 */
const together = new Uint8Array(1_024)

export type IsNumber = (digits: Uint8Array, count: number) => boolean

/**
 * Whether such a number is between `from` and `to`, in one run or in groups separated by at most `maxGap` spaces or
 * dashes. The number begins and ends at group boundaries. The search is linear, creates no string and overwrites its
 * working copy.
 */
export function holdsGroups(bytes: Uint8Array, from: number, to: number, maxGap: number, isNumber: IsNumber): boolean {
  let found = false
  for (let at = from; at < to && !found; at += 1) {
    if (isDigit(bytes[at]) && !(at > from && isDigit(bytes[at - 1]))) found = beginsAt(bytes, at, to, maxGap, isNumber)
  }
  together.fill(0)
  return found
}

function beginsAt(bytes: Uint8Array, start: number, to: number, maxGap: number, isNumber: IsNumber): boolean {
  let count = 0
  for (let at = start; count < MAX_DIGITS;) {
    for (; at < to && isDigit(bytes[at]); at += 1, count += 1) if (count < MAX_DIGITS) together[count] = bytes[at] ?? 0
    if (isNumber(together, count)) return true
    let next = at
    while (next < to && next - at < maxGap && (bytes[next] === SPACE || bytes[next] === DASH)) next += 1
    if (next === at || next >= to || !isDigit(bytes[next])) return false
    at = next
  }
  return false
}
