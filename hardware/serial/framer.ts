/**
 * Cuts a stream of latin1 bytes into frames. Bounded: one buffer, allocated once. Linear: every byte is looked at once.
 * A frame ends at a suffix (CR, LF, CRLF, TAB, EOT or ETX, or what the profile names) or, for devices without one, when
 * nothing has come for the inter-byte time. STX begins a frame anew; ESC before a track is a prefix of some readers.
 */
const STX = 0x02
const ETX = 0x03
const EOT = 0x04
const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const ESC = 0x1b
const NUL = 0x00

/** How late a timer must be before it says more about this process than about the wire. */
const STALLED_MS = 25

export interface FramerOptions {
  /** Longest frame in bytes, its prefix included; longer ones are dropped whole. */
  readonly maxLength: number
  /** How long the wire must be silent for a frame without suffix to be complete, in milliseconds. */
  readonly interByteMs: number
  /**
   * What every frame begins with, and what is taken off it; a frame without it lost its head and is dropped. Left out:
   * nothing.
   */
  readonly prefix?: Uint8Array
  /** The bytes that end a frame. Left out: CR, LF, TAB, EOT and ETX. */
  readonly suffixes?: Uint8Array
}

/** silence: the frame had no suffix, and nothing came after it for the inter-byte time. */
export type FrameEnd = 'suffix' | 'silence'

export interface FramerEvents {
  /** The bytes are valid during the call only: the framer overwrites them when it returns. Never empty. */
  readonly onFrame: (frame: Uint8Array, ended: FrameEnd) => void
  /** A frame of this many bytes was dropped: longer than the limit, or without its prefix. */
  readonly onDropped: (bytes: number) => void
  /** The wire has been silent for the inter-byte time after some bytes. */
  readonly onSilence: () => void
}

export interface Framer {
  push(bytes: Uint8Array): void
  /** Overwrites and forgets what was half received. */
  reset(): void
  /** Bytes that are held now; for tests of what a driver keeps. */
  held(): Uint8Array
}

const ANY_SUFFIX = Uint8Array.of(CR, LF, TAB, EOT, ETX)
const NOTHING = new Uint8Array(0)

export function createFramer(
  { maxLength, interByteMs, prefix = NOTHING, suffixes = ANY_SUFFIX }: FramerOptions,
  events: FramerEvents,
): Framer {
  /** By value of the byte: one look tells whether it ends a frame. */
  const ends = new Uint8Array(256)
  for (const byte of suffixes) ends[byte] = 1
  const buffer = new Uint8Array(maxLength)
  let length = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let lastByteAt = 0

  function wipe(): void {
    buffer.fill(0, 0, length)
    length = 0
  }

  function end(ended: FrameEnd): void {
    if (dropped > 0) {
      const bytes = dropped + length
      dropped = 0
      wipe()
      events.onDropped(bytes)
      return
    }
    if (length === 0) return
    const bytes = length
    try {
      if (!prefix.every((byte, index) => buffer[index] === byte)) events.onDropped(bytes)
      else if (bytes > prefix.length) events.onFrame(buffer.subarray(prefix.length, bytes), ended)
    } finally {
      wipe()
    }
  }

  function silent(): void {
    // A process that was busy finds the timer due before it has read what waits on the wire:
    // listen once more before calling the frame complete.
    if (performance.now() - lastByteAt > interByteMs + STALLED_MS) {
      lastByteAt = performance.now()
      arm()
      return
    }
    timer = undefined
    end('silence')
    events.onSilence()
  }

  function arm(): void {
    clearTimeout(timer)
    timer = setTimeout(silent, interByteMs)
  }

  return {
    push(bytes) {
      for (const byte of bytes) {
        if (ends[byte] === 1) end('suffix')
        // Whatever stood before STX had no end of its own.
        else if (byte === STX) end('silence')
        // ESC and NUL are a prefix or padding where nothing stands before them; inside a frame they are data, to be
        // refused.
        else if ((byte === ESC || byte === NUL) && length === 0) continue
        else if (length === maxLength) dropped += 1
        else buffer[length++] = byte
      }
      lastByteAt = performance.now()
      if (timer === undefined) timer = setTimeout(silent, interByteMs)
      else timer.refresh()
    },
    reset() {
      clearTimeout(timer)
      timer = undefined
      dropped = 0
      wipe()
    },
    held: () => buffer,
  }
}
