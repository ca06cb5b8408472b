import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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

/**
 * The same where nothing has this name yet. False: somebody was faster, and what stands there is theirs. `lasting`:
 * also after a power cut.
 */
export function writeNew(file: string, bytes: Uint8Array | string, lasting: boolean): boolean {
  const staged = stagedOf(file)
  try {
    writeFileSync(staged, bytes, { mode: 0o600, flush: lasting })
    // Unlike renaming, it fails where the name is taken.
    linkSync(staged, file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(staged, { force: true })
  }
  if (lasting) syncFolder(path.dirname(file))
  return true
}

/** The folder, and those around it. `mkdir` with `recursive` never returns where the system makes none, as in /proc. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true

/** A folder of these files under its name, whole or not at all. What stood there stays until the new one is whole. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const staged = stagedOf(folder)
  rmSync(staged, { recursive: true, force: true })
  clearingOnFailure(staged, () => {
    const folders = new Set([staged])
    for (const [name, bytes] of files) {
      const file = path.join(staged, ...name.split('/'))
      makeFolder(path.dirname(file), 0o700)
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
