import { readFileSync, realpathSync } from 'node:fs'

/** The type of the file system that holds a folder, as the system names it; `unknown` where there is no /proc. */
export function fileSystemOf(folder: string, mounts = readMounts()): string {
  const inside = (point: string): boolean => point === '/' || folder === point || folder.startsWith(`${point}/`)
  let [longest, type] = ['', 'unknown']
  for (const line of mounts.split('\n')) {
    const [, point = '', found = ''] = line.split(' ')
    // Of two mounts on one point the later one is seen.
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

/** In memory a sync costs nothing, and every ratio to it means nothing. */
const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs']

/** Throws when the folder is not on a disk. */
export function requireDisk(folder: string): string {
  const type = fileSystemOf(realpathSync(folder))
  if (IN_MEMORY.includes(type))
    throw new Error(`${folder} is on ${type}, which is memory: name a folder on a disk with --folder`)
  return type
}
