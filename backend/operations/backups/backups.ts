import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupProof, Backups, BackupWork, RestorePreview } from '../../../contracts/operations/backups.ts'
import { isoOf } from '../../core/clock.ts'
import { epochOf } from '../../core/db/database.ts'
import { ProblemError } from '../../core/problem.ts'
import { examineBeside } from '../../core/outbox/integrity-check.ts'
import { lastRestore, writeOrder } from '../restore/restore-files.ts'
import type { Who } from '../../sales/approvals/guard.ts'
import { fileOf, kindOf, listBackups, noteProof } from '../../core/program/backup-list.ts'
import { previewBeside } from './copy-away.ts'
import type { PreviewFound } from './restore-preview.ts'
import { STANDS } from './restore-tables.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { maintenanceOf } from './maintenance.ts'
import { copiesOf } from './copies.ts'
import { recordOf } from '../../core/record.ts'
import { staffOf } from '../../staff/sign-in.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** What holds a restore up on the running lane: money or miles whose outcome is still to come. */
const IN_THE_WAY = [
  [
    'restore-redemption-open',
    "SELECT 1 FROM operation WHERE open = 1 AND kind = 'redemption' AND state IN ('intent', 'retry') LIMIT 1",
  ],
  ['restore-card-open', "SELECT 1 FROM card_transaction WHERE state IN ('asked', 'unknown') LIMIT 1"],
  [
    'restore-sale-open',
    `SELECT 1 FROM sale WHERE state = 'open' AND EXISTS (SELECT 1 FROM tender AS paid WHERE paid.sale_id = sale.id
      AND takes_back IS NULL AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = paid.sale_id
        AND back.takes_back = paid.number)) LIMIT 1`,
  ],
] as const

export type BackupsService = ReturnType<typeof backupsOf>

/** The page of the backups: what there is, one more, whether one is sound, and the way back to one. */
export const backupsOf = perLane((ctx: Ctx) => {
  const { db, transact, clock, log, audit, staffName } = ctx
  const folder = programOf(ctx).folder.backups
  const masterKey = programOf(ctx).folder.masterKey
  const maintenance = maintenanceOf(ctx)
  const copies = copiesOf(ctx)
  const dataFolder = programOf(ctx).dataFolder
  const record = recordOf(ctx)
  const database = programOf(ctx).folder.database
  const isManager = (id: string) =>
    staffOf(ctx)
      .list()
      .some((person) => person.id === id && person.role === 'manager')
  const restart = () => programOf(ctx).restart?.()
  const stands = db.prepare<[], string>(STANDS).pluck()
  const inTheWay = IN_THE_WAY.map(([problem, sql]) => [problem, db.prepare(sql)] as const)
  let work: BackupWork | null = null
  let preview: { readonly shown: RestorePreview; readonly stands: string } | null = null

  /** All that a restore would undo. */
  const whatStands = (): string => stands.get() ?? ''

  function begin(next: BackupWork): void {
    if (work !== null || maintenance.isBackingUp()) throw new ProblemError('backup-busy')
    work = next
  }

  function known(name: string): string {
    if (kindOf(name) === null || !existsSync(fileOf(folder, name))) throw new ProblemError('backup-unknown')
    return fileOf(folder, name)
  }

  /** What goes on beside the lane: its end is told to nobody but whoever asks for the list. */
  function goOn(doing: Promise<void>): void {
    void doing
      .catch((error: unknown) => {
        log.error({ err: error }, 'what was asked of the backups could not be done')
      })
      .finally(() => {
        if (work?.phase !== 'restarting') work = null
      })
  }

  function noteFound(name: string, problem: string | null): void {
    noteProof(folder, name, { at: isoOf(clock.now()), problem })
  }

  function list(): Backups {
    const { backup } = maintenance.maintenance()
    return {
      backups: listBackups(folder),
      copies: copies.state(),
      work,
      last: backup && { at: backup.at, outcome: backup.outcome },
      preview: preview?.shown ?? null,
      restored: lastRestore(dataFolder),
      epoch: epochOf(db),
    }
  }

  async function prove(name: string, staffId: string): Promise<void> {
    const { problem } = await examineBeside({ file: known(name), masterKey, inUse: false })
    noteFound(name, problem)
    record({ kind: 'backup-proved', actorId: staffId, subject: name, detail: { ok: problem === null } })
  }

  async function compare(name: string): Promise<void> {
    const before = whatStands()
    const found = await previewBeside({
      database: database,
      backup: known(name),
      scratch: join(folder, 'preview.part'),
      masterKey,
    })
    if ('failed' in found) {
      log.error({ failed: found.failed, name }, 'a backup could not be compared')
      noteFound(name, found.failed)
      return
    }
    noteFound(name, found.problem)
    preview = { shown: shownOf(name, found), stands: before }
  }

  function shownOf(name: string, found: PreviewFound): RestorePreview {
    const backup = listBackups(folder).find((one) => one.name === name)
    if (!backup) throw new ProblemError('backup-unknown')
    const { problem, ...shown } = found
    const proof: BackupProof = { state: problem === null ? 'held' : 'broken', at: isoOf(clock.now()), problem }
    const facts = { ...shown, backup: { ...backup, proof } }
    return { ...facts, covers: createHash('sha256').update(JSON.stringify(facts)).digest('base64url') }
  }

  return {
    list,
    isRestarting: (): boolean => work?.phase === 'restarting',

    /** Begins a backup and answers at once. Throws ProblemError `backup-busy`. */
    backUp(staffId: string): Backups {
      begin({ kind: 'backup', phase: 'copying', name: null, share: 0 })
      transact.afterCommit(() => {
        goOn(maintenance.backUpNow(staffId).then(() => undefined))
      })
      return list()
    },
    onProgress(phase: 'copying' | 'proving', share: number | null): void {
      if (work?.kind === 'backup') work = { ...work, phase, share }
    },

    /** Reads a backup to its end, on a thread of its own. */
    prove(name: string, staffId: string): Backups {
      known(name)
      begin({ kind: 'proof', phase: 'proving', name, share: null })
      transact.afterCommit(() => {
        goOn(prove(name, staffId))
      })
      return list()
    },

    /** Proves it and counts what a restore would lose, on a thread of its own. */
    preview(name: string): Backups {
      known(name)
      begin({ kind: 'preview', phase: 'comparing', name, share: null })
      preview = null
      transact.afterCommit(() => {
        goOn(compare(name))
      })
      return list()
    },

    /**
     * Restores what was previewed: writes the order beside the database, and ends the program in order. The next start
     * does it before it opens the database. Throws ProblemError where something moved since the preview, or is still
     * to come, and `approver-not-allowed` for whoever is no manager.
     */
    restore(covers: string, { actorId, approval }: Who): Backups {
      if (preview === null || preview.shown.covers !== covers || approval?.covers !== covers)
        throw new ProblemError('restore-preview-gone')
      const { shown } = preview
      const approvedBy = approval.by
      if (!isManager(approvedBy)) throw new ProblemError('approver-not-allowed')
      if (shown.refusal !== null) throw new ProblemError('restore-backup-paid')
      for (const [problem, statement] of inTheWay) if (statement.get() !== undefined) throw new ProblemError(problem)
      if (preview.stands !== whatStands()) throw new ProblemError('restore-changed')
      const { name } = shown.backup
      const from = known(name)
      begin({ kind: 'restore', phase: 'restarting', name, share: null })
      transact((tx) => {
        audit.record(tx, {
          kind: 'restore-asked',
          actorId: approvedBy,
          subject: name,
          detail: { askedBy: actorId, lost: shown.lost.reduce((sum, { count }) => sum + count, 0) },
        })
      })
      transact.afterCommit(() => {
        try {
          writeOrder(dataFolder, {
            phase: 'asked',
            from,
            askedBy: actorId,
            approvedBy,
            approverName: staffName(approvedBy),
            attempts: 0,
          })
        } catch (error) {
          work = null
          log.error({ err: error }, 'the restore could not be ordered')
          return
        }
        restart()
      })
      return list()
    },
  }
})
