import type { MaskedBytes } from '../../../hardware/index.ts'

/** Messages arrive in pieces as small as a byte: this long a silence ends a line, and so does this many bytes. */
const SILENCE_MS = 60
const LONGEST_LINE = 32

export interface RawLines {
  push(bytes: MaskedBytes): void
  /** Gives what is still held. */
  end(): void
}

/** Gathers the masked bytes of one wire into lines that a person can read. */
export function gatherRaw(onLine: (bytes: MaskedBytes) => void): RawLines {
  let held: MaskedBytes[] = []
  let timer: NodeJS.Timeout | undefined
  let count = 0
  function end(): void {
    clearTimeout(timer)
    if (held.length === 0) return
    const line = { hex: held.map(({ hex }) => hex).join(' '), text: held.map(({ text }) => text).join('') }
    held = []
    count = 0
    onLine(line)
  }
  return {
    push(bytes) {
      held.push(bytes)
      count += bytes.hex.split(' ').length
      if (count >= LONGEST_LINE) return end()
      clearTimeout(timer)
      timer = setTimeout(end, SILENCE_MS)
    },
    end,
  }
}
