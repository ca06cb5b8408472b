import { ask, type Source } from './ask.ts'
import { REPORTS_PLACE, type Report } from './formats.ts'
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
