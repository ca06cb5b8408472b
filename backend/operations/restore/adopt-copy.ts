import { systemClock } from '../../core/clock.ts'
import { migrateAtOnce, readMigrations } from '../../core/db/migrate.ts'
import { type Database, type NewEpoch, openDatabase } from '../../core/db/database.ts'
import { type Tx, createPlainTransact } from '../../core/db/transact.ts'
import { type AuditEntry, createAuditTrail } from '../../core/audit.ts'
import { adopt } from '../../core/integrity/state.ts'
import { followChanges } from '../../core/integrity/evidence.ts'
import { createChain } from '../../core/outbox/chain.ts'
import type { Mark } from '../../core/outbox/high-water.ts'
import type { Seal } from '../../core/integrity/seal.ts'
import type { EpochNote, RestoreInstruction } from './restore-files.ts'
import { type Replaced, newEpoch } from './restore-replaced.ts'
import { FINGERPRINT } from './restore-tables.ts'

export type RequestedRestore = Extract<RestoreInstruction, { phase: 'asked' }>

export interface Restored {
  readonly backup: string
  readonly newestEntryAt: number | null
  readonly entries: number
  readonly lost: number | null
  readonly asked: RequestedRestore | null
  readonly noted: EpochNote | null
}

/**
 * Migrates a copy of the database to this program's schema, adopts it under the sealing key, and runs the work in it.
 * Returns its mark. The mark's counter is above `before`, the counter of the replaced database, so that a start detects
 * the replaced database if it is put back.
 */
export function adoptCopy<Result>(
  fresh: string,
  seal: Seal,
  before: number,
  work: (db: Database, tx: Tx) => Result,
): { mark: Mark; result: Result } {
  const db = openDatabase(fresh)
  try {
    migrateAtOnce(db, readMigrations(), () => {
      adopt(db, seal)
    })
    const evidence = followChanges(db, seal)
    const result = createPlainTransact(db)((tx) => work(db, tx))
    evidence.confirmMark()
    evidence.raiseCounter(before)
    const mark = createChain({ db, seal, evidence }).end()
    db.pragma('journal_mode = DELETE')
    return { mark, result }
  } finally {
    db.close()
  }
}

/** Starts a new epoch in a restored copy, and records the restore in its audit trail. Returns the new epoch. */
export function beginRestored(
  db: Database,
  tx: Tx,
  seal: Seal,
  replaced: Replaced | null,
  restored: Restored,
): EpochNote {
  const epoch = newEpoch(db, replaced, restored.noted)
  beginEpoch(tx, db, { ...epoch, at: systemClock.now(), backup: restored.backup }, replaced)
  createAuditTrail({ db, clock: systemClock, seal }).record(tx, entryOf(db, epoch.number, restored))
  return epoch
}

function entryOf(db: Database, epoch: number, { backup, newestEntryAt, entries, lost, asked }: Restored): AuditEntry {
  // A person who was added after the backup does not exist in the copy, so the entry has only their name.
  const known = asked !== null && db.prepare('SELECT 1 FROM staff WHERE id = ?').get(asked.approvedBy) !== undefined
  return {
    kind: 'database-restored',
    actorId: known ? asked.approvedBy : null,
    subject: backup,
    detail: {
      journalEntries: entries,
      newestEntry: newestEntryAt === null ? null : new Date(newestEntryAt).toISOString(),
      entriesLost: lost,
      epoch,
      ...(asked === null ? {} : { approvedBy: asked.approverName }),
      todo: 'ask the program for the reconciliation since the newest entry',
    },
  }
}

function beginEpoch(tx: Tx, db: Database, epoch: NewEpoch, replaced: Replaced | null): void {
  tx.run(
    db.prepare(`INSERT INTO lane_epoch (number, at, backup, first_sequence, first_z, first_shift, first_movement)
      VALUES (@number, @at, @backup, @firstSequence, @firstZ, @firstShift, @firstMovement)`),
    epoch,
  )
  // Print jobs that wait in the backup may have been printed since, so they are not printed by themselves.
  tx.run(db.prepare("UPDATE print_job SET state = 'unknown', detail = 'restored' WHERE state = 'queued'"))
  // E-mails that wait in the backup may have been sent since, and their addresses deleted.
  tx.run(
    db.prepare(
      `UPDATE receipt_delivery SET state = 'failed', problem = 'restored', message = NULL, next_at = NULL, ended_at = ?
        WHERE state = 'waiting'`,
    ),
    epoch.at,
  )
  // The windows keep their access, without a signed-in person. No client repeats the commands that are stored in the
  // backup.
  tx.run(db.prepare('DELETE FROM command'))
  if (replaced === null) return
  tx.run(db.prepare('DELETE FROM window_session'))
  const addWindow = db.prepare(
    'INSERT INTO window_session (secret_hash, window_id, opened_at) VALUES (@key, @window, @openedAt)',
  )
  for (const window of replaced.windows) tx.run(addWindow, window)
  const hasDraft = db.prepare('SELECT 1 FROM operation_draft WHERE operation_id = ?')
  const hasCall = db.prepare('SELECT 1 FROM operation_call WHERE operation_id = ?')
  const addCall = db.prepare(`INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id,
    date_time, request_sealed, request_sha256)
    VALUES (@operationId, @purpose, @path, @key, @traceId, @dateTime, @sealed, @sha256)`)
  for (const call of replaced.completedDrafts)
    if (hasDraft.get(call.operationId) !== undefined && hasCall.get(call.operationId) === undefined)
      tx.run(addCall, call)
}

/**
 * Audit entries that a program makes by starting and stopping, without a person: about its own backups, and sign-outs
 * by a restart.
 */
const BY_ITSELF = `((actor_id IS NULL
    AND kind IN ('backup-made', 'backup-failed', 'backup-copied', 'backup-copy-failed'))
  OR (kind = 'sign-out' AND detail ->> '$.why' = 'restart'))`

/**
 * Newest entries of the chains and the number of rows of each kind, in plain SQL over tables and columns that no
 * migration removes (docs/releases.md). If two databases give the same, neither has an entry, a document, a call or a
 * transfer to the store that the other lacks.
 */
const COUNTS = `SELECT json_array(
  (SELECT json_array(seq, hex(hash)) FROM journal_entry ORDER BY seq DESC LIMIT 1),
  (SELECT count(*) FROM audit_entry WHERE NOT ${BY_ITSELF}),
  (SELECT json_array(id, hex(hash)) FROM audit_entry WHERE NOT ${BY_ITSELF} ORDER BY id DESC LIMIT 1),
  (SELECT json_group_array(json_array(state, number, begun)) FROM (
    SELECT state, count(*) AS number, count(started_at) AS begun FROM print_job GROUP BY state ORDER BY state)),
  (SELECT count(*) FROM operation_call),
  (SELECT max(number) FROM lane_epoch),
  (SELECT json_group_array((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch))
    FROM (SELECT epoch FROM store_stream ORDER BY epoch) AS stream),
  (SELECT json_group_array(json_array(id, state)) FROM (SELECT id, state FROM store_hold ORDER BY id)),
  (${FINGERPRINT}))`

/**
 * Fingerprint of the journal, the audit trail, the documents, the calls, and everything that a restore preview names.
 */
export const contentsFingerprint = (db: Database): string => db.prepare<[], string>(COUNTS).pluck().get() ?? ''

export const newestEntry = (db: Database): number =>
  db.prepare<[], number | null>('SELECT max(seq) FROM journal_entry').pluck().get() ?? 0
