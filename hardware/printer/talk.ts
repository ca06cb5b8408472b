import type { PrinterIdentity } from '../device.ts'

/** Why a printer says that it cannot print. `hardware/trouble.ts` reads these words. */
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
