import { homedir } from 'node:os'
import path from 'node:path'
import { dataHomeParts, laneFolderParts } from '../contracts/data-place.ts'

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
