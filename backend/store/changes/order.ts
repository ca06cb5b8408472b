import type { Seen } from '../../../contracts/store/changes.ts'

/** When a thing was changed, by a clock that every lane reads alike, and where. */
export interface Stamp {
  readonly clock: number
  readonly lane: string
}

/** Below 0: the first is the earlier change. 0: they are the same. No two lanes have one name. */
export const compareStamps = (one: Stamp, other: Stamp): number =>
  one.clock - other.clock || (one.lane < other.lane ? -1 : one.lane > other.lane ? 1 : 0)

/** The clock of a change that comes after everything that its lane has seen, also where another lane's runs ahead. */
export const nextClock = (now: number, newest: number): number => Math.max(1, now, newest + 1)

/** Whether whoever wrote this knew of a lane's change. */
export const knew = (seen: Seen, { lane, clock }: Stamp): boolean => (seen[lane] ?? 0) >= clock

export function bothSeen(one: Seen, other: Seen): Seen {
  const merged: Record<string, number> = { ...one }
  for (const [lane, clock] of Object.entries(other)) merged[lane] = Math.max(clock, merged[lane] ?? 0)
  return merged
}
