import { setTimeout } from 'node:timers/promises'
import type { PrintOutcome } from '../device.ts'
import { reasonOf } from '../serial/channel.ts'
import type { PrinterCondition, PrinterProtocol, Write } from './protocol.ts'

const WRITE_MS = 10_000
/** Timeout for printing in ms: 60 lines take about two seconds, and longer on a slow or hot head. */
const PRINT_MS = 8_000

/**
 * Delay in ms before the second status request to a silent printer that has answered before. The printer or this
 * machine may have been busy, and an uncertain receipt costs the cashier more than this second. Answers that arrive
 * later are ignored.
 */
const SECOND_REQUEST_MS = 1_000

export interface JobWire {
  readonly write: Write
  readonly protocol: PrinterProtocol
}

export interface JobResult {
  readonly outcome: PrintOutcome
  readonly condition: PrinterCondition
}

/**
 * Sends one job once. A printer that reports that it cannot print does not receive the job (`failed`). After the first
 * byte the result is never `failed`: it is `confirmed` when the printer reports the end of the job, `sent` when it does
 * not, `unknown` after an error. `hasAnswered`: the printer answered before, so silence is an error.
 */
export async function runJob(
  wire: JobWire,
  bytes: Uint8Array,
  transferMs: number,
  hasAnswered: boolean,
): Promise<JobResult> {
  let condition: PrinterCondition
  try {
    condition = await wire.protocol.ask(wire.write)
    if (condition.kind === 'silent' && hasAnswered) {
      await setTimeout(SECOND_REQUEST_MS)
      condition = await wire.protocol.ask(wire.write)
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
          ? { state: 'unknown', detail: 'the printer stopped answering' }
          : { state: 'sent', detail: 'the printer does not report its status' },
        condition,
      }
    }

    const finished = await waitForEnd(wire, wire.protocol.finish(wire.write, PRINT_MS + transferMs))
    if (finished === 'worked-through') return { outcome: { state: 'confirmed', detail: null }, condition }

    const after = await wire.protocol.ask(wire.write)
    switch (after.kind) {
      case 'trouble':
        return { outcome: { state: 'unknown', detail: `${after.detail} during the job` }, condition: after }
      case 'silent':
        return {
          outcome: { state: 'unknown', detail: 'the printer stopped answering during the job' },
          condition: after,
        }
      // The printer answers requests but never reported the end of the job, so nothing confirms it.
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
 * Waits for the confirmation of the job, and stops early when the printer reports that it cannot print. The whole job
 * is already written, so a status request cannot split a printer command.
 */
async function waitForEnd(
  wire: JobWire,
  finished: ReturnType<PrinterProtocol['finish']>,
): ReturnType<PrinterProtocol['finish']> {
  // Prevents an unhandled rejection during a status request; the error itself is handled below.
  finished.catch(() => undefined)
  for (;;) {
    const pause = new AbortController()
    const first = await Promise.race([
      finished,
      setTimeout(wire.protocol.watchMs, 'watch' as const, { signal: pause.signal }).catch(() => null),
    ])
    pause.abort()
    if (first !== 'watch') return first
    const condition = await wire.protocol.ask(wire.write)
    if (condition.kind === 'trouble') return 'paper-out'
  }
}
