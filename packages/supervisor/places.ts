import { homedir } from 'node:os'
import path from 'node:path'
import { dataHomeParts, laneFolderParts } from '../../contracts/core/program.ts'
import { existsSync } from 'node:fs'
import type { ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './refused.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a person's programs keep their data on this system. */
export const dataHome = (
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
  home: string = homedir(),
): string => path.join(...dataHomeParts(platform, env, home))

/** The data folder of one lane: `<data home>/milepost/<store id>-<lane>`. */
export const defaultDataFolder = (storeId: string, lane: string, home: string = dataHome()): string =>
  path.join(home, ...laneFolderParts(storeId, lane))

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
