/**
 * One open wire: a serial port or a TCP socket. A channel is opened once, closes once and is never opened again;
 * whoever wants the device back opens a new channel.
 */
export interface ChannelEvents {
  /** The bytes are valid during the call only: the channel overwrites them when the call returns. */
  readonly onData: (bytes: Uint8Array) => void
  /** The far end went away or the wire failed. Said once; not said after `close()`. `reason` never holds wire data. */
  readonly onClose: (reason: string) => void
}

export interface ByteChannel {
  /**
   * Hands every byte to the operating system within `deadlineMs`. Rejects with a WireError when the deadline passes
   * or the wire closes; some of the bytes may then have left, and the channel is closed.
   */
  write(bytes: Uint8Array, deadlineMs: number): Promise<void>
  /** Hands over what was written, closes, and waits for both, but no longer than a second. Safe to call twice. */
  close(): Promise<void>
}

/** A wire that could not be opened or written. Its message names the wire and the system's reason, never data. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** The system's short reason of an error: its code where it has one, else a message without the stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message.replace(/^Error:?\s*/, '').slice(0, 120)
}

/** Rejects when `work` has not settled within the deadline. `work` goes on; its later failure is swallowed. */
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
 * Bytes of a wire for the eyes of an installer: how a message is framed, and nothing of what it says. Every digit and
 * every letter is masked, also with the parity bit that a wrongly set port leaves on them: a track holds a card number,
 * a date and a name. A letter right after `%`, `;`, `+` or `]` stays: it says the track's format, that a track failed,
 * or the symbology.
 */
export interface MaskedBytes {
  /** Two signs a byte, separated by spaces. A digit is `3#`, a masked letter `--`. */
  readonly hex: string
  /** A digit is `#`, a masked letter `a`, a control character its name in angle brackets, what is no ASCII `¤`. */
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

/** One mask for one wire: it remembers the sign before, for messages arrive in pieces. */
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

/** Bytes this long after the last ones are another message. */
const SILENCE_MS = 100
const MOST_MESSAGES = 12
const LONGEST_SIGNS = 160

/** What came over a wire, in a form that holds nothing of it but its shape. */
export interface TracedMessage {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly text: string
}

/**
 * The newest messages of a wire for whoever installs a device, as `MaskedBytes.text` shows them. Masked as they arrive:
 * nothing else of them is kept.
 */
export interface WireTrace {
  push(bytes: Uint8Array): void
  readonly messages: readonly TracedMessage[]
}

/** `clock`: monotonic, in ms. */
export function createWireTrace(clock = (): number => performance.now()): WireTrace {
  let messages: { readonly at: number; text: string; signs: number }[] = []
  let lastAt = -Infinity
  const mask = createMask()
  return {
    push(bytes) {
      const now = clock()
      if (now - lastAt > SILENCE_MS)
        messages = [...messages.slice(1 - MOST_MESSAGES), { at: Date.now(), text: '', signs: 0 }]
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
