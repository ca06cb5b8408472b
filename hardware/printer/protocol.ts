import type { PrinterIdentity } from '../device.ts'

/** Reasons why a printer cannot print. `hardware/device.ts` parses these texts. */
export type PrinterTrouble =
  | 'cover open'
  | 'paper out'
  | 'cutter error'
  | 'print head too hot'
  | 'printer error'
  | 'printer offline'

/**
 * Status of a printer. silent: it did not answer and may be able to print. trouble: it reported that it cannot print.
 */
export type PrinterCondition =
  | { readonly kind: 'ready'; readonly paperLow: boolean; readonly drawerSwitch: DrawerSwitch }
  | { readonly kind: 'silent' }
  | { readonly kind: 'trouble'; readonly detail: PrinterTrouble; readonly drawerSwitch: DrawerSwitch }
/** Level of the signal of the drawer's switch; the profile has the level of an open drawer. */
export type DrawerSwitch = 'high' | 'low'

/** Function that writes bytes to the connection; rejects with a WireError after the deadline. */
export type Write = (bytes: Uint8Array, deadlineMs: number) => Promise<void>

export interface PrinterProtocol {
  begin(): void
  push(bytes: Uint8Array): void
  /**
   * Requests the printer's status. Must not be called while a job is being written. Rejects when the connection fails.
   */
  ask(write: Write): Promise<PrinterCondition>
  /**
   * Requests the identity of a ready printer; null if the printer does not report it. Must not be called during a job
   * or while the printer cannot print, because the answer is queued behind printing. Stops after the first request
   * without an answer, so that an unsupported printer costs one deadline. A late answer is not taken for another one.
   * Rejects when the connection fails.
   */
  identify(write: Write): Promise<PrinterIdentity | null>
  /**
   * Sends the printer command that marks the end of the job. Resolves with `worked-through` when the printer reports
   * that it reached this point, `paper-out` when it reached it without paper, null after the deadline or when the
   * printer was switched off.
   */
  finish(write: Write, deadlineMs: number): Promise<'worked-through' | 'paper-out' | null>
  /** Printer command by which the printer sends status changes by itself until the next job; null if unsupported. */
  readonly reportChanges: Uint8Array | null
  readonly watchMs: number
}

/** Timeout of an answer in ms. Printers that answer do so within a few milliseconds. */
export const ANSWER_MS = 400
export const LONGEST_IDENTITY = 80

/** An answer that the driver waits for. Only the latest call of `next` gets it. */
export interface Answer<Value> {
  /** Returns the next answer; null after the deadline. */
  next(deadlineMs: number): Promise<Value | null>
  /** Resolves the promise of `next`; an answer that nothing waits for is dropped. */
  receive(value: Value): void
}

export function createAnswer<Value>(): Answer<Value> {
  let waiting: ((value: Value | null) => void) | null = null
  return {
    next: (deadlineMs) =>
      new Promise((resolve) => {
        const finish = (value: Value | null): void => {
          clearTimeout(timer)
          if (waiting === finish) waiting = null
          resolve(value)
        }
        const timer = setTimeout(() => {
          finish(null)
        }, deadlineMs)
        waiting = finish
      }),
    receive(value) {
      waiting?.(value)
    },
  }
}

export const identityText = (bytes: readonly number[]): string =>
  String.fromCharCode(...bytes)
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()

export function identityOf(reported: ReadonlyMap<keyof PrinterIdentity, string>): PrinterIdentity | null {
  if (reported.size === 0) return null
  const fact = (name: keyof PrinterIdentity): string | null => reported.get(name) || null
  return {
    manufacturerName: fact('manufacturerName'),
    modelName: fact('modelName'),
    firmwareRevision: fact('firmwareRevision'),
    serialNumber: fact('serialNumber'),
  }
}
