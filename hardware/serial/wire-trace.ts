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
 * The newest messages of a wire for whoever installs a device: sentinels, separators and suffixes stand as they are;
 * every letter is an A or an a, every digit a 9. Masked as they arrive: nothing else of them is kept.
 */
export interface WireTrace {
  push(bytes: Uint8Array): void
  readonly messages: readonly TracedMessage[]
}

const CONTROLS = new Map([[0x02, 'STX'], [0x03, 'ETX'], [0x04, 'EOT'], [0x09, 'TAB'], [0x0a, 'LF'], [0x0d, 'CR'], [0x1b, 'ESC'], [0x1c, 'FS'], [0x1d, 'GS'], [0x1e, 'RS'], [0x1f, 'US']])

export function createWireTrace(): WireTrace {
  let messages: { readonly at: number; text: string; signs: number }[] = []
  let lastAt = -Infinity
  return {
    push(bytes) {
      const now = performance.now()
      if (now - lastAt > SILENCE_MS) messages = [...messages.slice(1 - MOST_MESSAGES), { at: Date.now(), text: '', signs: 0 }]
      lastAt = now
      const message = messages.at(-1)
      if (!message) return
      for (const byte of bytes) {
        message.signs += 1
        if (message.signs <= LONGEST_SIGNS) message.text += masked(byte)
        else if (message.signs === LONGEST_SIGNS + 1) message.text += '…'
      }
    },
    get messages() { return messages.map(({ at, text }) => ({ at, text })) },
  }
}

function masked(byte: number): string {
  if (byte >= 0x30 && byte <= 0x39) return '9'
  if (byte >= 0x41 && byte <= 0x5a) return 'A'
  if (byte >= 0x61 && byte <= 0x7a) return 'a'
  if (byte >= 0x20 && byte <= 0x7e) return String.fromCharCode(byte)
  return `⟨${CONTROLS.get(byte) ?? (byte < 0x20 || byte === 0x7f ? 'control' : 'byte')}⟩`
}
