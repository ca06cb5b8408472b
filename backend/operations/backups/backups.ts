import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupProof, Backups, BackupWork, RestorePreview } from '../../../contracts/operations/backups.ts'
import { isoOf } from '../../core/clock.ts'
import { epochOf } from '../../core/db/database.ts'
import { ProblemError } from '../../core/problem.ts'
import { examineInWorker } from '../../core/outbox/integrity-check.ts'
import { lastRestore, writeRestoreInstruction } from '../restore/restore-files.ts'
import type { Who } from '../../sales/approvals/guard.ts'
import { fileOf, kindOf, listBackups, noteProof } from '../../core/program/backup-list.ts'
import { previewInWorker } from './copy-backup.ts'
import type { PreviewFound } from './restore-preview.ts'
import { FINGERPRINT } from '../restore/restore-tables.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { backupProgressOf } from './backup.ts'
import { maintenanceOf } from './maintenance.ts'
import { copiesOf } from './copies.ts'
import { recordOf } from '../../core/record.ts'
import { staffOf } from '../../staff/sign-in.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import type { App } from '../../core/http/app.ts'
import { diagnosticsContract, backupsContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'

/**
 * SQL for work that blocks a restore: a redemption or card payment without an outcome, or an open sale with a payment.
 */
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

const backupsStateOf = perLane((ctx: Ctx) => {
  const fingerprint = ctx.db.prepare<[], string>(FINGERPRINT).pluck()
  const inTheWay = IN_THE_WAY.map(([problem, sql]) => [problem, ctx.db.prepare(sql)] as const)
  return {
    fingerprint,
    inTheWay,
    work: null as BackupWork | null,
    preview: null as { readonly shown: RestorePreview; readonly fingerprint: string } | null,
  }
})

const isManager = (ctx: Ctx, id: string) =>
  staffOf(ctx)
    .list()
    .some((person) => person.id === id && person.role === 'manager')

const restart = (ctx: Ctx) => programOf(ctx).restart?.()

const fingerprintOf = (ctx: Ctx): string => backupsStateOf(ctx).fingerprint.get() ?? ''

function begin(ctx: Ctx, next: BackupWork): void {
  const state = backupsStateOf(ctx)
  if (state.work !== null || maintenanceOf(ctx).isBackingUp()) throw new ProblemError('backup-busy')
  state.work = next
}

function known(ctx: Ctx, name: string): string {
  const folder = programOf(ctx).folder.backups
  if (kindOf(name) === null || !existsSync(fileOf(folder, name))) throw new ProblemError('backup-unknown')
  return fileOf(folder, name)
}

function runInBackground(ctx: Ctx, doing: Promise<void>): void {
  const state = backupsStateOf(ctx)
  void doing
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'work on a backup failed')
    })
    .finally(() => {
      if (state.work?.phase !== 'restarting') state.work = null
    })
}

function noteFound(ctx: Ctx, name: string, problem: string | null): void {
  noteProof(programOf(ctx).folder.backups, name, { at: isoOf(ctx.clock.now()), problem })
}

function list(ctx: Ctx): Backups {
  const state = backupsStateOf(ctx)
  const { backup } = maintenanceOf(ctx).maintenance()
  return {
    backups: listBackups(programOf(ctx).folder.backups),
    copies: copiesOf(ctx).state(),
    work: state.work,
    last: backup && { at: backup.at, outcome: backup.outcome },
    preview: state.preview?.shown ?? null,
    restored: lastRestore(programOf(ctx).dataFolder),
    epoch: epochOf(ctx.db),
  }
}

async function prove(ctx: Ctx, name: string, staffId: string): Promise<void> {
  const { problem } = await examineInWorker({
    file: known(ctx, name),
    masterKey: programOf(ctx).folder.masterKey,
    inUse: false,
  })
  noteFound(ctx, name, problem)
  recordOf(ctx)({ kind: 'backup-proved', actorId: staffId, subject: name, detail: { ok: problem === null } })
}

async function compare(ctx: Ctx, name: string): Promise<void> {
  const state = backupsStateOf(ctx)
  const before = fingerprintOf(ctx)
  const found = await previewInWorker({
    database: programOf(ctx).folder.database,
    backup: known(ctx, name),
    scratch: join(programOf(ctx).folder.backups, 'preview.part'),
    masterKey: programOf(ctx).folder.masterKey,
  })
  if ('failed' in found) {
    ctx.log.error({ failed: found.failed, name }, 'the comparison with a backup failed')
    noteFound(ctx, name, found.failed)
    return
  }
  noteFound(ctx, name, found.problem)
  state.preview = { shown: previewOf(ctx, name, found), fingerprint: before }
}

function previewOf(ctx: Ctx, name: string, found: PreviewFound): RestorePreview {
  const backup = listBackups(programOf(ctx).folder.backups).find((one) => one.name === name)
  if (!backup) throw new ProblemError('backup-unknown')
  const { problem, ...shown } = found
  const proof: BackupProof = { state: problem === null ? 'held' : 'broken', at: isoOf(ctx.clock.now()), problem }
  const facts = { ...shown, backup: { ...backup, proof } }
  return { ...facts, covers: createHash('sha256').update(JSON.stringify(facts)).digest('base64url') }
}

/** Starts a backup and returns at once. Throws ProblemError `backup-busy`. */
function backUp(ctx: Ctx, staffId: string): Backups {
  begin(ctx, { kind: 'backup', phase: 'copying', name: null, share: 0 })
  ctx.transact.afterCommit(() => {
    runInBackground(
      ctx,
      maintenanceOf(ctx)
        .backUpNow(staffId)
        .then(() => undefined),
    )
  })
  return list(ctx)
}

function onProgress(ctx: Ctx, phase: 'copying' | 'proving', share: number | null): void {
  const state = backupsStateOf(ctx)
  if (state.work?.kind === 'backup') state.work = { ...state.work, phase, share }
}

function preview(ctx: Ctx, name: string): Backups {
  const state = backupsStateOf(ctx)
  known(ctx, name)
  begin(ctx, { kind: 'preview', phase: 'comparing', name, share: null })
  state.preview = null
  ctx.transact.afterCommit(() => {
    runInBackground(ctx, compare(ctx, name))
  })
  return list(ctx)
}

/**
 * Writes the instruction to restore the previewed backup next to the database, and restarts the program, which restores
 * the backup before it opens the database. Throws ProblemError `restore-preview-gone`, `approver-not-allowed` unless a
 * manager approves, `restore-backup-paid`, a problem of `IN_THE_WAY`, `restore-changed`, `backup-unknown` or
 * `backup-busy`.
 */
function restore(ctx: Ctx, covers: string, { actorId, approval }: Who): Backups {
  const state = backupsStateOf(ctx)
  if (state.preview === null || state.preview.shown.covers !== covers || approval?.covers !== covers)
    throw new ProblemError('restore-preview-gone')
  const { shown } = state.preview
  const approvedBy = approval.by
  if (!isManager(ctx, approvedBy)) throw new ProblemError('approver-not-allowed')
  if (shown.refusal !== null) throw new ProblemError('restore-backup-paid')
  for (const [problem, statement] of state.inTheWay) if (statement.get() !== undefined) throw new ProblemError(problem)
  if (state.preview.fingerprint !== fingerprintOf(ctx)) throw new ProblemError('restore-changed')
  const { name } = shown.backup
  const from = known(ctx, name)
  begin(ctx, { kind: 'restore', phase: 'restarting', name, share: null })
  ctx.transact((tx) => {
    ctx.audit.record(tx, {
      kind: 'restore-asked',
      actorId: approvedBy,
      subject: name,
      detail: { askedBy: actorId, lost: shown.lost.reduce((sum, { count }) => sum + count, 0) },
    })
  })
  ctx.transact.afterCommit(() => {
    try {
      writeRestoreInstruction(programOf(ctx).dataFolder, {
        phase: 'asked',
        from,
        askedBy: actorId,
        approvedBy,
        approverName: ctx.staffName(approvedBy),
        attempts: 0,
      })
    } catch (error) {
      state.work = null
      ctx.log.error({ err: error }, 'the restore could not be requested')
      return
    }
    restart(ctx)
  })
  return list(ctx)
}

export const backupsOf = perLane((ctx: Ctx) => {
  backupsStateOf(ctx)
  backupProgressOf(ctx).on('moved', (...moved) => onProgress(ctx, ...moved))
  return {
    ...bound(ctx, {
      list,
      backUp,
      preview,
      restore,
    }),
    isRestarting: (): boolean => backupsStateOf(ctx).work?.phase === 'restarting',

    prove(name: string, staffId: string): Backups {
      known(ctx, name)
      begin(ctx, { kind: 'proof', phase: 'proving', name, share: null })
      ctx.transact.afterCommit(() => {
        runInBackground(ctx, prove(ctx, name, staffId))
      })
      return list(ctx)
    },
  }
})

export function maintenanceRoutes(ctx: Ctx, app: App): void {
  const service = maintenanceOf(ctx)
  serve(app, diagnosticsContract['GET /diagnostics/maintenance'], async () => service.maintenance())
}

/**
 * Backups of the lane and their restore. Long work continues in the background: poll the list of backups for its end.
 */
export function backupRoutes(ctx: Ctx, app: App): void {
  const backups = backupsOf(ctx)
  serve(app, backupsContract['GET /backups'], () => backups.list())
  serve(app, backupsContract['POST /backups'], (request) => backups.backUp(signedIn(request).id))
  serve(app, backupsContract['POST /backups/:name/proof'], (request) =>
    backups.prove(request.params.name, signedIn(request).id),
  )
  serve(app, backupsContract['POST /backups/:name/preview'], (request) => backups.preview(request.params.name))
  serve(app, backupsContract['POST /backups/restore'], (request) =>
    backups.restore(request.body.covers, whoOf(request)),
  )
}
