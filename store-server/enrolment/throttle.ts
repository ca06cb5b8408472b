import { isIPv6 } from 'node:net'

/** Wrong proofs of one address for one code that cost nothing: somebody mistypes. */
const FREE_TRIES = 5
const FIRST_MS = 1_000
const LONGEST_MS = 10 * 60_000
/** An address that was quiet for so long begins anew, also where the clock was set back. */
const FORGET_MS = 60 * 60_000
const MOST_KEPT = 20_000

/**
 * Delays wrong proofs by address and code, twice as long each time. No one else is delayed: whoever knows the public
 * part of a code alone cannot keep its lane out. Kept in memory, by each server.
 */
export function createThrottle() {
  const kept = new Map<string, { tries: number; lastAt: number }>()
  const delayOf = (tries: number): number =>
    tries < FREE_TRIES ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - FREE_TRIES))
  return {
    /**
     * Counts a try as wrong until `forgive`, so that tries at the same time are counted too. Returns the milliseconds
     * to wait, and counts nothing, where it comes too early; else 0.
     */
    begin(address: string, code: string, now: number): number {
      const key = `${networkOf(address)} ${code}`
      const known = kept.get(key)
      const isFresh = known !== undefined && now >= known.lastAt && now - known.lastAt < FORGET_MS
      const { tries, lastAt } = isFresh ? known : { tries: 0, lastAt: now }
      const waitMs = lastAt + delayOf(tries) - now
      if (waitMs > 0) return waitMs
      kept.delete(key)
      kept.set(key, { tries: tries + 1, lastAt: now })
      // The oldest first.
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break
        kept.delete(oldest)
      }
      return 0
    },
    forgive(address: string, code: string): void {
      kept.delete(`${networkOf(address)} ${code}`)
    },
  }
}

/** Whoever has one address of IPv6 has a network of them. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array.from({ length: missing }, () => '0'), ...(after ?? [])].slice(0, 4).join(':')
}
