import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

/** Puts on the disk what was written to a file, or the names in a folder. Windows has no way to sync a folder. */
export function syncPath(path: string): void {
  const onWindows = process.platform === 'win32'
  if (onWindows && statSync(path).isDirectory()) return
  const fd = openSync(path, onWindows ? 'r+' : 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
