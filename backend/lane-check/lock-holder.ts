import { readFileSync, statSync } from 'node:fs'
import { PROCESS_NAME } from '../process-name.ts'

/** Where SQLite's locks lie in a file: from its pending byte on (SQLite's file format, 1.4). */
const PENDING_BYTE = 0x40_00_00_00
const LOCK = /^\d+: \w+ +\w+ +WRITE (\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) (\d+) /

/**
 * The process that holds a data folder's lock, by the system's own list of locks: to ask the lock itself would be to
 * take it for a moment, and a terminal that starts just then would be refused. Null where nobody does, and on another
 * system than Linux, which keeps no such list.
 */
export function lockHolder(file: string): number | null {
  if (process.platform !== 'linux') return null
  try {
    const { dev, ino } = statSync(file)
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const [, pid, major, minor, inode, from] = LOCK.exec(line) ?? []
      if (pid === undefined || Number(inode) !== ino || Number(from) < PENDING_BYTE) continue
      if (isDevice(dev, Number.parseInt(major ?? '', 16), Number.parseInt(minor ?? '', 16)) || isOurs(pid))
        return Number(pid)
    }
  } catch {
    // The lock is not there: nobody holds it.
  }
  return null
}

/** As glibc splits a device number. */
const isDevice = (dev: number, major: number, minor: number): boolean =>
  ((dev >> 8) & 0xfff) === major && ((dev & 0xff) | ((dev >> 12) & 0xfff00)) === minor

/** A layered file system shows another device number than the one below it, which has the lock. */
function isOurs(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === PROCESS_NAME
  } catch {
    return false
  }
}
