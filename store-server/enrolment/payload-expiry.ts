/** The payload of an expired code is deleted after the server has run for so long beyond the expiry. */
export const KEEP_EXPIRED_MS = 24 * 3_600_000

/**
 * Returns, from the wall clock and the uptime in ms, the time of expiry before which payloads may be deleted; 0: none.
 * A server that was started with a fast clock must not delete the payloads of codes that are good by the right time.
 */
export function createPayloadExpiry(): (now: number, uptimeMs: number) => number {
  let since: { readonly now: number; readonly uptimeMs: number } | null = null
  let expiredBefore = 0
  return (now, uptimeMs) => {
    // A clock that is set back was ahead until now.
    since = since === null ? { now, uptimeMs } : { ...since, now: Math.min(since.now, now) }
    if (uptimeMs - since.uptimeMs >= KEEP_EXPIRED_MS) {
      expiredBefore = since.now
      since = { now, uptimeMs }
    }
    return Math.min(expiredBefore, now)
  }
}
