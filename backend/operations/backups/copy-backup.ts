import { createHash } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncPath } from '../../core/db/database.ts'
import { type Retention, pruneBackups } from './backup.ts'
import { runInWorker, workerFile } from '../../core/worker.ts'
import type { PreviewFiles, PreviewFound } from './restore-preview.ts'

export interface CopyTask {
  readonly file: string
  readonly name: string
  /** Second backup folder of the profile. The program never creates it, because that would hide a missing USB stick. */
  readonly folder: string
  readonly lane: string
  readonly retention: Retention
}

export interface CopyOutcome {
  readonly state: 'copied' | 'not-there' | 'full' | 'read-only' | 'failed'
  readonly detail: string | null
}

const CHUNK = 1 << 20
const SPARE_BYTES = 1_000_000

/**
 * Copies a backup to the second backup folder, reads it back, and then renames it to its final name. Never throws. Runs
 * on a worker thread, because a USB stick may be slow.
 */
export function copyBackup({ file, name, folder, lane, retention }: CopyTask): CopyOutcome {
  const outcome = (state: CopyOutcome['state'], detail: string | null = null): CopyOutcome => ({ state, detail })
  const to = join(folder, lane)
  const partialFile = join(to, `${name}.part`)
  try {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) return outcome('not-there')
    accessSync(folder, constants.W_OK)
    const { size } = statSync(file)
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < size + SPARE_BYTES) return outcome('full')
    if (!existsSync(to)) mkdirSync(to, { mode: 0o700 })
    const written = copied(file, partialFile)
    if (digestOf(partialFile) !== written) throw new Error('the copy differs from the backup when read back')
    renameSync(partialFile, join(to, name))
    syncPath(to)
    pruneBackups(to, name, retention)
    return outcome('copied')
  } catch (error) {
    rmSyncQuietly(partialFile)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return outcome('full', code)
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return outcome('read-only', code)
    if (code === 'ENOENT' || code === 'ENODEV' || code === 'ENXIO') return outcome('not-there', code)
    return outcome('failed', error instanceof Error ? error.message : String(error))
  }
}

function copied(from: string, to: string): string {
  const source = openSync(from, 'r')
  const target = openSync(to, 'w', 0o600)
  try {
    const hash = createHash('sha256')
    const chunk = Buffer.alloc(CHUNK)
    for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
      hash.update(chunk.subarray(0, read))
      for (let written = 0; written < read;) written += writeSync(target, chunk, written, read - written)
    }
    fsyncSync(target)
    return hash.digest('hex')
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

function digestOf(file: string): string {
  const fd = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    const chunk = Buffer.alloc(CHUNK)
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) hash.update(chunk.subarray(0, read))
    return hash.digest('hex')
  } finally {
    closeSync(fd)
  }
}

function rmSyncQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The USB stick is missing or not writable; the next copy overwrites the partial file.
  }
}

const WORKER = workerFile(import.meta.filename, 'backup-worker')

export type BackupTask =
  | { readonly kind: 'copy'; readonly copy: CopyTask }
  | { readonly kind: 'preview'; readonly files: PreviewFiles }

/** Copies on a worker thread, because a USB stick may be slow. Never rejects. */
export const copyInWorker = (copy: CopyTask): Promise<CopyOutcome> =>
  runTask<CopyOutcome>({ kind: 'copy', copy }, (detail) => ({ state: 'failed', detail }))

export const previewInWorker = (files: PreviewFiles): Promise<PreviewFound | { readonly failed: string }> =>
  runTask<PreviewFound | { readonly failed: string }>({ kind: 'preview', files }, (failed) => ({ failed }))

const runTask = <Answer>(task: BackupTask, unanswered: (why: string) => Answer): Promise<Answer> =>
  runInWorker<Answer>(WORKER, task).result.catch((error: unknown) =>
    unanswered(error instanceof Error ? error.message : String(error)),
  )
