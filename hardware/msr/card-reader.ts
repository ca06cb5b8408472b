import type { ByteConnection, Framing } from '../../contracts/core/profile.ts'
import type { CardRead, DeviceListener, InputDevice } from '../device.ts'
import { openInputDevice, type ReadOutcome } from '../input-device.ts'
import { programCards, type ReadPatterns } from './program-card.ts'
import { SwipeAssembler } from './swipe.ts'

/** Three tracks are 79 + 40 + 107 characters (ISO/IEC 7813), with room for sentinels, LRC and wrappings. */
const LONGEST_SWIPE = 512
/** Readers send the tracks of a swipe back to back; a hand needs far longer for a second swipe. */
const SILENCE_MS = 120

export interface CardReaderConfig {
  readonly connection: ByteConnection
  readonly patterns: ReadPatterns
  readonly framing?: Framing | undefined
  /** Left out: events are delivered from the first. */
  readonly enabled?: boolean
}

const OUTCOMES = {
  'program-card': 'read',
  'staff-badge': 'read',
  'foreign-card': 'refused',
  unreadable: 'unreadable',
} as const satisfies Record<CardRead['kind'], ReadOutcome>

/**
 * A magnetic stripe reader. One event per swipe, however many tracks and frames it took. A card that is not the
 * program's yields `foreign-card` and nothing else: its bytes are overwritten before the event is given.
 */
export function openCardReader(
  { connection, patterns, framing, enabled = true }: CardReaderConfig,
  listener: DeviceListener<CardRead>,
): InputDevice {
  return openInputDevice(
    { connection, framing, enabled, longestFrame: LONGEST_SWIPE, silenceMs: SILENCE_MS },
    listener,
    (notify, noise) => new SwipeAssembler(programCards(patterns), (read) => notify(read, OUTCOMES[read.kind]), noise),
  )
}
