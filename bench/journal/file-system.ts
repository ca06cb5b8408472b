import { readFileSync, realpathSync } from 'node:fs'

/** The type of a folder's file system; `unknown` without /proc. */
export function fileSystemOf(folder: string, mounts = readMounts()): string {
  const inside = (point: string): boolean => point === '/' || folder === point || folder.startsWith(`${point}/`)
  let [longest, type] = ['', 'unknown']
  for (const line of mounts.split('\n')) {
    const [, point = '', found = ''] = line.split(' ')
    // The later of two mounts on one point is visible.
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

/** Syncs in memory are free, so ratios to them are meaningless. */
const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs']

/** Throws if the folder is not on a disk. */
export function requireDisk(folder: string): string {
  const type = fileSystemOf(realpathSync(folder))
  if (IN_MEMORY.includes(type))
    throw new Error(`${folder} is on ${type}, which is memory. Give a folder on a disk with --folder.`)
  return type
}
