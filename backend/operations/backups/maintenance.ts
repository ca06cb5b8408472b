import type { BackupResult, BundleNotice, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { ClockWatch } from '../../core/clock-watch.ts'
import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../core/db/database.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import type { Logger } from '../../core/log.ts'
import type { AuditEntry } from '../../core/audit.ts'
import { diskSpace, lastBackup, takeBackup } from './backup.ts'

export interface MaintenanceOptions {
  readonly db: Database
  readonly clock: Clock
  readonly profile: Pick<Profile, 'timeZone' | 'limits'>
  /** The data folder's `backups`. */
  readonly folder: string
  readonly masterKey: Uint8Array
  readonly watch: Pick<ClockWatch, 'health' | 'onChange'>
  /** Why the lane sells by another bundle than it was last given; left out where it never does. */
  readonly bundleNotice?: () => BundleNotice | undefined
  /** No sale is open and no call is on its way: a moment's delay is nobody's. */
  readonly isQuiet: () => boolean
  readonly isStopped: () => boolean
  /** Keys of commands that nobody repeats any more are forgotten. */
  readonly forgetCommands: () => void
  readonly publish: (event: TerminalEvent) => void
  /** Writes an entry of the audit trail. */
  readonly record?: (entry: AuditEntry) => void
  /** Told of each backup that was kept, and how far one is; left out where nobody listens. */
  readonly onKept?: (name: string) => void
  readonly onProgress?: (phase: 'copying' | 'proving', share: number | null) => void
  /** Told how many older backups a new one took the place of. */
  readonly onPruned?: (backups: number) => void
  readonly log: Logger
}

/** Why a backup is made: who asked for it, where somebody did. */
interface Occasion {
  readonly kind: 'daily' | 'closing' | 'hand'
  readonly staffId: string | null
}

export type MaintenanceService = ReturnType<typeof createMaintenance>

const LOOK_MS = 60_000
/** After a backup that failed, the next try waits this long. */
const AGAIN_MS = 3_600_000

/**
 * Backups that nobody asks for: in the first quiet minute of each business day (the store's date) and after each Z, and
 * when the program ends, if anything was written since. Its last result is kept beside the backups, so that a restart
 * still knows it.
 */
export function createMaintenance({
  db,
  clock,
  profile,
  folder,
  masterKey,
  watch,
  bundleNotice,
  isQuiet,
  isStopped,
  forgetCommands,
  publish,
  record,
  onKept,
  onProgress,
  onPruned,
  log,
}: MaintenanceOptions) {
  const dayOf = (atMs: number): string => localDateTimeAt(atMs, profile.timeZone).toPlainDate().toString()
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  const zBetween = db.prepare<[number, number]>('SELECT 1 FROM z_report WHERE at > ? AND at <= ? LIMIT 1')
  let last = lastBackup(folder)
  let room = diskSpace(folder, db.name)
  let underWay: Promise<BackupResult> | null = null
  let changesAtLast: number | null = null
  let callOff: (() => void) | null = null

  const maintenance = (): Maintenance => {
    const bundle = bundleNotice?.()
    return { clock: watch.health, backup: last, room, ...(bundle ? { bundle } : {}) }
  }

  function announce(): void {
    publish({ type: 'maintenance', maintenance: maintenance() })
  }

  function recordResult({ outcome, file, bytes }: BackupResult, { kind, staffId }: Occasion): void {
    const kept = outcome === 'kept'
    try {
      record?.({
        kind: kept ? 'backup-made' : 'backup-failed',
        actorId: staffId,
        ...(file === null ? {} : { subject: file }),
        detail: kept ? { bytes, backup: kind } : { reason: outcome, backup: kind },
      })
    } catch (error) {
      log.error({ err: error }, 'the backup could not be written to the audit trail')
    }
  }

  async function take(occasion: Occasion): Promise<BackupResult> {
    const before = changes.get() ?? 0
    const result = await takeBackup(
      {
        db,
        folder,
        masterKey,
        timeZone: profile.timeZone,
        keepDays: profile.limits.backupKeepDays,
        kind: occasion.kind,
        ...(onProgress ? { onProgress } : {}),
        ...(onPruned ? { onPruned } : {}),
      },
      clock.now(),
    )
    const atEnd = changes.get() ?? 0
    recordResult(result, occasion)
    // The entry of the backup is no reason for another.
    if (result.outcome === 'kept') changesAtLast = before + (changes.get() ?? 0) - atEnd
    last = result
    log[result.outcome === 'kept' ? 'info' : 'error'](result, 'backup')
    announce()
    if (result.file !== null) onKept?.(result.file)
    return result
  }
  const takeOnce = (occasion: Occasion): Promise<BackupResult> => {
    underWay ??= take(occasion).finally(() => {
      underWay = null
    })
    return underWay
  }

  function due(): Occasion['kind'] | null {
    const now = clock.now()
    if (last === null) return 'daily'
    const at = Date.parse(last.at)
    // A result of tomorrow is one of a clock that was wrong: it says nothing of today.
    if (last.outcome !== 'kept') return now < at || now - at >= AGAIN_MS ? 'daily' : null
    if (dayOf(at) !== dayOf(now)) return 'daily'
    return zBetween.get(at, now) === undefined ? null : 'closing'
  }

  const logDiskSpace = (): void => {
    if (room.state !== 'enough')
      log.warn(room, `the disk of the data folder has ${room.freeMb} MB free; this lane needs ${room.neededMb} MB`)
  }

  function checkDiskSpace(): void {
    const before = room.state
    room = diskSpace(folder, db.name)
    if (room.state === before) return
    logDiskSpace()
    announce()
  }

  function lookLater(): void {
    callOff = clock.after(LOOK_MS, () => {
      checkDiskSpace()
      if (isQuiet() && !isStopped()) {
        forgetCommands()
        const kind = due()
        if (kind !== null) void takeOnce({ kind, staffId: null })
      }
      lookLater()
    })
  }

  watch.onChange(announce)

  return {
    maintenance,
    /** A backup that a person asks for; the one under way, where there is one. */
    backUpNow: (staffId: string): Promise<BackupResult> => takeOnce({ kind: 'hand', staffId }),
    isBackingUp: (): boolean => underWay !== null,
    start(): void {
      logDiskSpace()
      lookLater()
    },
    /** The backup of closing time. Call when nobody acts any more and before the database is closed. */
    async close(backsUp: boolean): Promise<void> {
      callOff?.()
      await underWay
      if (backsUp && !isStopped() && changes.get() !== changesAtLast) await takeOnce({ kind: 'closing', staffId: null })
    },
  }
}
