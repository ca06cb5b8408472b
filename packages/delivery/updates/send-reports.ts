import { type Source, ask } from './request.ts'
import { REPORTS_PLACE, type Report } from './formats.ts'
import type { Slots } from './slots.ts'
import { outgoingAgent } from '../outgoing.ts'
import { readChannel } from './check.ts'
import { HeldBack, Unreachable, readOrder } from './get.ts'

const TIMEOUT_MS = 15_000

/** Status of the controller, which captive portals and proxies do not send. */
const ACCEPTED = 204
/** The server never accepts this report: it would be sent every hour forever. */
const FINAL_STATUSES = new Set([400, 404, 405, 410, 413, 422])

/**
 * Sends the results of updates to the wave controller, and keeps unsent ones for the next time. Resolves with true when
 * all are sent. Never rejects on network errors.
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
      if (status !== ACCEPTED && !FINAL_STATUSES.has(status)) return false
    } catch {
      return false
    }
    slots.reported([outcome])
  }
  return true
}

/** Limits how long a start in the morning waits for the network. */
const PATIENCE_MS = 5_000

/** The channel is signed and the request has no secret: a false server can only withhold data. */
const unverifiedAgent = outgoingAgent({ rejectUnauthorized: false })

/**
 * Whether a version that waited while the lane was off may be tried: its release may have been halted since, and is
 * then dropped. Also false while the server withholds everything; true if it is unreachable.
 */
export async function isStillAvailable(slots: Slots, now: () => Date): Promise<boolean> {
  const { pending, trial } = slots.state()
  if (trial !== null || pending?.from == null || !pending.isArmed) return true
  const order = readOrder(slots.folder)?.kind
  // An installer's order does not wait.
  if (order === 'now' || order === 'back') return true
  const source = {
    base: pending.from,
    agent: () => Promise.resolve(unverifiedAgent),
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
