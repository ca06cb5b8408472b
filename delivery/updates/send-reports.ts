import { REPORTS_PLACE, type Report } from './formats.ts'
import { addressOf, type Source } from './get.ts'
import type { Slots } from './slots.ts'

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
  { base, headers, signal }: Source,
  lane: Pick<Report, 'store' | 'lane'>,
): Promise<boolean> {
  for (const outcome of slots.state().outcomes) {
    const report: Report = { ...lane, ...outcome }
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      const response = await fetch(addressOf(base, REPORTS_PLACE), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(report),
        // Followed, most would become a question for a page, and its answer would pass for the controller's.
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      await response.body?.cancel()
      if (response.status !== TAKEN && !NEVER.has(response.status)) return false
    } catch {
      return false
    }
    slots.told([outcome])
  }
  return true
}
