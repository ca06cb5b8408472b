import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackupCopies, type BackupKind } from '../../../contracts/operations/backups.ts'
import { isoOf } from '../../core/clock.ts'
import { stampOf } from './backup.ts'
import { fileOf, listBackups } from '../../core/program/backup-list.ts'
import { copyInWorker } from './copy-backup.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { recordOf } from '../../core/record.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

const LAST = 'last-copy.json'
/** Interval between tries of a failed copy, for example while the USB stick is not plugged in. */
const AGAIN_MS = 10 * 60_000
const COPIED: ReadonlySet<BackupKind> = new Set(['daily', 'closing', 'hand'])

export type Copies = ReturnType<typeof copiesOf>

const copiesStateOf = perLane((ctx: Ctx) => {
  const copyTo = ctx.profile.backups.copyTo ?? null
  const lane = `${ctx.profile.store.id}-${ctx.lane.id}`.replace(/[^A-Za-z0-9-]+/g, '-')
  return {
    copyTo,
    lane,
    last: lastCopy(programOf(ctx).folder.backups, copyTo),
    waiting: null as string | null,
    underWay: null as Promise<void> | null,
    callOff: null as (() => void) | null,
    stopped: false,
  }
})

async function copy(ctx: Ctx, name: string, to: string): Promise<void> {
  const record = recordOf(ctx)
  const before = copiesStateOf(ctx).last.state
  copiesStateOf(ctx).last = { ...copiesStateOf(ctx).last, state: 'copying' }
  const { state, detail } = await copyInWorker({
    file: fileOf(programOf(ctx).folder.backups, name),
    name,
    folder: to,
    lane: copiesStateOf(ctx).lane,
    retention: {
      before: stampOf(ctx.clock.now() - ctx.profile.limits.backupKeepDays * 24 * 3_600_000, ctx.profile.timeZone),
      minimumCount: ctx.profile.limits.backupKeepDays,
    },
  })
  const copied = state === 'copied'
  copiesStateOf(ctx).last = {
    folder: to,
    state,
    detail,
    lastAt: copied ? isoOf(ctx.clock.now()) : copiesStateOf(ctx).last.lastAt,
    lastFile: copied ? name : copiesStateOf(ctx).last.lastFile,
  }
  storeLast(ctx)
  if (copiesStateOf(ctx).stopped) return
  ctx.log[copied ? 'info' : 'warn']({ name, state, detail }, 'copied a backup to the second folder')
  // Of equal failures only the first is recorded: a USB stick that is missing for weeks makes one audit entry, not one
  // per try.
  if (copied) record({ kind: 'backup-copied', actorId: null, subject: name })
  else if (before !== state)
    record({ kind: 'backup-copy-failed', actorId: null, subject: name, detail: { reason: state } })
  if (!copied && copiesStateOf(ctx).waiting === null) {
    copiesStateOf(ctx).waiting = name
    copiesStateOf(ctx).callOff = ctx.clock.after(AGAIN_MS, () => next(ctx))
  }
}

function next(ctx: Ctx): void {
  const state = copiesStateOf(ctx)
  if (state.underWay !== null || state.waiting === null || state.copyTo === null) return
  state.callOff?.()
  state.callOff = null
  const name = state.waiting
  state.waiting = null
  if (!existsSync(fileOf(programOf(ctx).folder.backups, name))) return
  state.underWay = copy(ctx, name, state.copyTo)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the copy of a backup could not be recorded in the audit trail')
    })
    .finally(() => {
      state.underWay = null
      if (state.callOff === null) next(ctx)
    })
}

function storeLast(ctx: Ctx): void {
  const state = copiesStateOf(ctx)
  try {
    writeFileSync(join(programOf(ctx).folder.backups, LAST), `${JSON.stringify(state.last)}\n`, { mode: 0o600 })
  } catch {}
}

function onBackup(ctx: Ctx, name: string): void {
  const state = copiesStateOf(ctx)
  if (state.copyTo === null) return
  state.waiting = name
  next(ctx)
}

/** Waits for the running copy: the backup made when the program stops is the newest, so its copy matters most. */
async function whenIdle(ctx: Ctx): Promise<void> {
  const state = copiesStateOf(ctx)
  await state.underWay
}

function stop(ctx: Ctx): void {
  const state = copiesStateOf(ctx)
  state.stopped = true
  state.callOff?.()
}

/** Copies the newest backup, unless an earlier run of the program has copied it. */
function start(ctx: Ctx): void {
  const newest = listBackups(programOf(ctx).folder.backups).find(({ kind }) => COPIED.has(kind))
  if (newest && newest.name !== copiesStateOf(ctx).last.lastFile) onBackup(ctx, newest.name)
}

/**
 * Copies each new backup to the second backup folder on a worker thread. Of several waiting ones only the newest is
 * copied. A failed copy is reported and tried again, and delays no other work.
 */
export const copiesOf = perLane((ctx: Ctx) => {
  copiesStateOf(ctx)
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      onBackup,
      whenIdle,
      stop,
    }),
    state: (): BackupCopies => copiesStateOf(ctx).last,
  }
})

function lastCopy(folder: string, copyTo: string | null): BackupCopies {
  const none: BackupCopies = {
    folder: copyTo,
    state: copyTo === null ? 'off' : 'waiting',
    lastAt: null,
    lastFile: null,
    detail: null,
  }
  if (copyTo === null) return none
  try {
    const stored = BackupCopies.safeParse(JSON.parse(readFileSync(join(folder, LAST), 'utf8'))).data
    return stored?.folder === copyTo && stored.state !== 'copying' ? stored : none
  } catch {
    return none
  }
}
