import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Each process has its own: two commands at once write into nothing of each other's. */
const stagedOf = (place: string): string => `${place}.${process.pid}.new`

/** Whole or not at all, also after a power cut: the bytes are on the disk before the name is theirs. */
export function writeWhole(file: string, bytes: Uint8Array | string, mode = 0o600): void {
  const staged = stagedOf(file)
  clearingOnFailure(staged, () => {
    writeFileSync(staged, bytes, { mode, flush: true })
    renameSync(staged, file)
  })
  syncFolder(path.dirname(file))
}

/** A folder of these files under its name, whole or not at all. What stood there stays until the new one is whole. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const staged = stagedOf(folder)
  rmSync(staged, { recursive: true, force: true })
  clearingOnFailure(staged, () => {
    const folders = new Set([staged])
    for (const [name, bytes] of files) {
      const file = path.join(staged, ...name.split('/'))
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      folders.add(path.dirname(file))
      writeFileSync(file, bytes, { mode: 0o600, flush: true })
    }
    for (const each of folders) syncFolder(each)
    rmSync(folder, { recursive: true, force: true })
    renameSync(staged, folder)
  })
  syncFolder(path.dirname(folder))
}

/** A disk that was full is not left fuller by what was not finished. */
function clearingOnFailure(staged: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    rmSync(staged, { recursive: true, force: true })
    throw error
  }
}

/** What stands in the file is on the disk. */
export function syncWhole(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Makes names last: on Windows a folder cannot be opened for it, and NTFS keeps a journal of its own. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
