import { homedir } from 'node:os'
import path from 'node:path'
import { dataHomeSegments, laneFolderSegments } from '../../contracts/core/program.ts'
import { existsSync } from 'node:fs'
import type { ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './terminal-refused.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const dataHome = (
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
  home: string = homedir(),
): string => path.join(...dataHomeSegments(platform, env, home))

/** Returns the default data folder of a lane: `<data home>/milepost/<store id>-<lane>`. */
export const defaultDataFolder = (storeId: string, lane: string, home: string = dataHome()): string =>
  path.join(home, ...laneFolderSegments(storeId, lane))

/**
 * Throws TerminalRefused if no lane is named and this computer has data of another lane but not of the first, which is
 * the default: the option was forgotten, and two computers would sell as the first lane.
 */
export function refuseUnnamedLane(
  { storeId, lanes }: ProfileOutline,
  requested: { readonly lane: string | null; readonly data: string | null },
  home?: string,
): void {
  const isHere = (lane: string): boolean => existsSync(defaultDataFolder(storeId, lane, home))
  if (requested.lane !== null || requested.data !== null || isHere(lanes[0])) return
  const here = lanes.filter(isHere)
  if (here.length > 0) throw new TerminalRefused([['unnamedLane', { lanes: here.join(', ') }], ['nameLane']], 2)
}
