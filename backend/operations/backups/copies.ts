import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackupCopies, type BackupKind } from '../../../contracts/operations/backups.ts'
import { isoOf } from '../../core/clock.ts'
import { stampOf } from './backup.ts'
import { fileOf, listBackups } from '../../core/program/backup-list.ts'
import { copyBeside } from './copy-away.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { recordOf } from '../../core/record.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

const LAST = 'last-copy.json'
/** A copy that was not made is tried again this much later: somebody may have put the stick back. */
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
  const { state, detail } = await copyBeside({
    file: fileOf(programOf(ctx).folder.backups, name),
    name,
    folder: to,
    lane: copiesStateOf(ctx).lane,
    kept: {
      before: stampOf(ctx.clock.now() - ctx.profile.limits.backupKeepDays * 24 * 3_600_000, ctx.profile.timeZone),
      fewest: ctx.profile.limits.backupKeepDays,
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
  keep(ctx)
  if (copiesStateOf(ctx).stopped) return
  ctx.log[copied ? 'info' : 'warn']({ name, state, detail }, 'copy of a backup to the second folder')
  // A stick that is away for weeks is one entry, not one for each try.
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
      ctx.log.error({ err: error }, 'the copy of a backup could not be recorded')
    })
    .finally(() => {
      state.underWay = null
      if (state.callOff === null) next(ctx)
    })
}

function keep(ctx: Ctx): void {
  const state = copiesStateOf(ctx)
  try {
    writeFileSync(join(programOf(ctx).folder.backups, LAST), `${JSON.stringify(state.last)}\n`, { mode: 0o600 })
  } catch {
    // Told to the screens all the same.
  }
}

/** A backup was kept. */
function onKept(ctx: Ctx, name: string): void {
  const state = copiesStateOf(ctx)
  if (state.copyTo === null) return
  state.waiting = name
  next(ctx)
}

/** Waits for a copy that is under way: at closing time the last one is wanted most. */
async function settled(ctx: Ctx): Promise<void> {
  const state = copiesStateOf(ctx)
  await state.underWay
}

function stop(ctx: Ctx): void {
  const state = copiesStateOf(ctx)
  state.stopped = true
  state.callOff?.()
}

/** Copies the newest backup where the last run did not come to it. */
function start(ctx: Ctx): void {
  const newest = listBackups(programOf(ctx).folder.backups).find(({ kind }) => COPIED.has(kind))
  if (newest && newest.name !== copiesStateOf(ctx).last.lastFile) onKept(ctx, newest.name)
}

/**
 * The second place of the backups. Each is copied there as it is when it was made, on a thread of its own; only the
 * newest waits, and a copy that fails is told, tried again, and holds up nobody.
 */
export const copiesOf = perLane((ctx: Ctx) => {
  copiesStateOf(ctx)
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      onKept,
      settled,
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
    const kept = BackupCopies.safeParse(JSON.parse(readFileSync(join(folder, LAST), 'utf8'))).data
    return kept?.folder === copyTo && kept.state !== 'copying' ? kept : none
  } catch {
    return none
  }
}
