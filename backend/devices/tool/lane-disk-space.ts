import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { DiskSpace } from '../../../contracts/api/diagnostics.ts'
import { dataHomeParts, laneFolderParts } from '../../../contracts/data-place.ts'
import { diskSpace } from '../../features/maintenance/disk-space.ts'

export interface LaneDiskSpace extends DiskSpace {
  /** The data folder that it was looked at for, there or not. */
  readonly folder: string
}

/** Where the terminal of this lane would keep its data when nobody names a folder. */
export const usualFolder = (storeId: string, lane: string): string =>
  join(...dataHomeParts(process.platform, process.env, homedir()), ...laneFolderParts(storeId, lane))

/** The space on the disk that the lane's data is on, or will be. Looks at sizes alone and opens nothing. */
export function laneDiskSpace(folder: string): LaneDiskSpace {
  let there = resolve(folder)
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  return { folder, ...diskSpace(there, join(folder, 'terminal.db')) }
}
