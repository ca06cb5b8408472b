/**
 * Splits a stream of latin1 bytes into frames. It is bounded (one buffer, allocated once) and linear (visits every byte
 * once). A frame ends at a suffix (CR, LF, CRLF, TAB, EOT or ETX, or the profile's) or, for devices without one, after
 * a silence of the inter-byte time. STX starts a new frame; some readers send ESC before a track.
 */
const STX = 0x02
const ETX = 0x03
const EOT = 0x04
const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const ESC = 0x1b
const NUL = 0x00

/** Delay in ms above which a late timer shows that the process was busy, so that the wire may not have been silent. */
const STALLED_MS = 25

export interface FramerOptions {
  readonly maxLength: number
  readonly interByteMs: number
  /** Prefix of every frame, removed before delivery; a frame without it is dropped. Default: none. */
  readonly prefix?: Uint8Array
  readonly suffixes?: Uint8Array
}

export type FrameEnd = 'suffix' | 'silence'

export interface FramerEvents {
  /**
   * Called with a frame, whose bytes are valid only during the call: the framer overwrites them when it returns. Never
   * empty.
   */
  readonly onFrame: (frame: Uint8Array, ended: FrameEnd) => void
  /** Called when a frame of this many bytes was dropped: longer than the limit, or without its prefix. */
  readonly onDropped: (bytes: number) => void
  readonly onSilence: () => void
}

export interface Framer {
  push(bytes: Uint8Array): void
  reset(): void
  held(): Uint8Array
}

const ANY_SUFFIX = Uint8Array.of(CR, LF, TAB, EOT, ETX)
const NOTHING = new Uint8Array(0)

export function createFramer(
  { maxLength, interByteMs, prefix = NOTHING, suffixes = ANY_SUFFIX }: FramerOptions,
  events: FramerEvents,
): Framer {
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
    // In a busy process the timer may fire before waiting data was read, so the wire is observed for one more period.
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
        else if (byte === STX) end('silence')
        // ESC and NUL at the start of a frame are a prefix or padding and are skipped; inside a frame they are data,
        // which drivers reject.
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
