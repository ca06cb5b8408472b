import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Whole or not at all, also after a power cut: the bytes are on the disk before the name is theirs. */
export function writeWhole(file: string, bytes: Uint8Array | string, mode = 0o600): void {
  const staged = `${file}.new`
  writeFileSync(staged, bytes, { mode, flush: true })
  renameSync(staged, file)
  syncFolder(path.dirname(file))
}

/** A folder of these files under its name, whole or not at all. What stood half-made there is cleared first. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const staged = `${folder}.new`
  rmSync(staged, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
  const folders = new Set([staged])
  for (const [name, bytes] of files) {
    const file = path.join(staged, ...name.split('/'))
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    folders.add(path.dirname(file))
    writeFileSync(file, bytes, { mode: 0o600, flush: true })
  }
  for (const each of folders) syncFolder(each)
  renameSync(staged, folder)
  syncFolder(path.dirname(folder))
}

/** Makes names last: on Windows a folder cannot be opened for it, and NTFS keeps a journal of its own. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
