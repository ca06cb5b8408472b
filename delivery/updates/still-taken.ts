import { outgoingAgent } from '../outgoing.ts'
import { readChannel } from './check.ts'
import { HeldBack, Unreachable } from './get.ts'
import { readOrder } from './order.ts'
import type { Slots } from './slots.ts'

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
