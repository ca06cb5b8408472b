import { LATEST_TIME } from '../../../contracts/store/bounds.ts'
import type { Seen } from '../../../contracts/store/changes.ts'

/** When a thing was changed, by a clock that every lane reads alike, and where. */
export interface Stamp {
  readonly clock: number
  readonly lane: string
}

/** Clocks of the last day do not move that of all changes: there is room for later ones of their own thing. */
export const LATEST_COUNTED = LATEST_TIME - 86_400_000

/** What releases before took beyond any time comes before every change. */
const reckoned = (clock: number): number => (clock > LATEST_TIME ? 0 : clock)

/** Below 0: the first is the earlier change. 0: they are the same. No two lanes have one name. */
export const compareStamps = (one: Stamp, other: Stamp): number =>
  reckoned(one.clock) - reckoned(other.clock) || (one.lane < other.lane ? -1 : one.lane > other.lane ? 1 : 0)

/**
 * The clock of a change that comes after everything that its lane has seen, also where another lane's runs ahead: the
 * newest of all that count, and the last change of the thing itself.
 */
export const nextClock = (now: number, newest: number, last: number): number =>
  Math.max(1, now, newest + 1, reckoned(last) + 1)

/** Whether whoever wrote this knew of a lane's change. */
export const knew = (seen: Seen, { lane, clock }: Stamp): boolean => (seen[lane] ?? 0) >= clock

export function bothSeen(one: Seen, other: Seen): Seen {
  const merged: Record<string, number> = { ...one }
  for (const [lane, clock] of Object.entries(other)) merged[lane] = Math.max(clock, merged[lane] ?? 0)
  return merged
}
