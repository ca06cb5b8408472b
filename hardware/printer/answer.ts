import type { PrinterIdentity } from '../device.ts'

/** How long a printer may take to answer a question. Those that answer do so in a few milliseconds. */
export const ANSWER_MS = 400
/** Longest piece of text by which a printer says what it is, in characters. */
export const LONGEST_IDENTITY = 80

/** One place where an answer of a printer is awaited. Whoever asks later takes the place of whoever asked before. */
export interface Answer<Value> {
  /** The next answer; null when none comes within the deadline. */
  next(deadlineMs: number): Promise<Value | null>
  /** An answer has come; nobody may be waiting for it. */
  came(value: Value): void
}

export function createAnswer<Value>(): Answer<Value> {
  let waiting: ((value: Value | null) => void) | null = null
  return {
    next: (deadlineMs) =>
      new Promise((resolve) => {
        const settle = (value: Value | null): void => {
          clearTimeout(timer)
          // A later question may be waiting in this one's place.
          if (waiting === settle) waiting = null
          resolve(value)
        }
        const timer = setTimeout(() => {
          settle(null)
        }, deadlineMs)
        waiting = settle
      }),
    came(value) {
      waiting?.(value)
    },
  }
}

/** What a printer says of itself, as it may be shown: printable characters and nothing else. */
export const identityText = (bytes: readonly number[]): string =>
  String.fromCharCode(...bytes)
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()

/** null when nothing was said at all. */
export function identityOf(said: ReadonlyMap<keyof PrinterIdentity, string>): PrinterIdentity | null {
  if (said.size === 0) return null
  const fact = (name: keyof PrinterIdentity): string | null => said.get(name) || null
  return {
    manufacturerName: fact('manufacturerName'),
    modelName: fact('modelName'),
    firmwareRevision: fact('firmwareRevision'),
    serialNumber: fact('serialNumber'),
  }
}
