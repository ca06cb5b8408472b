import { linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { makeFolder, writeNew } from './whole-file.ts'

const LOOK_AGAIN_MS = 20
/**
 * Maximum age of a lock: no CLI command takes longer, so an older lock belongs to a dead process whose id was reused.
 */
const LONGEST_MS = 600_000

export class BusyError extends Error {
  override name = 'BusyError'
}

/**
 * Runs `work` with an exclusive lock on this folder; removes the lock of a killed process. Waits up to `waitMs` for
 * another process, then throws BusyError. Throws file system errors unchanged.
 */
export function alone<T>(folder: string, waitMs: number, work: () => T): T {
  makeFolder(folder, 0o700)
  const lock = path.join(folder, 'lock')
  const own = String(process.pid)
  for (const startedAt = performance.now(); !writeNew(lock, own, false);) {
    if (isAbandoned(lock) && removeAbandoned(lock)) continue
    if (performance.now() - startedAt > waitMs) throw new BusyError(`${lock} is held by process ${holderOf(lock)}`)
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

function isAbandoned(lock: string): boolean {
  const holder = holderOf(lock)
  const made = statSync(lock, { throwIfNoEntry: false })
  if (holder === null || made === undefined) return false
  if (Date.now() - made.mtimeMs > LONGEST_MS || !/^\d+$/.test(holder)) return true
  try {
    process.kill(Number(holder), 0)
    return false
  } catch (error) {
    // Error EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/**
 * Removes an abandoned lock. If two processes detect it at once, the slower one may remove the new lock of the faster
 * one; it then restores that lock.
 */
function removeAbandoned(lock: string): boolean {
  const renamed = `${lock}.${process.pid}.new`
  try {
    const holder = holderOf(lock)
    renameSync(lock, renamed)
    if (holderOf(renamed) !== holder) linkSync(renamed, lock)
    return true
  } catch {
    return false
  } finally {
    rmSync(renamed, { force: true })
  }
}
