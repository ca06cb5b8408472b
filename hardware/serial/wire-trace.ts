import { createMask } from './masked-bytes.ts'

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

export function createWireTrace(): WireTrace {
  let messages: { readonly at: number; text: string; signs: number }[] = []
  let lastAt = -Infinity
  const mask = createMask()
  return {
    push(bytes) {
      const now = performance.now()
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
