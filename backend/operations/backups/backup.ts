import { EventEmitter } from 'node:events'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { BackupResult, type DiskSpace } from '../../../contracts/operations/diagnostics.ts'
import { isoOf } from '../../core/clock.ts'
import { syncPath } from '../../core/db/database.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { examineInWorker } from '../../core/outbox/integrity-check.ts'
import { noteProof } from '../../core/program/backup-list.ts'
import { type Ctx, droppedOf, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** Events with the progress of a backup: its phase, and the share done from 0 to 1. */
export const backupProgressOf = perLane(
  () => new EventEmitter<{ moved: [phase: 'copying' | 'proving', share: number | null] }>(),
)

/** Named by the store's date and time, so that people recognise backups and names sort by age. */
const DAILY = /^(?:daily|closing)-(\d{8}-\d{6})\.db$/
/** A manual backup is deleted when there are `MAX_MANUAL` newer ones. */
const MANUAL = /^hand-(\d{8}-\d{6})\.db$/
const MAX_MANUAL = 10
const STAMP = /\d{8}-\d{6}/
const LAST = 'last-backup.json'
/** Number of database pages copied per step while the lane works: a step takes a few milliseconds. */
const PAGES_A_STEP = 200

/**
 * Copies the database in use, verifies the copy completely, and then renames it to its final name. Returns the result
 * and never throws. Then deletes `daily` and `closing` backups older than `retentionDays` days, but never the newest
 * `retentionDays` of them, because a clock set ahead would make all of them old.
 */
export async function takeBackup(ctx: Ctx, kind: 'daily' | 'closing' | 'hand'): Promise<BackupResult> {
  const { db, clock, profile } = ctx
  const { timeZone } = profile
  const retentionDays = profile.limits.backupKeepDays
  const { backups: folder, masterKey } = programOf(ctx).folder
  const progress = backupProgressOf(ctx)
  const nowMs = clock.now()
  const at = isoOf(nowMs)
  const name = `${kind}-${stampOf(nowMs, timeZone)}.db`
  const partialFile = join(folder, `${name}.part`)
  const failed = (outcome: BackupResult['outcome'], detail: string): BackupResult => ({
    at,
    outcome,
    file: null,
    bytes: null,
    detail,
  })
  const note = (result: BackupResult): BackupResult => {
    try {
      writeFileSync(join(folder, LAST), `${JSON.stringify(result)}\n`, { mode: 0o600 })
    } catch {
      // The screens show the result even if it cannot be stored, and the database reports a disk error itself.
    }
    return result
  }
  try {
    const size = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
    const { bavail, bsize } = statfsSync(folder)
    // Twice the size must be free: after the copy the disk must still have space for the next sales.
    if (bavail * bsize < 2 * size)
      return note(
        failed(
          'no-space',
          `${Math.floor((bavail * bsize) / 1_000_000)} MB are free; the database has ${Math.ceil(size / 1_000_000)} MB`,
        ),
      )
    // Create the file with its permissions first: SQLite would make it readable for everyone. The folder protects the
    // file, but not a copy that is moved out of it.
    closeSync(openSync(partialFile, 'w', 0o600))
    await db.backup(partialFile, {
      progress({ totalPages, remainingPages }) {
        progress.emit('moved', 'copying', totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
        return PAGES_A_STEP
      },
    })
    progress.emit('moved', 'proving', null)
    const { problem } = await examineInWorker({ file: partialFile, masterKey, inUse: false })
    if (problem !== null) return note(failed('not-sound', problem))
    noteProof(folder, name, { at, problem: null })
    syncPath(partialFile)
    renameSync(partialFile, join(folder, name))
    syncPath(folder)
    const before = stampOf(nowMs - retentionDays * 24 * 3_600_000, timeZone)
    const pruned = pruneBackups(folder, name, { before, minimumCount: retentionDays })
    if (pruned > 0) droppedOf(ctx).emit('dropped', 'backups', pruned)
    return note({ at, outcome: 'kept', file: name, bytes: statSync(join(folder, name)).size, detail: null })
  } catch (error) {
    return note(failed('failed', error instanceof Error ? error.message : String(error)))
  } finally {
    for (const left of [partialFile, `${partialFile}-journal`, `${partialFile}-wal`, `${partialFile}-shm`])
      rmSync(left, { force: true })
  }
}

export function lastBackup(folder: string): BackupResult | null {
  const file = join(folder, LAST)
  if (!existsSync(file)) return null
  try {
    return BackupResult.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

export interface Retention {
  /** Backups of the kinds `daily` and `closing` older than this are deleted; a time stamp as in the file names. */
  readonly before: string
  readonly minimumCount: number
}

/**
 * Deletes expired backups of the kinds `daily` and `closing`, but not the newest `minimumCount`, and the oldest manual
 * backups beyond ten. Returns how many. `newest`: the backup just made. Backups dated after it come from a wrong clock:
 * they stay until that date has passed and do not count towards `minimumCount`, so that no correct backup is deleted
 * because of them.
 */
export function pruneBackups(folder: string, newest: string, { before, minimumCount }: Retention): number {
  const now = STAMP.exec(newest)?.[0] ?? ''
  const names = readdirSync(folder)
  const newestFirst = (pattern: RegExp): { name: string; stamp: string }[] =>
    names
      .flatMap((name) => {
        const stamp = pattern.exec(name)?.[1]
        return stamp === undefined || stamp > now ? [] : [{ name, stamp }]
      })
      .toSorted((one, other) => other.stamp.localeCompare(one.stamp))
  const old = newestFirst(DAILY)
    .slice(minimumCount)
    .filter(({ stamp }) => stamp < before)
  const going = [...old, ...newestFirst(MANUAL).slice(MAX_MANUAL)].filter(({ name }) => name !== newest)
  for (const { name } of going) rmSync(join(folder, name), { force: true })
  return going.length
}

export const stampOf = (atMs: number, timeZone: string): string =>
  localDateTimeAt(atMs, timeZone).toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '').replace('T', '-')

const MB = 1_000_000
/**
 * Space that the lane needs in addition to a backup: for the write-ahead log, text logs and the sales of some weeks.
 */
const WORKING_MB = 64
/** Free space below which even the next days' sales may not fit. */
const SHORT_MB = 32

/**
 * Returns the free space on the disk of the database, and the space that the lane needs: its working space, and twice
 * the size of the database for a backup.
 */
export function diskSpace(folder: string, database: string): DiskSpace {
  const { bavail, bsize } = statfsSync(folder)
  const freeMb = Math.floor((bavail * bsize) / MB)
  const neededMb = WORKING_MB + Math.ceil((2 * (existsSync(database) ? statSync(database).size : 0)) / MB)
  return { freeMb, neededMb, state: freeMb < SHORT_MB ? 'short' : freeMb < neededMb ? 'low' : 'enough' }
}
