import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackupCopies, type BackupKind } from '../../../contracts/operations/backups.ts'
import { isoOf } from '../../core/clock.ts'
import { stampOf } from './backup.ts'
import { fileOf, listBackups } from '../../core/program/backup-list.ts'
import { copyBeside } from './copy-away.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { recordOf } from '../../core/record.ts'
import { type Ctx, perLane } from '../../core/context.ts'

const LAST = 'last-copy.json'
/** A copy that was not made is tried again this much later: somebody may have put the stick back. */
const AGAIN_MS = 10 * 60_000
const COPIED: ReadonlySet<BackupKind> = new Set(['daily', 'closing', 'hand'])

export type Copies = ReturnType<typeof copiesOf>

/**
 * The second place of the backups. Each is copied there as it is when it was made, on a thread of its own; only the
 * newest waits, and a copy that fails is told, tried again, and holds up nobody.
 */
export const copiesOf = perLane((ctx: Ctx) => {
  const { clock, log } = ctx
  const folder = programOf(ctx).folder.backups
  const copyTo = ctx.profile.backups.copyTo ?? null
  const lane = `${ctx.profile.store.id}-${ctx.lane.id}`.replace(/[^A-Za-z0-9-]+/g, '-')
  const { timeZone } = ctx.profile
  const keepDays = ctx.profile.limits.backupKeepDays
  const record = recordOf(ctx)
  let last = lastCopy(folder, copyTo)
  let waiting: string | null = null
  let underWay: Promise<void> | null = null
  let callOff: (() => void) | null = null
  let stopped = false

  async function copy(name: string, to: string): Promise<void> {
    const before = last.state
    last = { ...last, state: 'copying' }
    const { state, detail } = await copyBeside({
      file: fileOf(folder, name),
      name,
      folder: to,
      lane,
      kept: { before: stampOf(clock.now() - keepDays * 24 * 3_600_000, timeZone), fewest: keepDays },
    })
    const copied = state === 'copied'
    last = {
      folder: to,
      state,
      detail,
      lastAt: copied ? isoOf(clock.now()) : last.lastAt,
      lastFile: copied ? name : last.lastFile,
    }
    keep()
    if (stopped) return
    log[copied ? 'info' : 'warn']({ name, state, detail }, 'copy of a backup to the second folder')
    // A stick that is away for weeks is one entry, not one for each try.
    if (copied) record({ kind: 'backup-copied', actorId: null, subject: name })
    else if (before !== state)
      record({ kind: 'backup-copy-failed', actorId: null, subject: name, detail: { reason: state } })
    if (!copied && waiting === null) {
      waiting = name
      callOff = clock.after(AGAIN_MS, next)
    }
  }

  function next(): void {
    if (underWay !== null || waiting === null || copyTo === null) return
    callOff?.()
    callOff = null
    const name = waiting
    waiting = null
    if (!existsSync(fileOf(folder, name))) return
    underWay = copy(name, copyTo)
      .catch((error: unknown) => {
        log.error({ err: error }, 'the copy of a backup could not be recorded')
      })
      .finally(() => {
        underWay = null
        if (callOff === null) next()
      })
  }

  function keep(): void {
    try {
      writeFileSync(join(folder, LAST), `${JSON.stringify(last)}\n`, { mode: 0o600 })
    } catch {
      // Told to the screens all the same.
    }
  }

  return {
    state: (): BackupCopies => last,
    /** Copies the newest backup where the last run did not come to it. */
    start(): void {
      const newest = listBackups(folder).find(({ kind }) => COPIED.has(kind))
      if (newest && newest.name !== last.lastFile) this.onKept(newest.name)
    },
    /** A backup was kept. */
    onKept(name: string): void {
      if (copyTo === null) return
      waiting = name
      next()
    },
    /** Waits for a copy that is under way: at closing time the last one is wanted most. */
    async settled(): Promise<void> {
      await underWay
    },
    stop(): void {
      stopped = true
      callOff?.()
    },
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
