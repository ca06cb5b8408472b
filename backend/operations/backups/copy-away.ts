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
import { type Kept, pruneBackups } from './backup.ts'
import { runInWorker, workerFile } from '../../core/worker.ts'
import type { PreviewFiles, PreviewFound } from './restore-preview.ts'

export interface CopyOrder {
  readonly file: string
  readonly name: string
  /** The folder of the profile: never made, since an empty place where a stick is missing is none. */
  readonly folder: string
  /** Of this lane in it: lanes may share a stick. */
  readonly lane: string
  readonly kept: Kept
}

export interface CopyOutcome {
  readonly state: 'copied' | 'not-there' | 'full' | 'read-only' | 'failed'
  readonly detail: string | null
}

const CHUNK = 1 << 20
const SPARE_BYTES = 1_000_000

/**
 * Copies a backup to the second folder, byte by byte as it is, reads it back, and only then gives it its name. Never
 * throws. Runs on a thread of its own: a slow stick holds up nobody.
 */
export function copyAway({ file, name, folder, lane, kept }: CopyOrder): CopyOutcome {
  const outcome = (state: CopyOutcome['state'], detail: string | null = null): CopyOutcome => ({ state, detail })
  const to = join(folder, lane)
  const part = join(to, `${name}.part`)
  try {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) return outcome('not-there')
    accessSync(folder, constants.W_OK)
    const { size } = statSync(file)
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < size + SPARE_BYTES) return outcome('full')
    if (!existsSync(to)) mkdirSync(to, { mode: 0o700 })
    const written = copied(file, part)
    if (digestOf(part) !== written) throw new Error('what was read back is not what was written')
    renameSync(part, join(to, name))
    syncPath(to)
    pruneBackups(to, name, kept)
    return outcome('copied')
  } catch (error) {
    rmSyncQuietly(part)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return outcome('full', code)
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return outcome('read-only', code)
    if (code === 'ENOENT' || code === 'ENODEV' || code === 'ENXIO') return outcome('not-there', code)
    return outcome('failed', error instanceof Error ? error.message : String(error))
  }
}

/** Answers the digest of what was written; it is on the disk when this returns. */
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
    // The stick is gone, or takes nothing: the next copy writes over it.
  }
}

const WORKER = workerFile(import.meta.filename, 'backup-worker')

export type BackupTask =
  | { readonly kind: 'copy'; readonly order: CopyOrder }
  | { readonly kind: 'preview'; readonly files: PreviewFiles }

/** On a thread of its own, so that neither a slow stick nor a year of sales holds up the lane. Never reject. */
export const copyBeside = (order: CopyOrder): Promise<CopyOutcome> =>
  beside<CopyOutcome>({ kind: 'copy', order }, (detail) => ({ state: 'failed', detail }))

export const previewBeside = (files: PreviewFiles): Promise<PreviewFound | { readonly failed: string }> =>
  beside<PreviewFound | { readonly failed: string }>({ kind: 'preview', files }, (failed) => ({ failed }))

const beside = <Answer>(task: BackupTask, unanswered: (why: string) => Answer): Promise<Answer> =>
  runInWorker<Answer>(WORKER, task).result.catch((error: unknown) =>
    unanswered(error instanceof Error ? error.message : String(error)),
  )
