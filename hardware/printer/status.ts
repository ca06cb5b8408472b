import type { PrinterCondition, PrinterTalk } from './talk.ts'

/**
 * What an ESC/POS printer says about itself. DLE EOT is answered at once, even while the printer cannot print;
 * GS r is answered in its turn, when everything sent before it was processed, so its answer is what confirms a job.
 */
const DLE = 0x10
const EOT = 0x04
const GS = 0x1d

const ASK_PRINTER = Uint8Array.of(DLE, EOT, 1)
const ASK_OFFLINE_CAUSE = Uint8Array.of(DLE, EOT, 2)
const ASK_PAPER = Uint8Array.of(DLE, EOT, 4)
/** Automatic status back for drawer, online, error and paper. ESC @, with which every job begins, ends it. */
const REPORT_CHANGES = Uint8Array.of(GS, 0x61, 0x0f)
const ASK_IN_TURN = Uint8Array.of(GS, 0x72, 1)

/** How long a printer may take to answer DLE EOT. Those that answer do so in a few milliseconds. */
const STATUS_MS = 400
const WATCH_MS = 1_000

/** Answers to DLE EOT 1, 2 and 4, in this order. */
export function conditionOf(printer: number, offlineCause: number, paper: number): PrinterCondition {
  const drawerSwitch = (printer & 0x04) === 0 ? 'low' : 'high'
  if ((offlineCause & 0x04) !== 0) return { kind: 'trouble', detail: 'cover open', drawerSwitch }
  if ((offlineCause & 0x20) !== 0 || (paper & 0x60) !== 0) return { kind: 'trouble', detail: 'paper out', drawerSwitch }
  if ((offlineCause & 0x40) !== 0) return { kind: 'trouble', detail: 'printer error', drawerSwitch }
  if ((printer & 0x08) !== 0) return { kind: 'trouble', detail: 'printer offline', drawerSwitch }
  return { kind: 'ready', paperLow: (paper & 0x0c) !== 0, drawerSwitch }
}

/** Paper end in an answer to GS r 1. */
const paperEndInTurn = (answer: number): boolean => (answer & 0x0c) !== 0

interface AnswerReader {
  begin(): void
  push(bytes: Uint8Array): void
  /** The next answer of this kind, or null when none comes in time. One waiter of each kind at a time. */
  next(kind: AnswerKind, deadlineMs: number): Promise<number | null>
}
/** immediate: answers DLE EOT. in-turn: answers GS r. */
type AnswerKind = 'immediate' | 'in-turn'

/** Length of the status that a printer sends unasked, the first byte `0xx1xx00`. */
const UNASKED_BYTES = 4

/** Tells the printer's answers apart by their fixed bits, and hears of the status that it sends unasked. */
function readAnswers(onNews: () => void): AnswerReader {
  let unasked: number[] = []
  let known: string | null = null
  const waiting = new Map<AnswerKind, (answer: number | null) => void>()

  function news(block: readonly number[]): void {
    const before = known
    known = block.join()
    // Also the first: it may be of a moment after the last answer.
    if (before !== known) onNews()
  }

  return {
    begin() {
      unasked = []
      known = null
    },
    push(bytes) {
      for (const byte of bytes) {
        if (unasked.length > 0 || (byte & 0x93) === 0x10) {
          unasked.push(byte)
          if (unasked.length === UNASKED_BYTES) {
            news(unasked)
            unasked = []
          }
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
          // A later job may be waiting in this one's place.
          if (waiting.get(kind) === settle) waiting.delete(kind)
          resolve(answer)
        }
        const timer = setTimeout(() => { settle(null) }, deadlineMs)
        waiting.set(kind, settle)
      })
    },
  }
}

export function createEscPosTalk(onNews: () => void): PrinterTalk {
  const answers = readAnswers(onNews)
  return {
    reportChanges: REPORT_CHANGES,
    watchMs: WATCH_MS,
    begin: () => { answers.begin() },
    push: (bytes) => { answers.push(bytes) },
    async ask(write) {
      const said: number[] = []
      for (const question of [ASK_PRINTER, ASK_OFFLINE_CAUSE, ASK_PAPER]) {
        const answer = answers.next('immediate', STATUS_MS)
        await write(question, STATUS_MS)
        const byte = await answer
        if (byte === null) return { kind: 'silent' }
        said.push(byte)
      }
      const [printer = 0, offlineCause = 0, paper = 0] = said
      return conditionOf(printer, offlineCause, paper)
    },
    async finish(write, deadlineMs) {
      const answer = answers.next('in-turn', deadlineMs)
      await write(ASK_IN_TURN, deadlineMs)
      const byte = await answer
      return byte === null ? null : paperEndInTurn(byte) ? 'paper-out' : 'worked-through'
    },
  }
}
