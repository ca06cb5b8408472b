import { existsSync } from 'node:fs'
import { defaultDataFolder } from './places.ts'
import type { ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './refused.ts'

/**
 * Where nobody names a lane it is the store’s first. On a computer that has another one’s data and none of that, it was
 * forgotten: two computers would sell as the first lane. Throws TerminalRefused.
 */
export function refuseUnnamedLane(
  { storeId, lanes }: ProfileOutline,
  asked: { readonly lane: string | null; readonly data: string | null },
  home?: string,
): void {
  const isHere = (lane: string): boolean => existsSync(defaultDataFolder(storeId, lane, home))
  if (asked.lane !== null || asked.data !== null || isHere(lanes[0])) return
  const here = lanes.filter(isHere)
  if (here.length > 0) throw new TerminalRefused([['unnamedLane', { lanes: here.join(', ') }], ['nameLane']], 2)
}
