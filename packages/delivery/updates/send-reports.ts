import { type Source, ask } from './ask.ts'
import { REPORTS_PLACE, type Report } from './formats.ts'
import type { Slots } from './slots.ts'
import { outgoingAgent } from '../outgoing.ts'
import { readChannel } from './check.ts'
import { HeldBack, Unreachable, readOrder } from './get.ts'

const TIMEOUT_MS = 15_000

/** What the controller answers, and no page of a hotel's network or a proxy does. */
const TAKEN = 204
/** Nobody hears reports there, or this one is never taken: it would be sent again every hour for ever. */
const NEVER = new Set([400, 404, 405, 410, 413, 422])

/**
 * Tells the controller of the waves what became of updates here. What could not be told is kept for the next time. True
 * when nothing is left to tell. Never rejects for the network.
 */
export async function sendReports(
  slots: Slots,
  source: Source,
  lane: Pick<Report, 'store' | 'lane'>,
): Promise<boolean> {
  const { signal } = source
  for (const outcome of slots.state().outcomes) {
    const report: Report = { ...lane, ...outcome }
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      const { status, body } = await ask(source, REPORTS_PLACE, {
        report,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      body.destroy()
      if (status !== TAKEN && !NEVER.has(status)) return false
    } catch {
      return false
    }
    slots.told([outcome])
  }
  return true
}

/** A lane in the morning waits no longer for a network that is not there. */
const PATIENCE_MS = 5_000

/** The list is signed, and nothing is said to whoever gives it: a wrong server keeps from the lane what any can. */
const believing = outgoingAgent({ rejectUnauthorized: false })

/**
 * What waits was fetched before the lane was switched off: its release may have been halted since. Drops it where it
 * was; false also where the place holds everything back, so that it is not tried now. Where nobody answers it is.
 */
export async function isStillTaken(slots: Slots, now: () => Date): Promise<boolean> {
  const { pending, trial } = slots.state()
  if (trial !== null || pending?.from == null || !pending.isArmed) return true
  const order = readOrder(slots.folder)?.kind
  // An installer’s word waits for nothing.
  if (order === 'now' || order === 'back') return true
  const source = {
    base: pending.from,
    agent: () => Promise.resolve(believing),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }
  try {
    const opened = await readChannel({ slots, source, now })
    if ('refusal' in opened) return true
    const release = opened.channel.releases.find(({ version }) => version === pending.version)
    if (release !== undefined && !release.halted) return true
    slots.dropPending()
    return false
  } catch (error) {
    if (error instanceof HeldBack) return false
    if (error instanceof Unreachable) return true
    throw error
  }
}
