import type { ByteConnection, CardPatterns } from '../../contracts/profile.ts'
import type { CardRead, Device, DeviceListener } from '../device.ts'
import { createFramer } from '../serial/framer.ts'
import { keepLine } from '../serial/line.ts'
import { programCards } from './program-card.ts'
import { assembleSwipes } from './swipe.ts'

/** Three tracks are 79 + 40 + 107 characters (ISO/IEC 7813), with room for sentinels, LRC and wrappings. */
const LONGEST_SWIPE = 512
/** Readers send the tracks of a swipe back to back; a hand needs far longer for a second swipe. */
const SILENCE_MS = 120

export interface CardReaderConfig {
  readonly connection: ByteConnection
  readonly patterns: CardPatterns
}

/**
 * A magnetic stripe reader. One event per swipe, however many tracks and frames it took. A card that is not the
 * program's yields `foreign-card` and nothing else: its bytes are overwritten before the event is given.
 */
export function openCardReader({ connection, patterns }: CardReaderConfig, listener: DeviceListener<CardRead>): Device {
  const swipes = assembleSwipes(programCards(patterns), (read) => {
    // Later, when the framer and the channel have wiped what they hold.
    queueMicrotask(() => { if (!closed) listener.onEvent(read) })
  })
  let closed = false
  const framer = createFramer({ maxLength: LONGEST_SWIPE, interByteMs: SILENCE_MS }, {
    onFrame: (frame) => { swipes.frame(frame) },
    onOverflow: (bytes) => { swipes.noise(bytes) },
    onSilence: () => { swipes.finish() },
  })
  const line = keepLine(connection, {
    onData: (bytes) => { framer.push(bytes) },
    onBreak: () => {
      framer.reset()
      swipes.reset()
    },
    onHealth: listener.onHealth,
  })
  return {
    get health() { return line.health },
    async close() {
      closed = true
      await line.close()
      framer.reset()
      swipes.reset()
    },
  }
}
