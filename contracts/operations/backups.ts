import { z } from 'zod'
import { BACKUP_KINDS, COPY_STATES, LOST_KINDS } from './kinds.ts'
import { Cents } from '../core/money.ts'
import { Approval, ApprovalTerms } from '../sales/sale-changes.ts'

/**
 * Why a backup was made. `daily`: the first idle minute of a day; `closing`: after a Z report, and when the terminal
 * closed; `hand`: at the request of a manager; `before-migration`: before a change of the schema; `before-restore`: the
 * database that a restore replaced.
 */
export const BackupKind = z.enum(BACKUP_KINDS)
export type BackupKind = z.infer<typeof BackupKind>

/** Whether a backup was verified, with the result. `none`: not verified yet. */
export const BackupProof = z.object({
  state: z.enum(['held', 'broken', 'none']),
  at: z.string().nullable(),
  problem: z.string().nullable().describe('a short technical reason, in English'),
})
export type BackupProof = z.infer<typeof BackupProof>

export const BackupName = z.string().regex(/^(?:replaced-[\w-]{1,60}|[a-z]+(?:-[\w]+){1,6}\.db)$/)

export const ListedBackup = z.object({
  name: BackupName,
  kind: BackupKind,
  at: z.string(),
  bytes: z.int(),
  proof: BackupProof,
})
export type ListedBackup = z.infer<typeof ListedBackup>

/**
 * State of the second backup folder of the profile. `off`: the profile names none; `waiting`: nothing was copied yet.
 * The other states are the result of the last attempt to copy a backup; `lastAt` and `lastFile` are those of the last
 * complete copy.
 */
export const BackupCopies = z.object({
  folder: z.string().nullable(),
  state: z.enum(COPY_STATES),
  lastAt: z.string().nullable(),
  lastFile: z.string().nullable(),
  detail: z.string().nullable(),
})
export type BackupCopies = z.infer<typeof BackupCopies>

/** Work on a backup in progress, one at a time. `share`: from 0 to 1; null while unknown. */
export const BackupWork = z.object({
  kind: z.enum(['backup', 'proof', 'preview', 'restore']),
  phase: z.enum(['copying', 'proving', 'comparing', 'restarting']),
  name: BackupName.nullable(),
  share: z.number().min(0).max(1).nullable(),
})
export type BackupWork = z.infer<typeof BackupWork>

export const RestoreResult = z.object({
  at: z.string(),
  backup: z.string(),
  outcome: z.enum(['restored', 'refused']),
  reason: z.string().nullable().describe('a short technical reason, in English'),
  by: z.string().nullable(),
  epoch: z.int().nullable(),
  entriesLost: z.int().nullable(),
  newestEntryAt: z.string().nullable(),
  seconds: z.number().nullable(),
})
export type RestoreResult = z.infer<typeof RestoreResult>

export const LostRecord = z.object({
  id: z.string(),
  at: z.string().nullable(),
  amountCents: Cents.nullable(),
  /**
   * Further identification of the record: a confirmation number, the last four of a voucher, which data of a person
   * changed.
   */
  detail: z.string().nullable(),
})
export type LostRecord = z.infer<typeof LostRecord>

export const LostKind = z.enum(LOST_KINDS)
export type LostKind = z.infer<typeof LostKind>

/** All records of one kind that a restore would lose: their number and sum, and the newest ones by name. */
export const LostGroup = z.object({
  kind: LostKind,
  count: z.int().min(0),
  totalCents: Cents.nullable(),
  newest: z.array(LostRecord),
})
export type LostGroup = z.infer<typeof LostGroup>

export const RestorePreview = z.object({
  /** Identifies what this preview showed: the manager's approval covers only a restore with the same losses. */
  covers: ApprovalTerms,
  backup: ListedBackup,
  newestEntryAt: z.string().nullable(),
  lost: z.array(LostGroup),
  /** Calls that wait in the backup. After the restore they are sent with their stored bytes and idempotency keys. */
  waits: z.int().min(0),
  /**
   * Waiting calls in the backup that the program has answered since: it recognises their idempotency keys, so their
   * miles count once.
   */
  answeredSince: z.int().min(0),
  /** Sales that are open or on hold in the backup: they must be cancelled and rung again. */
  openSales: z.int().min(0),
  refusal: z.enum(['broken', 'newer-program', 'paid-sale']).nullable(),
})
export type RestorePreview = z.infer<typeof RestorePreview>

export const Backups = z.object({
  backups: z.array(ListedBackup),
  copies: BackupCopies,
  work: BackupWork.nullable(),
  /** Result of the last backup or verification that was requested in this run of the program. `kept`: stored. */
  last: z.object({ at: z.string(), outcome: z.enum(['kept', 'no-space', 'not-sound', 'failed']) }).nullable(),
  preview: RestorePreview.nullable(),
  restored: RestoreResult.nullable(),
  epoch: z.int().min(1),
})
export type Backups = z.infer<typeof Backups>

/**
 * Body of POST /api/backups/restore: restores the backup of the preview that was shown, with a manager's PIN. The
 * terminal then restarts.
 */
export const RestoreRequest = z.object({ covers: ApprovalTerms, approval: Approval })
export type RestoreRequest = z.infer<typeof RestoreRequest>
