import { setTimeout } from 'node:timers/promises'
import type { PrintOutcome } from '../device.ts'
import { reasonOf } from '../serial/channel.ts'
import type { PrinterCondition, PrinterTalk, Write } from './talk.ts'

/** How long the wire may refuse to take the job. */
const WRITE_MS = 10_000
/** How long paper may take: 60 lines print in about two seconds, a slow or hot head needs longer. */
const PRINT_MS = 8_000

/**
 * How long after its silence a printer that has answered before is asked once more: it, or this machine, was busy for a
 * moment, and a paper that is in doubt costs the cashier more than this second. An answer that came too late is void by
 * then.
 */
const SECOND_ASKING_MS = 1_000

/** An open wire to a printer, for the time of one job. */
export interface JobWire {
  readonly write: Write
  readonly talk: PrinterTalk
}

export interface JobResult {
  readonly outcome: PrintOutcome
  /** What the printer last said of itself. */
  readonly condition: PrinterCondition
}

/**
 * Sends one job once. Nothing is sent to a printer that says that it cannot print (`failed`). After the first byte
 * of the job the answer is never `failed` again: `confirmed` when the printer says that it worked through the job,
 * `sent` when it cannot say, `unknown` when something went wrong on the way. `hasAnswered`: it could say before, so
 * that its silence now is something that went wrong.
 */
export async function runJob(
  wire: JobWire,
  bytes: Uint8Array,
  transferMs: number,
  hasAnswered: boolean,
): Promise<JobResult> {
  let condition: PrinterCondition
  try {
    condition = await wire.talk.ask(wire.write)
    if (condition.kind === 'silent' && hasAnswered) {
      await setTimeout(SECOND_ASKING_MS)
      condition = await wire.talk.ask(wire.write)
    }
  } catch (error) {
    return { outcome: { state: 'failed', detail: reasonOf(error) }, condition: { kind: 'silent' } }
  }
  if (condition.kind === 'trouble') return { outcome: { state: 'failed', detail: condition.detail }, condition }

  try {
    await wire.write(bytes, WRITE_MS + transferMs)
    if (condition.kind === 'silent') {
      return {
        outcome: hasAnswered
          ? { state: 'unknown', detail: 'the printer answers no more' }
          : { state: 'sent', detail: 'the printer does not report its status' },
        condition,
      }
    }

    const finished = await watched(wire, wire.talk.finish(wire.write, PRINT_MS + transferMs))
    if (finished === 'worked-through') return { outcome: { state: 'confirmed', detail: null }, condition }

    const after = await wire.talk.ask(wire.write)
    switch (after.kind) {
      case 'trouble':
        return { outcome: { state: 'unknown', detail: `${after.detail} during the job` }, condition: after }
      case 'silent':
        return {
          outcome: { state: 'unknown', detail: 'the printer stopped answering during the job' },
          condition: after,
        }
      // It answers questions and never says that it reached the end of the job.
      case 'ready':
        return {
          outcome: { state: 'sent', detail: 'the printer is ready and did not confirm the job' },
          condition: after,
        }
    }
  } catch (error) {
    return { outcome: { state: 'unknown', detail: reasonOf(error) }, condition: { kind: 'silent' } }
  }
}

/**
 * Waits for the answer to the end of the job, but no longer once the printer says that it cannot go on. The job is on
 * the wire whole: a question breaks no command.
 */
async function watched(wire: JobWire, finished: ReturnType<PrinterTalk['finish']>): ReturnType<PrinterTalk['finish']> {
  // It may fail while a question is asked; whoever reads it below hears of it.
  finished.catch(() => undefined)
  for (;;) {
    const pause = new AbortController()
    const first = await Promise.race([
      finished,
      setTimeout(wire.talk.watchMs, 'watch' as const, { signal: pause.signal }).catch(() => null),
    ])
    pause.abort()
    if (first !== 'watch') return first
    const condition = await wire.talk.ask(wire.write)
    if (condition.kind === 'trouble') return 'paper-out'
  }
}
