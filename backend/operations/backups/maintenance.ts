import type { BackupResult, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { diskSpace, lastBackup, takeBackup } from './backup.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { centralOf } from '../../core/central/services.ts'
import { noticeOfBundle } from '../bundles/new-bundle.ts'
import { salesOf } from '../../sales/sales.ts'
import { commandChannelOf } from '../../core/commands/channel.ts'
import { recordOf } from '../../core/record.ts'
import { copiesOf } from './copies.ts'
import { droppedOf, type Ctx, perLane } from '../../core/context.ts'
import { EventEmitter } from 'node:events'

/** Why a backup is made: who asked for it, where somebody did. */
interface Occasion {
  readonly kind: 'daily' | 'closing' | 'hand'
  readonly staffId: string | null
}

export type MaintenanceService = ReturnType<typeof maintenanceOf>

const LOOK_MS = 60_000
/** After a backup that failed, the next try waits this long. */
const AGAIN_MS = 3_600_000

/**
 * Backups that nobody asks for: in the first quiet minute of each business day (the store's date) and after each Z, and
 * when the program ends, if anything was written since. Its last result is kept beside the backups, so that a restart
 * still knows it.
 */
export const maintenanceOf = perLane((ctx: Ctx) => {
  const { db, clock, profile, publish, log } = ctx
  const folder = programOf(ctx).folder.backups
  const masterKey = programOf(ctx).folder.masterKey
  const watch = centralOf(ctx).watch
  const isQuiet = () => salesOf(ctx).currentId() === null && ctx.outbox.collectorMutex.idle()
  const isStopped = (): boolean => ctx.outbox.failStop.reason !== null
  const forgetCommands = commandChannelOf(ctx).forgetOld
  const record = recordOf(ctx)
  const onKept = copiesOf(ctx).onKept
  const dayOf = (atMs: number): string => localDateTimeAt(atMs, profile.timeZone).toPlainDate().toString()
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  const zBetween = db.prepare<[number, number]>('SELECT 1 FROM z_report WHERE at > ? AND at <= ? LIMIT 1')
  let last = lastBackup(folder)
  let room = diskSpace(folder, db.name)
  let underWay: Promise<BackupResult> | null = null
  let changesAtLast: number | null = null
  let callOff: (() => void) | null = null

  const maintenance = (): Maintenance => {
    const bundle = noticeOfBundle(programOf(ctx).dataFolder)
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
        onProgress: (phase, share) => backupProgressOf(ctx).emit('moved', phase, share),
        onPruned: (pruned) => droppedOf(ctx).emit('dropped', 'backups', pruned),
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
})

/** How far a backup is. */
export const backupProgressOf = perLane(
  () => new EventEmitter<{ moved: [phase: 'copying' | 'proving', share: number | null] }>(),
)
