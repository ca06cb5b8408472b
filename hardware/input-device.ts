import type { ByteConnection, Framing } from '../contracts/core/profile.ts'
import { createDelivery } from './delivery.ts'
import type { DeviceListener, InputDevice } from './device.ts'
import { createFramer, type FrameEnd, type FramerOptions } from './serial/framer.ts'
import { type NoiseMeter, createNoiseMeter, Line } from './serial/line.ts'
import { createMask, createWireTrace } from './serial/channel.ts'

export interface InputOptions {
  readonly connection: ByteConnection
  readonly framing: Framing | undefined
  readonly longestFrame: number
  readonly silenceMs: number
  readonly enabled: boolean
}

export interface FrameReader {
  frame(bytes: Uint8Array, ended: FrameEnd): void
  dropped(bytes: number): void
  silence(): void
  reset(): void
}

/** Result of a frame. read: understood. refused: a card of another issuer. unreadable: incomplete or damaged data. */
export type ReadOutcome = 'read' | 'refused' | 'unreadable'

const SUFFIXES = {
  any: undefined,
  none: '',
  cr: '\r',
  lf: '\n',
  crlf: '\r\n',
  tab: '\t',
  eot: '\x04',
  etx: '\x03',
} as const

function framerOptions({ framing, longestFrame, silenceMs }: InputOptions): FramerOptions {
  const suffixes = SUFFIXES[framing?.suffix ?? 'any']
  return {
    maxLength: longestFrame,
    interByteMs: framing?.interByteMs ?? silenceMs,
    ...(framing?.prefix === undefined ? {} : { prefix: Buffer.from(framing.prefix, 'latin1') }),
    ...(suffixes === undefined ? {} : { suffixes: Buffer.from(suffixes, 'latin1') }),
  }
}

/**
 * Common part of all input devices: a wire that reconnects, a framer, a driver for its frames, delivery while enabled,
 * and statistics. The driver is created once and survives every loss of the wire.
 */
export function openInputDevice<Event>(
  options: InputOptions,
  listener: DeviceListener<Event>,
  createReader: (notify: (event: Event, outcome: ReadOutcome) => void, noise: NoiseMeter) => FrameReader,
): InputDevice {
  const counts = { read: 0, refused: 0, unreadable: 0 }
  let bytesReceived = 0
  let frames = 0
  const mask = listener.onMaskedBytes ? createMask() : null
  const noise = createNoiseMeter()
  const trace = createWireTrace()
  const delivery = createDelivery(listener.onEvent, options.enabled)
  const reader = createReader((event, outcome) => {
    counts[outcome] += 1
    delivery.push(event)
  }, noise)
  const framer = createFramer(framerOptions(options), {
    onFrame(frame, ended) {
      frames += 1
      reader.frame(frame, ended)
    },
    onDropped: (bytes) => {
      reader.dropped(bytes)
    },
    onSilence() {
      reader.silence()
      noise.quiet()
    },
  })
  function reset(): void {
    framer.reset()
    reader.reset()
    noise.quiet()
  }
  const line = new Line(options.connection, {
    onData(bytes) {
      bytesReceived += bytes.length
      if (mask) listener.onMaskedBytes?.(mask(bytes))
      trace.push(bytes)
      framer.push(bytes)
    },
    onBreak: reset,
    onHealth: listener.onHealth,
  })
  return {
    get health() {
      return line.health
    },
    get enabled() {
      return delivery.enabled
    },
    setEnabled: (enabled) => {
      delivery.setEnabled(enabled)
    },
    checkHealth: () => line.check(),
    get trace() {
      return trace.messages
    },
    get statistics() {
      return {
        connections: line.connections,
        disconnections: line.disconnections,
        bytes: bytesReceived,
        frames,
        noiseBytes: noise.total,
        reads: counts.read,
        refused: counts.refused,
        unreadable: counts.unreadable,
        stale: delivery.stale,
      }
    },
    async close() {
      delivery.close()
      await line.close()
      reset()
    },
  }
}
