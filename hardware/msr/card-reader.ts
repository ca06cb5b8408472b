import type { ByteConnection, Framing } from '../../contracts/core/profile.ts'
import type { CardRead, DeviceListener, InputDevice } from '../device.ts'
import { openInputDevice, type ReadOutcome } from '../input-device.ts'
import { programCards, type ReadPatterns } from './program-card.ts'
import { SwipeAssembler } from './swipe.ts'

const LONGEST_SWIPE = 512
/** Silence in ms that ends a swipe: readers send its tracks back to back; the next manual swipe takes far longer. */
const SILENCE_MS = 120

export interface CardReaderConfig {
  readonly connection: ByteConnection
  readonly patterns: ReadPatterns
  readonly framing?: Framing | undefined
  readonly enabled?: boolean
}

const OUTCOMES = {
  'program-card': 'read',
  'staff-badge': 'read',
  'foreign-card': 'refused',
  unreadable: 'unreadable',
} as const satisfies Record<CardRead['kind'], ReadOutcome>

/**
 * Driver of a magnetic stripe reader. It emits one event per swipe, for any number of tracks and frames. A card of
 * another issuer yields only `foreign-card`: its bytes are overwritten before the event.
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
