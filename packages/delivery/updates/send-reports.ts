import { type Source, ask } from './request.ts'
import { REPORTS_PLACE, type Report } from './formats.ts'
import type { Slots } from './slots.ts'
import { outgoingAgent } from '../outgoing.ts'
import { readChannel } from './check.ts'
import { ReleaseWithheld, Unreachable, readUpdateInstruction } from './get.ts'

const TIMEOUT_MS = 15_000

/** HTTP status of a report that the wave controller accepted; captive portals and proxies do not send it. */
const ACCEPTED = 204
/** HTTP statuses of a server that never accepts a report: it would otherwise be sent every hour forever. */
const FINAL_STATUSES = new Set([400, 404, 405, 410, 413, 422])

/**
 * Sends the results of updates to the wave controller, and stores unsent ones for the next time. Resolves with true
 * when all are sent. Never rejects on network errors.
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

/** At a start, for example in the morning, the lane waits at most this long for the network. */
const PATIENCE_MS = 5_000

/**
 * Certificates are not verified: the channel is signed and the request has no secret, so a false server can only
 * withhold data.
 */
const unverifiedAgent = outgoingAgent({ rejectUnauthorized: false })

/**
 * Returns whether a version that waited while the lane was off may be tried: if its release was halted or removed
 * since, the version is dropped. Also false while the server withholds everything; true if the server is unreachable or
 * its channel is refused.
 */
export async function isStillAvailable(slots: Slots, now: () => Date): Promise<boolean> {
  const { pending, trial } = slots.state()
  if (trial !== null || pending?.from == null || !pending.isArmed) return true
  const instruction = readUpdateInstruction(slots.folder)?.kind
  // A version that an installer requested does not wait for the server.
  if (instruction === 'now' || instruction === 'back') return true
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
    if (error instanceof ReleaseWithheld) return false
    if (error instanceof Unreachable) return true
    throw error
  }
}
