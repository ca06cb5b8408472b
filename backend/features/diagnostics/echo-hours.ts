import type { EchoResult } from '../../../contracts/api/diagnostics.ts'

/** A check of the past, as the next one must know it. Wall time in epoch ms, and the clock that nobody can set. */
export interface EarlierCheck {
  readonly at: number
  readonly monotonic: number | null
  readonly failed: boolean
}

export const HOUR_MS = 3_600_000

export const isFailure = ({ outcome }: Pick<EchoResult, 'outcome'>): boolean => outcome !== 'approved'

/**
 * For how long before `now` the lane is known to have been on: back to the check before it. Nothing where the gap is
 * longer than `longestMs`, by either clock: a lane that was off, or asleep, knows nothing of that time, and it was
 * neither up nor down. A clock that was set makes a gap too: nobody knows how long it really was.
 */
export function knownMs(before: EarlierCheck | null, now: Omit<EarlierCheck, 'failed'>, longestMs: number): number {
  if (before === null) return 0
  const byWall = now.at - before.at
  // Over a start of the program there is the wall clock alone.
  const passed = before.monotonic === null || now.monotonic === null ? byWall : now.monotonic - before.monotonic
  if (byWall <= 0 || byWall > longestMs || passed > longestMs) return 0
  return Math.round(byWall)
}

/** What one check adds to one hour. */
export interface HourShare {
  readonly fromMs: number
  readonly onMs: number
  /** 1 in the hour in which the check itself was made. */
  readonly checks: 0 | 1
}

/**
 * The time that a check vouches for, by the hours in which it passed; the check itself is of the last. `offsetMs`: how
 * far the store's clock is ahead of UTC, so that hours begin where its own do.
 */
export function sharesOf(at: number, onMs: number, offsetMs: number): HourShare[] {
  const hourOf = (instant: number): number => Math.floor((instant + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs
  const shares: HourShare[] = []
  const last = hourOf(at)
  for (let from = at - onMs; ;) {
    const fromMs = hourOf(from)
    if (fromMs >= last) return [...shares, { fromMs: last, onMs: at - from, checks: 1 }]
    shares.push({ fromMs, onMs: fromMs + HOUR_MS - from, checks: 0 })
    from = fromMs + HOUR_MS
  }
}
