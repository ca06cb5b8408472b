/**
 * Cuts a stream of latin1 bytes into frames. Bounded: one buffer, allocated once. Linear: every byte is looked at once.
 * A frame ends at a suffix (CR, LF, CRLF, TAB, EOT or ETX) or, for devices without one, when nothing
 * has come for the inter-byte time. STX begins a frame anew; ESC before a track is a prefix of some readers.
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
  /** Longest frame in bytes; longer ones are dropped whole. */
  readonly maxLength: number
  /** How long the wire must be silent for a frame without suffix to be complete, in milliseconds. */
  readonly interByteMs: number
}

export interface FramerEvents {
  /** The bytes are valid during the call only: the framer overwrites them when it returns. Never empty. */
  readonly onFrame: (frame: Uint8Array, ended: 'suffix' | 'silence') => void
  /** This many bytes were dropped because they made a frame longer than the limit. */
  readonly onOverflow: (bytes: number) => void
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

export function createFramer({ maxLength, interByteMs }: FramerOptions, events: FramerEvents): Framer {
  const buffer = new Uint8Array(maxLength)
  let length = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let lastByteAt = 0

  function wipe(): void {
    buffer.fill(0, 0, length)
    length = 0
  }

  function end(ended: 'suffix' | 'silence'): void {
    if (dropped > 0) {
      const bytes = dropped + length
      dropped = 0
      wipe()
      events.onOverflow(bytes)
      return
    }
    if (length === 0) return
    try {
      events.onFrame(buffer.subarray(0, length), ended)
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
        switch (byte) {
          case CR: case LF: case TAB: case EOT: case ETX:
            end('suffix')
            break
          case STX:
            // Whatever stood before it had no end of its own.
            end('silence')
            break
          default:
            // ESC and NUL are a prefix or padding where nothing stands before them; inside a frame they are data, to be refused.
            if ((byte === ESC || byte === NUL) && length === 0) break
            if (length === maxLength) dropped += 1
            else buffer[length++] = byte
        }
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
