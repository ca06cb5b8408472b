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

/**
 * Name of the temporary file, unique per process, so that concurrent CLI commands do not write into each other's files.
 */
const stagedOf = (place: string): string => `${place}.${process.pid}.new`

/** Writes a file atomically, also in case of a power cut: the bytes are synced before the rename. */
export function writeWhole(file: string, bytes: Uint8Array | string, mode = 0o600): void {
  const staged = stagedOf(file)
  clearingOnFailure(staged, () => {
    writeFileSync(staged, bytes, { mode, flush: true })
    renameSync(staged, file)
  })
  syncFolder(path.dirname(file))
}

/** Writes a new file atomically. Returns false if the file already exists. `lasting`: also in case of a power cut. */
export function writeNew(file: string, bytes: Uint8Array | string, lasting: boolean): boolean {
  const staged = stagedOf(file)
  try {
    writeFileSync(staged, bytes, { mode: 0o600, flush: lasting })
    // Unlike a rename, a link fails if the name exists.
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

/**
 * Creates the folder and its parents. `mkdir` with `recursive` never returns where folders cannot be created, as in
 * /proc.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Writes a folder under a temporary name and renames it. An existing folder is removed when the new one is complete.
 */
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

/** Runs work. Removes the unfinished file if it fails, so that a full disk gets no fuller. */
function clearingOnFailure(staged: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    rmSync(staged, { recursive: true, force: true })
    throw error
  }
}

export function syncWhole(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Syncs folder entries to disk. Not needed on Windows, where folders cannot be opened and NTFS has its own journal. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
