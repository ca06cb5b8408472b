import { readFileSync, realpathSync } from 'node:fs'

/** The type of the file system that contains a folder; `unknown` without /proc. */
export function fileSystemOf(folder: string, mounts = readMounts()): string {
  const inside = (point: string): boolean => point === '/' || folder === point || folder.startsWith(`${point}/`)
  let [longest, type] = ['', 'unknown']
  for (const line of mounts.split('\n')) {
    const [, point = '', found = ''] = line.split(' ')
    // Of two mounts on one mount point, the later one is visible.
    if (point !== '' && inside(point) && point.length >= longest.length) [longest, type] = [point, found]
  }
  return type
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    return ''
  }
}

/** File systems in memory. Their syncs cost nothing, so a comparison with them has no meaning. */
const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs']

/** Returns the type of the folder’s file system. Throws if that file system is in memory. */
export function requireDisk(folder: string): string {
  const type = fileSystemOf(realpathSync(folder))
  if (IN_MEMORY.includes(type))
    throw new Error(`${folder} is on ${type}, which is memory. Give a folder on a disk with --folder.`)
  return type
}
