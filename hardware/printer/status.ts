/**
 * What an ESC/POS printer says about itself. DLE EOT is answered at once, even while the printer cannot print;
 * GS r is answered in its turn, when everything sent before it was processed, so its answer is what confirms a job.
 */
const DLE = 0x10
const EOT = 0x04
const GS = 0x1d

export const ASK_PRINTER = Uint8Array.of(DLE, EOT, 1)
export const ASK_OFFLINE_CAUSE = Uint8Array.of(DLE, EOT, 2)
export const ASK_PAPER = Uint8Array.of(DLE, EOT, 4)
export const ASK_IN_TURN = Uint8Array.of(GS, 0x72, 1)

/** silent: it did not answer and may be able to print. trouble: it said that it cannot print. */
export type PrinterCondition =
  | { readonly kind: 'ready'; readonly paperLow: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'trouble'; readonly detail: string }

/** Answers to DLE EOT 1, 2 and 4, in this order. */
export function conditionOf(printer: number, offlineCause: number, paper: number): PrinterCondition {
  if ((offlineCause & 0x04) !== 0) return { kind: 'trouble', detail: 'cover open' }
  if ((offlineCause & 0x20) !== 0 || (paper & 0x60) !== 0) return { kind: 'trouble', detail: 'paper out' }
  if ((offlineCause & 0x40) !== 0) return { kind: 'trouble', detail: 'printer error' }
  if ((printer & 0x08) !== 0) return { kind: 'trouble', detail: 'printer offline' }
  return { kind: 'ready', paperLow: (paper & 0x0c) !== 0 }
}

/** Paper end in an answer to GS r 1. */
export const paperEndInTurn = (answer: number): boolean => (answer & 0x0c) !== 0

export interface AnswerReader {
  push(bytes: Uint8Array): void
  /** The next answer of this kind, or null when none comes in time. One waiter of each kind at a time. */
  next(kind: AnswerKind, deadlineMs: number): Promise<number | null>
}
/** immediate: answers DLE EOT. in-turn: answers GS r. */
export type AnswerKind = 'immediate' | 'in-turn'

/** Tells the printer's answers apart by their fixed bits, and passes over status that it sends unasked (4 bytes, the first `0xx1xx00`). */
export function readAnswers(): AnswerReader {
  let toSkip = 0
  const waiting = new Map<AnswerKind, (answer: number | null) => void>()
  return {
    push(bytes) {
      for (const byte of bytes) {
        if (toSkip > 0) {
          toSkip -= 1
          continue
        }
        if ((byte & 0x93) === 0x10) {
          toSkip = 3
          continue
        }
        if ((byte & 0x93) === 0x12) waiting.get('immediate')?.(byte)
        else if ((byte & 0x90) === 0) waiting.get('in-turn')?.(byte)
      }
    },
    next(kind, deadlineMs) {
      return new Promise((resolve) => {
        const settle = (answer: number | null): void => {
          clearTimeout(timer)
          waiting.delete(kind)
          resolve(answer)
        }
        const timer = setTimeout(() => { settle(null) }, deadlineMs)
        waiting.set(kind, settle)
      })
    },
  }
}
