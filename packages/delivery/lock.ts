import { linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { makeFolder, writeNew } from './whole-file.ts'

const LOOK_AGAIN_MS = 20
/** Longer than any command takes: the process that has this number by now is another one. */
const LONGEST_MS = 600_000

/** Somebody else has been at work in the folder for too long. */
export class BusyError extends Error {
  override name = 'BusyError'
}

/**
 * Does the work while no other process does such work in this folder; one that was killed at it is in nobody's way.
 * Waits this long for another, then throws BusyError. Errors of the file system are thrown as they are.
 */
export function alone<T>(folder: string, waitMs: number, work: () => T): T {
  makeFolder(folder, 0o700)
  const lock = path.join(folder, 'lock')
  const own = String(process.pid)
  for (const began = performance.now(); !writeNew(lock, own, false);) {
    if (isLeft(lock) && takeAway(lock)) continue
    if (performance.now() - began > waitMs) throw new BusyError(`${lock} is held by process ${holderOf(lock)}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function holderOf(lock: string): string | null {
  try {
    return readFileSync(lock, 'utf8')
  } catch {
    return null
  }
}

function isLeft(lock: string): boolean {
  const holder = holderOf(lock)
  const made = statSync(lock, { throwIfNoEntry: false })
  if (holder === null || made === undefined) return false
  if (Date.now() - made.mtimeMs > LONGEST_MS || !/^\d+$/.test(holder)) return true
  try {
    process.kill(Number(holder), 0)
    return false
  } catch (error) {
    // Another user's process may not be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Two may find the same one left: who takes away what is another's by then gives it back. */
function takeAway(lock: string): boolean {
  const aside = `${lock}.${process.pid}.new`
  try {
    const left = holderOf(lock)
    renameSync(lock, aside)
    if (holderOf(aside) !== left) linkSync(aside, lock)
    return true
  } catch {
    return false
  } finally {
    rmSync(aside, { force: true })
  }
}
