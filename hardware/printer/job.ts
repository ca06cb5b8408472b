import { setTimeout } from 'node:timers/promises'
import type { PrintOutcome } from '../device.ts'
import { reasonOf } from '../serial/channel.ts'
import { type AnswerReader, ASK_IN_TURN, ASK_OFFLINE_CAUSE, ASK_PAPER, ASK_PRINTER, conditionOf, paperEndInTurn, type PrinterCondition } from './status.ts'

/** How long a printer may take to answer DLE EOT. Those that answer do so in a few milliseconds. */
const STATUS_MS = 400
/** How long the wire may refuse to take the job. */
const WRITE_MS = 10_000
/** How long paper may take: 60 lines print in about two seconds, a slow or hot head needs longer. */
const PRINT_MS = 8_000
/** How often a printer that works on a job is asked whether it still can. */
const WATCH_MS = 1_000

/** An open wire to a printer, for the time of one job. */
export interface JobWire {
  write(bytes: Uint8Array, deadlineMs: number): Promise<void>
  readonly answers: AnswerReader
}

export interface JobResult {
  readonly outcome: PrintOutcome
  /** What the printer last said of itself. */
  readonly condition: PrinterCondition
}

/** Asks the printer how it is. Never in the middle of a job. Rejects when the wire fails. */
export async function askCondition(wire: JobWire): Promise<PrinterCondition> {
  const said: number[] = []
  for (const question of [ASK_PRINTER, ASK_OFFLINE_CAUSE, ASK_PAPER]) {
    const answer = wire.answers.next('immediate', STATUS_MS)
    await wire.write(question, STATUS_MS)
    const byte = await answer
    if (byte === null) return { kind: 'silent' }
    said.push(byte)
  }
  const [printer = 0, offlineCause = 0, paper = 0] = said
  return conditionOf(printer, offlineCause, paper)
}

/**
 * Sends one job once. Nothing is sent to a printer that says that it cannot print (`failed`). After the first byte
 * of the job the answer is never `failed` again: `confirmed` when the printer says that it worked through the job,
 * `sent` when it cannot say, `unknown` when something went wrong on the way.
 */
export async function runJob(wire: JobWire, bytes: Uint8Array, transferMs: number): Promise<JobResult> {
  let condition: PrinterCondition
  try {
    condition = await askCondition(wire)
  } catch (error) {
    return { outcome: { state: 'failed', detail: reasonOf(error) }, condition: { kind: 'silent' } }
  }
  if (condition.kind === 'trouble') return { outcome: { state: 'failed', detail: condition.detail }, condition }

  try {
    await wire.write(bytes, WRITE_MS + transferMs)
    if (condition.kind === 'silent') return { outcome: { state: 'sent', detail: 'the printer does not report its status' }, condition }

    const answer = wire.answers.next('in-turn', PRINT_MS + transferMs)
    await wire.write(ASK_IN_TURN, WRITE_MS)
    const inTurn = await watched(wire, answer)
    if (inTurn !== null && !paperEndInTurn(inTurn)) return { outcome: { state: 'confirmed', detail: null }, condition }

    const after = await askCondition(wire)
    switch (after.kind) {
      case 'trouble': return { outcome: { state: 'unknown', detail: `${after.detail} during the job` }, condition: after }
      case 'silent': return { outcome: { state: 'unknown', detail: 'the printer stopped answering during the job' }, condition: after }
      // It answers real-time questions and never the one in turn: a printer without GS r.
      case 'ready': return { outcome: { state: 'sent', detail: 'the printer is ready and did not confirm the job' }, condition: after }
    }
  } catch (error) {
    return { outcome: { state: 'unknown', detail: reasonOf(error) }, condition: { kind: 'silent' } }
  }
}

/** Waits for the answer in turn, but no longer once the printer says that it cannot go on. The job is on the wire whole: a question breaks no command. */
async function watched(wire: JobWire, answer: Promise<number | null>): Promise<number | null> {
  for (;;) {
    const pause = new AbortController()
    const first = await Promise.race([answer, setTimeout(WATCH_MS, 'watch' as const, { signal: pause.signal }).catch(() => null)])
    pause.abort()
    if (first !== 'watch') return first
    const condition = await askCondition(wire)
    if (condition.kind === 'trouble') return null
  }
}
