import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { RestoreResult } from '../contracts/api/backups.ts'
import { systemClock } from './clock.ts'
import { claimToRestore, EXIT, StartRefusedError, type FolderToRestore } from './data-folder.ts'
import type { NewEpoch } from './db/epochs.ts'
import { migrateAtOnce, readMigrations } from './db/migrate.ts'
import { createPlainTransact, type Tx } from './db/transact.ts'
import { openDatabase, type Database } from './db/open.ts'
import { syncPath } from './db/sync-path.ts'
import { createAuditTrail, type AuditEntry } from './features/staff/audit.ts'
import { adopt } from './integrity/adopt.ts'
import { followChanges } from './integrity/evidence.ts'
import { createChain } from './outbox/chain.ts'
import { openHighWaterMark, readHighWaterMark, type Mark } from './outbox/high-water.ts'
import { createSeal, type Seal } from './outbox/seal.ts'
import { examineCopy } from './outbox/integrity-check.ts'
import {
  lastRestore,
  noteEpoch,
  noteResult,
  readEpoch,
  readOrder,
  removeOrder,
  writeOrder,
  type EpochNote,
  type RestoreOrder,
} from './restore-order.ts'
import { newEpoch, readReplaced, type Replaced } from './restore-replaced.ts'

/** Told of each step by its name, after it; tests end the process there. */
export type OnStep = (step: string) => void
const noStep: OnStep = () => undefined

/** After so many starts that did not come to the end of it, a restore is given up: the old database stands. */
const MOST_ATTEMPTS = 3

/**
 * Puts a backup in the place of the database of a terminal that does not run. The replaced database is kept aside.
 * Answers what to tell the person who did it. Throws StartRefusedError, and then nothing was changed.
 */
export function restoreDatabase(dataFolder: string, from: string, providedKey: Uint8Array | null): string {
  if (!existsSync(from) || !statSync(from).isFile())
    throw new StartRefusedError(`There is no backup ${from}. Nothing was changed.`, EXIT.badArguments)
  const folder = claimToRestore(dataFolder, providedKey)
  try {
    finishReady(dataFolder, folder, noStep)
    const ready = makeReady(dataFolder, folder, from, null, noStep)
    changeNames(dataFolder, folder, ready, noStep)
    return restoreSummary(from, ready)
  } finally {
    folder.release()
  }
}

/**
 * What a manager asked for, before the terminal opens its database: restores the backup, or says why not and leaves the
 * old one. A process that ended anywhere in it comes here again: until everything is ready the old database stands,
 * and from then on only names are left to be changed. Answers null when nothing was asked for. Throws StartRefusedError
 * where the folder cannot be claimed.
 */
export function applyOrder(
  dataFolder: string,
  providedKey: Uint8Array | null,
  onStep: OnStep = noStep,
): RestoreResult | null {
  const order = readOrder(dataFolder)
  if (order === null) return null
  const folder = claimToRestore(dataFolder, providedKey)
  try {
    if (order.phase === 'ready') return finishReady(dataFolder, folder, onStep)
    if (order.attempts >= MOST_ATTEMPTS)
      return refuse(dataFolder, folder, order, 'it did not come to its end three times')
    writeOrder(dataFolder, { ...order, attempts: order.attempts + 1 })
    onStep('counted')
    try {
      changeNames(dataFolder, folder, makeReady(dataFolder, folder, order.from, order, onStep), onStep)
    } catch (error) {
      // Once it is ready nothing is given up: the next start goes on with it.
      if (readOrder(dataFolder)?.phase === 'ready') throw error
      return refuse(dataFolder, folder, order, error instanceof Error ? error.message : String(error))
    }
    return lastRestore(dataFolder)
  } finally {
    folder.release()
  }
}

type Asked = Extract<RestoreOrder, { phase: 'asked' }>
type Ready = Extract<RestoreOrder, { phase: 'ready' }>

function refuse(
  dataFolder: string,
  folder: FolderToRestore,
  { from, approverName }: Asked,
  reason: string,
): RestoreResult {
  removeFresh(folder)
  const result: RestoreResult = {
    at: new Date().toISOString(),
    backup: nameOfBackup(from),
    outcome: 'refused',
    reason,
    by: approverName,
    epoch: null,
    entriesLost: null,
    newestEntryAt: null,
    seconds: null,
  }
  noteResult(dataFolder, result)
  removeOrder(dataFolder)
  return result
}

const freshOf = ({ database }: FolderToRestore): string => `${database}.restoring`
const freshMarkOf = ({ journalMark }: FolderToRestore): string => `${journalMark}.restoring`

function removeFresh(folder: FolderToRestore): void {
  const fresh = freshOf(folder)
  for (const left of [fresh, `${fresh}-journal`, `${fresh}-wal`, `${fresh}-shm`, freshMarkOf(folder)])
    rmSync(left, { force: true })
}

/** What a restore replaced lies in a folder of its own, and its name is the folder's. */
const nameOfBackup = (from: string): string =>
  basename(from) === 'terminal.db' && basename(dirname(from)).startsWith('replaced-')
    ? basename(dirname(from))
    : basename(from)

/** Copies the backup, examines and completes it, under other names. Throws StartRefusedError: nothing was changed. */
function makeReady(
  dataFolder: string,
  folder: FolderToRestore,
  from: string,
  asked: Asked | null,
  onStep: OnStep,
): Ready {
  const began = performance.now()
  const fresh = freshOf(folder)
  removeFresh(folder)
  try {
    if (resolve(from) === resolve(folder.database))
      throw new StartRefusedError(
        `${from} is the database itself, not a backup of it. Nothing was changed.`,
        EXIT.badArguments,
      )
    const { masterKey } = folder
    if (masterKey === null)
      throw new StartRefusedError(
        `There is no sealing key in ${dataFolder}. Put the lane’s seal.key there first: without it nobody can ` +
          'tell whether the backup was changed. Nothing was changed.',
        EXIT.badArguments,
      )
    copyFileSync(from, fresh)
    // Of what a restore had replaced the log may still lie beside it.
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${fresh}-wal`)
    onStep('copied')
    const found = examineCopy(fresh, masterKey)
    const newest = readMigrations().length
    const refusal =
      found.problem ??
      (found.schema > newest
        ? `it has schema ${found.schema} and this program knows ${newest}; install the newer program`
        : null)
    if (refusal !== null)
      throw new StartRefusedError(
        `The backup ${from} cannot be restored: ${refusal}. Nothing was changed.`,
        EXIT.dataMissing,
      )
    onStep('examined')
    const replaced = readReplaced(folder.database)
    const lost = replaced === null ? null : Math.max(0, replaced.entries - found.entries)
    const seal = createSeal(masterKey)
    const { mark, epoch } = takeIntoCare(fresh, seal, markedSoFar(folder.journalMark, seal), replaced, {
      backup: nameOfBackup(from),
      newestEntryAt: found.newestEntryAt,
      entries: found.entries,
      lost,
      asked,
      noted: readEpoch(dataFolder),
    })
    syncPath(fresh)
    // Before anything of it can be used: at worst numbers are left out.
    noteEpoch(dataFolder, epoch)
    onStep('completed')
    const file = openHighWaterMark(freshMarkOf(folder), systemClock, seal)
    file.note(mark)
    file.close()
    onStep('marked')
    const ready: Ready = {
      phase: 'ready',
      aside: `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`,
      result: {
        at: new Date().toISOString(),
        backup: nameOfBackup(from),
        outcome: 'restored',
        reason: null,
        by: asked?.approverName ?? null,
        epoch: epoch.number,
        entriesLost: lost,
        newestEntryAt: found.newestEntryAt === null ? null : new Date(found.newestEntryAt).toISOString(),
        seconds: Math.round((performance.now() - began) / 100) / 10,
      },
    }
    writeOrder(dataFolder, ready)
    onStep('ready')
    return ready
  } catch (error) {
    removeFresh(folder)
    throw error
  }
}

function finishReady(dataFolder: string, folder: FolderToRestore, onStep: OnStep): RestoreResult | null {
  const order = readOrder(dataFolder)
  if (order?.phase !== 'ready') return null
  changeNames(dataFolder, folder, order, onStep)
  return order.result
}

/**
 * The old files aside, the new ones in their place. Each step is one change of a name and can be found done: a process
 * that ended between any two goes on where the names stand.
 */
function changeNames(dataFolder: string, folder: FolderToRestore, { aside, result }: Ready, onStep: OnStep): void {
  const fresh = freshOf(folder)
  const freshMark = freshMarkOf(folder)
  const to = join(dataFolder, 'backups', aside)
  const moveAside = (file: string): void => {
    if (!existsSync(file)) return
    mkdirSync(to, { recursive: true, mode: 0o700 })
    renameSync(file, join(to, basename(file)))
    onStep(`aside ${basename(file)}`)
  }
  // While the new database waits under its own name, what lies in its place is the old one.
  if (existsSync(fresh)) {
    for (const file of [`${folder.database}-wal`, `${folder.database}-shm`, folder.database]) moveAside(file)
    renameSync(fresh, folder.database)
    onStep('database in place')
  }
  if (existsSync(freshMark)) {
    moveAside(folder.journalMark)
    renameSync(freshMark, folder.journalMark)
    onStep('mark in place')
  }
  if (existsSync(to)) syncPath(to)
  syncPath(dataFolder)
  noteResult(dataFolder, result)
  onStep('told')
  removeOrder(dataFolder)
}

/** How far the database that is replaced had come, as its mark says; 0 where there is none. */
function markedSoFar(journalMark: string, seal: Seal): number {
  return readHighWaterMark(journalMark, seal)?.counter ?? 0
}

interface Restored {
  readonly backup: string
  readonly newestEntryAt: number | null
  readonly entries: number
  readonly lost: number | null
  /** Who asked for it at the lane; null on the command line. */
  readonly asked: Asked | null
  /** The newest epoch that stands beside the database. */
  readonly noted: EpochNote | null
}

/**
 * Brings the copy to the schema of this program and into the key's care, begins a new epoch in it, and writes the
 * restore to its audit trail. Answers its mark, which is newer than that of the database it replaces: put back in its
 * place, that one would be found out.
 */
function takeIntoCare(
  fresh: string,
  seal: Seal,
  markedBefore: number,
  replaced: Replaced | null,
  restored: Restored,
): { mark: Mark; epoch: EpochNote } {
  const db = openDatabase(fresh)
  try {
    migrateAtOnce(db, readMigrations(), () => {
      adopt(db, seal)
    })
    const evidence = followChanges(db, seal)
    const epoch = newEpoch(db, replaced, restored.noted)
    createPlainTransact(db)((tx) => {
      beginEpoch(tx, db, { ...epoch, at: systemClock.now(), backup: restored.backup }, replaced)
      createAuditTrail({ db, clock: systemClock, seal }).record(tx, entryOf(db, epoch.number, restored))
    })
    evidence.markStands()
    evidence.outrun(markedBefore)
    const mark = createChain({ db, seal, evidence }).end()
    db.pragma('journal_mode = DELETE')
    return { mark, epoch }
  } finally {
    db.close()
  }
}

function entryOf(db: Database, epoch: number, { backup, newestEntryAt, entries, lost, asked }: Restored): AuditEntry {
  // Whoever approved may have been added since the backup: then the trail names them, and points to nobody.
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
  // A paper that waited then was printed since, or is asked for again: it does not come out by itself.
  tx.run(db.prepare("UPDATE print_job SET state = 'unknown', detail = 'restored' WHERE state = 'queued'"))
  // Windows are those of now, at which nobody is signed in; what a window asked for then is repeated by nobody.
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

function restoreSummary(from: string, { aside, result: { newestEntryAt, entriesLost: lost, epoch } }: Ready): string {
  const since = newestEntryAt === null ? 'Its journal is empty' : `Its newest journal entry is of ${newestEntryAt}`
  const missing =
    lost === null
      ? 'The replaced database could not be read, so nobody knows how many entries are missing.'
      : lost === 0
        ? 'The replaced database had no further entries.'
        : `The replaced database had ${lost} further entries.`
  return [
    `The database was restored from ${from}.`,
    `What it replaced is kept in backups/${aside} of the data folder.`,
    `${since}. ${missing}`,
    `This is epoch ${epoch ?? ''} of the lane: no number of a sale, a return, a shift or a Z report is used again.`,
    'This terminal does not know the sales, redemptions and issuances after that. What was waiting in the ' +
      'backup is sent again with its own keys, which doubles nothing.',
    'Now ask the program for the reconciliation since that time and compare it with the store’s receipts. The ' +
      'restore is in the audit trail.',
  ].join('\n')
}
