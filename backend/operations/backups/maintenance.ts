import type { BackupResult, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { diskSpace, lastBackup, takeBackup } from './backup.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { laneTimeOf } from '../../core/lane-time.ts'
import { noticeOfBundle } from '../new-bundle.ts'
import { salesOf } from '../../sales/sales.ts'
import { commandChannelOf } from '../../core/command-channel.ts'
import { recordOf } from '../../core/record.ts'
import { copiesOf } from './copies.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

interface Occasion {
  readonly kind: 'daily' | 'closing' | 'hand'
  readonly staffId: string | null
}

const LOOK_MS = 60_000
const AGAIN_MS = 3_600_000

const maintenanceStateOf = perLane((ctx: Ctx) => {
  const changes = ctx.db.prepare<[], number>('SELECT total_changes()').pluck()
  const zBetween = ctx.db.prepare<[number, number]>('SELECT 1 FROM z_report WHERE at > ? AND at <= ? LIMIT 1')

  laneTimeOf(ctx).onChange(() => announce(ctx))
  return {
    changes,
    zBetween,
    last: lastBackup(programOf(ctx).folder.backups),
    room: diskSpace(programOf(ctx).folder.backups, ctx.db.name),
    underWay: null as Promise<BackupResult> | null,
    changesAtLast: null as number | null,
    callOff: null as (() => void) | null,
  }
})

const isQuiet = (ctx: Ctx) => salesOf(ctx).currentId() === null && ctx.outbox.collectorMutex.idle()

const isStopped = (ctx: Ctx): boolean => ctx.outbox.failStop.reason !== null

const dayOf = (ctx: Ctx, atMs: number): string => localDateTimeAt(atMs, ctx.profile.timeZone).toPlainDate().toString()

function maintenance(ctx: Ctx): Maintenance {
  const state = maintenanceStateOf(ctx)
  const bundle = noticeOfBundle(programOf(ctx).dataFolder)
  return { clock: laneTimeOf(ctx).health, backup: state.last, room: state.room, ...(bundle ? { bundle } : {}) }
}

function announce(ctx: Ctx): void {
  ctx.publish({ type: 'maintenance', maintenance: maintenance(ctx) })
}

function recordResult(ctx: Ctx, { outcome, file, bytes }: BackupResult, { kind, staffId }: Occasion): void {
  const isStored = outcome === 'kept'
  try {
    recordOf(ctx)({
      kind: isStored ? 'backup-made' : 'backup-failed',
      actorId: staffId,
      ...(file === null ? {} : { subject: file }),
      detail: isStored ? { bytes, backup: kind } : { reason: outcome, backup: kind },
    })
  } catch (error) {
    ctx.log.error({ err: error }, 'the backup could not be recorded in the audit trail')
  }
}

async function take(ctx: Ctx, occasion: Occasion): Promise<BackupResult> {
  const state = maintenanceStateOf(ctx)
  const before = state.changes.get() ?? 0
  const result = await takeBackup(ctx, occasion.kind)
  const atEnd = state.changes.get() ?? 0
  recordResult(ctx, result, occasion)
  // Changes of the backup's own audit entry are not counted: they would cause the next backup.
  if (result.outcome === 'kept') state.changesAtLast = before + (state.changes.get() ?? 0) - atEnd
  state.last = result
  ctx.log[result.outcome === 'kept' ? 'info' : 'error'](result, 'backup')
  announce(ctx)
  if (result.file !== null) copiesOf(ctx).onBackup(result.file)
  return result
}

function takeOnce(ctx: Ctx, occasion: Occasion): Promise<BackupResult> {
  const state = maintenanceStateOf(ctx)
  state.underWay ??= take(ctx, occasion).finally(() => {
    state.underWay = null
  })
  return state.underWay
}

function due(ctx: Ctx): Occasion['kind'] | null {
  const state = maintenanceStateOf(ctx)
  const now = ctx.clock.now()
  if (state.last === null) return 'daily'
  const at = Date.parse(state.last.at)
  // A result dated in the future comes from a wrong clock, so it delays nothing.
  if (state.last.outcome !== 'kept') return now < at || now - at >= AGAIN_MS ? 'daily' : null
  if (dayOf(ctx, at) !== dayOf(ctx, now)) return 'daily'
  return state.zBetween.get(at, now) === undefined ? null : 'closing'
}

function logDiskSpace(ctx: Ctx): void {
  const { room } = maintenanceStateOf(ctx)
  if (room.state !== 'enough')
    ctx.log.warn(room, `the disk of the data folder has ${room.freeMb} MB free; this lane needs ${room.neededMb} MB`)
}

function checkDiskSpace(ctx: Ctx): void {
  const state = maintenanceStateOf(ctx)
  const before = state.room.state
  state.room = diskSpace(programOf(ctx).folder.backups, ctx.db.name)
  if (state.room.state === before) return
  logDiskSpace(ctx)
  announce(ctx)
}

function scheduleCheck(ctx: Ctx): void {
  const state = maintenanceStateOf(ctx)
  state.callOff = ctx.clock.after(LOOK_MS, () => {
    checkDiskSpace(ctx)
    if (isQuiet(ctx) && !isStopped(ctx)) {
      commandChannelOf(ctx).forgetOld()
      const kind = due(ctx)
      if (kind !== null) void takeOnce(ctx, { kind, staffId: null })
    }
    scheduleCheck(ctx)
  })
}

function start(ctx: Ctx): void {
  logDiskSpace(ctx)
  scheduleCheck(ctx)
}

/**
 * Makes the backup at the end of the program. Call it when nothing else runs any more, before the database is closed.
 */
async function close(ctx: Ctx, backsUp: boolean): Promise<void> {
  const state = maintenanceStateOf(ctx)
  state.callOff?.()
  await state.underWay
  if (backsUp && !isStopped(ctx) && state.changes.get() !== state.changesAtLast)
    await takeOnce(ctx, { kind: 'closing', staffId: null })
}

/**
 * Automatic backups: in the first quiet minute of each of the store's days and after each Z report, and at the end of
 * the program if data was written since the last one. The last result is stored with the backups and survives a
 * restart.
 */
export const maintenanceOf = perLane((ctx: Ctx) => {
  maintenanceStateOf(ctx)
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      maintenance,
      start,
      close,
    }),
    backUpNow: (staffId: string): Promise<BackupResult> => takeOnce(ctx, { kind: 'hand', staffId }),
    isBackingUp: (): boolean => maintenanceStateOf(ctx).underWay !== null,
  }
})
