/**
 * One open wire: a serial port or a TCP socket. A channel is opened and closed once; reconnecting opens a new channel.
 */
export interface ChannelEvents {
  /**
   * Called with received bytes, which are valid only during the call: the channel overwrites them when the call
   * returns.
   */
  readonly onData: (bytes: Uint8Array) => void
  /**
   * Called when the far end disconnected or the wire failed. Called at most once, and not after `close()`. `reason`
   * never contains wire data.
   */
  readonly onClose: (reason: string) => void
}

export interface ByteChannel {
  /**
   * Writes every byte to the operating system within `deadlineMs`. Rejects with a WireError when the deadline passes or
   * the wire closes; some bytes may then have left, and the channel is closed.
   */
  write(bytes: Uint8Array, deadlineMs: number): Promise<void>
  /** Closes the wire within two seconds; a socket first sends its pending data. May be called twice. */
  close(): Promise<void>
}

/**
 * Error of a wire that could not be opened or written. Its message contains the wire and the system's reason, never
 * data.
 */
export class WireError extends Error {
  override readonly name = 'WireError'
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message.replace(/^Error:?\s*/, '').slice(0, 120)
}

/**
 * Waits for `work`, and rejects with the message `late` when it has not finished by the deadline. The work
 * continues; its later failure is ignored.
 */
export async function within<T>(deadlineMs: number, late: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new WireError(late))
    }, deadlineMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}

/**
 * Masked bytes of a wire that show an installer the framing but not the content. Every digit and letter is masked, also
 * with the parity bit of a wrongly configured port: a track contains a card number, a date and a name. A letter right
 * after `%`, `;`, `+` or `]` is shown: it is the track's format, the mark of a failed track, or the symbology.
 */
export interface MaskedBytes {
  /** The bytes as hexadecimal, two characters per byte, separated by spaces. A digit is `3#`, a masked letter `--`. */
  readonly hex: string
  /**
   * The bytes as text: a digit is `#`, a masked letter `a`, a control character its name in angle brackets, a non-ASCII
   * byte `¤`.
   */
  readonly text: string
}

const SHOWN_AFTER = '%;+]'
const NAMES = [
  'NUL',
  'SOH',
  'STX',
  'ETX',
  'EOT',
  'ENQ',
  'ACK',
  'BEL',
  'BS',
  'TAB',
  'LF',
  'VT',
  'FF',
  'CR',
  'SO',
  'SI',
  'DLE',
  'DC1',
  'DC2',
  'DC3',
  'DC4',
  'NAK',
  'SYN',
  'ETB',
  'CAN',
  'EM',
  'SUB',
  'ESC',
  'FS',
  'GS',
  'RS',
  'US',
]
const DEL = 0x7f

/**
 * Creates the mask of one wire. It remembers the previous character across calls, because messages arrive in pieces.
 */
export function createMask(): (bytes: Uint8Array) => MaskedBytes {
  let before = ''
  function one(byte: number): MaskedBytes {
    const sign = String.fromCharCode(byte & 0x7f)
    const high = byte > DEL
    const shown = !high && SHOWN_AFTER.includes(before) && before !== ''
    before = high ? '' : sign
    if (/\d/.test(sign)) return { hex: `${high ? 'b' : '3'}#`, text: '#' }
    if (/[a-z]/i.test(sign) && !shown) return { hex: '--', text: 'a' }
    const hex = byte.toString(16).padStart(2, '0')
    if (high) return { hex, text: '¤' }
    if (byte === DEL) return { hex, text: '<DEL>' }
    const name = NAMES[byte]
    return { hex, text: name === undefined ? sign : `<${name}>` }
  }
  return (bytes) => {
    const masked = Array.from(bytes, one)
    return { hex: masked.map(({ hex }) => hex).join(' '), text: masked.map(({ text }) => text).join('') }
  }
}

const SILENCE_MS = 100
const MAX_MESSAGES = 12
const LONGEST_SIGNS = 160

export interface TracedMessage {
  readonly at: number
  readonly text: string
}

/** Stores the newest messages of a wire for an installer, as in `MaskedBytes.text`. Only masked bytes are stored. */
export interface WireTrace {
  push(bytes: Uint8Array): void
  readonly messages: readonly TracedMessage[]
}

export function createWireTrace(clock = (): number => performance.now()): WireTrace {
  let messages: { readonly at: number; text: string; signs: number }[] = []
  let lastAt = -Infinity
  const mask = createMask()
  return {
    push(bytes) {
      const now = clock()
      if (now - lastAt > SILENCE_MS)
        messages = [...messages.slice(1 - MAX_MESSAGES), { at: Date.now(), text: '', signs: 0 }]
      lastAt = now
      const message = messages.at(-1)
      if (!message) return
      for (const byte of bytes) {
        const { text } = mask(Uint8Array.of(byte))
        message.signs += 1
        if (message.signs <= LONGEST_SIGNS) message.text += text
        else if (message.signs === LONGEST_SIGNS + 1) message.text += '…'
      }
    },
    get messages() {
      return messages.map(({ at, text }) => ({ at, text }))
    },
  }
}
