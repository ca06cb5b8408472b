import type { PrinterIdentity } from '../device.ts'

/** Why a printer says that it cannot print. `hardware/device.ts` reads these words. */
export type PrinterTrouble =
  | 'cover open'
  | 'paper out'
  | 'cutter error'
  | 'print head too hot'
  | 'printer error'
  | 'printer offline'

/** silent: it did not answer and may be able to print. trouble: it said that it cannot print. */
export type PrinterCondition =
  | { readonly kind: 'ready'; readonly paperLow: boolean; readonly drawerSwitch: DrawerSwitch }
  | { readonly kind: 'silent' }
  | { readonly kind: 'trouble'; readonly detail: PrinterTrouble; readonly drawerSwitch: DrawerSwitch }
/** The level of the line on which a drawer's switch may be wired. */
export type DrawerSwitch = 'high' | 'low'

/** Hands bytes to the wire; rejects with a WireError when it does not take them within the deadline. */
export type Write = (bytes: Uint8Array, deadlineMs: number) => Promise<void>

/** What is said between us and one printer over one wire, in one printer language. */
export interface PrinterTalk {
  /** A new wire begins: what was half received is void. */
  begin(): void
  /** What came over the wire. */
  push(bytes: Uint8Array): void
  /** Asks the printer how it is. Never in the middle of a job. Rejects when the wire fails. */
  ask(write: Write): Promise<PrinterCondition>
  /**
   * Asks a printer that is ready what it is; null when it does not say. Never in the middle of a job, nor while the
   * printer cannot print: the question waits its turn. The first that stays unanswered is the last: a printer that says
   * nothing costs one deadline. An answer that comes late is taken for nothing else. Rejects when the wire fails.
   */
  identify(write: Write): Promise<PrinterIdentity | null>
  /**
   * Says that the job ended. `worked-through` when the printer says that it reached this point, `paper-out` when it got
   * there without paper, null when it never said.
   */
  finish(write: Write, deadlineMs: number): Promise<'worked-through' | 'paper-out' | null>
  /**
   * Makes the printer say by itself when something changes, until the next job; null where there is no such command.
   */
  readonly reportChanges: Uint8Array | null
  /** How often a printer that works on a job is asked whether it still can, in milliseconds. */
  readonly watchMs: number
}

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
