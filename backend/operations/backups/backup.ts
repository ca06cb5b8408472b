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
import { examineBeside } from '../../core/outbox/integrity-check.ts'
import { noteProof } from '../../core/program/backup-list.ts'
import { type Ctx, droppedOf, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** How far a backup is, of 1. */
export const backupProgressOf = perLane(
  () => new EventEmitter<{ moved: [phase: 'copying' | 'proving', share: number | null] }>(),
)

/** Named by the store's date and time of day, so that a person finds the one they want and the names sort by age. */
const DAILY = /^(?:daily|closing)-(\d{8}-\d{6})\.db$/
/** Backups by hand stay until so many newer ones were made. */
const HAND = /^hand-(\d{8}-\d{6})\.db$/
const MOST_BY_HAND = 10
const STAMP = /\d{8}-\d{6}/
const LAST = 'last-backup.json'
/** Pages copied at a time while the lane works: a step takes a few milliseconds. */
const PAGES_A_STEP = 200

/**
 * Copies the database while it is in use, reads the copy to its end, and only then gives it its name. Answers what
 * became of it and never throws; daily backups older than `keepDays` go when a new one is kept, but for as many of the
 * newest: a clock that is set ahead makes all of them old at once.
 */
export async function takeBackup(ctx: Ctx, kind: 'daily' | 'closing' | 'hand'): Promise<BackupResult> {
  const { db, clock, profile } = ctx
  const { timeZone } = profile
  const keepDays = profile.limits.backupKeepDays
  const { backups: folder, masterKey } = programOf(ctx).folder
  const progress = backupProgressOf(ctx)
  const nowMs = clock.now()
  const at = isoOf(nowMs)
  const name = `${kind}-${stampOf(nowMs, timeZone)}.db`
  const part = join(folder, `${name}.part`)
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
      // Told to the screens all the same; a disk that takes no note will be heard of from the database.
    }
    return result
  }
  try {
    const size = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
    const { bavail, bsize } = statfsSync(folder)
    // A copy must not be what fills the disk that the lane needs for its next sale.
    if (bavail * bsize < 2 * size)
      return note(
        failed(
          'no-space',
          `${Math.floor((bavail * bsize) / 1_000_000)} MB are free; the database has ${Math.ceil(size / 1_000_000)} MB`,
        ),
      )
    // SQLite would make it for everybody to read: a copy is taken out of the folder that keeps others away.
    closeSync(openSync(part, 'w', 0o600))
    await db.backup(part, {
      progress({ totalPages, remainingPages }) {
        progress.emit('moved', 'copying', totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
        return PAGES_A_STEP
      },
    })
    progress.emit('moved', 'proving', null)
    const { problem } = await examineBeside({ file: part, masterKey, inUse: false })
    if (problem !== null) return note(failed('not-sound', problem))
    noteProof(folder, name, { at, problem: null })
    syncPath(part)
    renameSync(part, join(folder, name))
    syncPath(folder)
    const before = stampOf(nowMs - keepDays * 24 * 3_600_000, timeZone)
    const pruned = pruneBackups(folder, name, { before, fewest: keepDays })
    if (pruned > 0) droppedOf(ctx).emit('dropped', 'backups', pruned)
    return note({ at, outcome: 'kept', file: name, bytes: statSync(join(folder, name)).size, detail: null })
  } catch (error) {
    return note(failed('failed', error instanceof Error ? error.message : String(error)))
  } finally {
    for (const left of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) rmSync(left, { force: true })
  }
}

/** The last result that any run noted in the folder; null when there is none that can be read. */
export function lastBackup(folder: string): BackupResult | null {
  const file = join(folder, LAST)
  if (!existsSync(file)) return null
  try {
    return BackupResult.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

export interface Kept {
  /** Older backups may be removed; a time stamp as in the file names. */
  readonly before: string
  /** The number of newest backups that stay, whatever their age. */
  readonly fewest: number
}

/**
 * Removes daily backups that are not to be kept, and the oldest manual backups beyond ten. Answers how many.
 * `newest` is the backup just made. Backups dated after it come from a wrong clock: they stay until that date has
 * passed and are not counted, so no correct backup is removed because of them.
 */
export function pruneBackups(folder: string, newest: string, { before, fewest }: Kept): number {
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
    .slice(fewest)
    .filter(({ stamp }) => stamp < before)
  const going = [...old, ...newestFirst(HAND).slice(MOST_BY_HAND)].filter(({ name }) => name !== newest)
  for (const { name } of going) rmSync(join(folder, name), { force: true })
  return going.length
}

export const stampOf = (atMs: number, timeZone: string): string =>
  localDateTimeAt(atMs, timeZone).toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '').replace('T', '-')

const MB = 1_000_000
/** The log, the logs in text, and the sales of some weeks. */
const WORKING_MB = 64
/** Below this the next days' sales may not fit. */
const SHORT_MB = 32

/**
 * What is free where the database lies, and what the lane needs there: its working room, and a backup with as much
 * again.
 */
export function diskSpace(folder: string, database: string): DiskSpace {
  const { bavail, bsize } = statfsSync(folder)
  const freeMb = Math.floor((bavail * bsize) / MB)
  const neededMb = WORKING_MB + Math.ceil((2 * (existsSync(database) ? statSync(database).size : 0)) / MB)
  return { freeMb, neededMb, state: freeMb < SHORT_MB ? 'short' : freeMb < neededMb ? 'low' : 'enough' }
}
