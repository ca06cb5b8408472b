import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { systemClock } from '../../core/clock.ts'
import { lockForRestore, EXIT, StartRefusedError, type FolderToRestore } from '../../core/program/data-folder.ts'
import { type SchemaFound, readMigrations, readSchema, whyTooNew } from '../../core/db/migrate.ts'
import { type Database, syncPath } from '../../core/db/database.ts'
import { isStorageFailure } from '../../core/db/transact.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { readHighWaterMark } from '../../core/outbox/high-water.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { createSeal, type Seal } from '../../core/integrity/seal.ts'
import { programVersion } from '../../core/program/process.ts'
import { newestEntry, adoptCopy, contentsFingerprint } from './adopt-copy.ts'
import {
  type OnStep,
  type Ready,
  changeNames,
  copyToFresh,
  finishReady,
  freshOf,
  markFresh,
  counterOfMark,
  replacedFolderName,
  noStep,
  removeFresh,
  writeRestoreInstruction,
} from './restore-files.ts'

/**
 * Result for the database when a program starts after a newer one.
 * - `not-newer`: no newer program has changed its schema.
 * - `restored`: nothing relevant was written after the newer program changed it; the copy from before replaces it, and
 *   the newer database is moved to a folder in `backups`.
 * - `opens`: it is newer and stays: its mark permits this program to open and write it.
 */
export type RollbackResult =
  | { readonly kind: 'not-newer' }
  | { readonly kind: 'restored'; readonly fromSchema: number; readonly copy: string; readonly replaced: string }
  | { readonly kind: 'opens'; readonly schema: number; readonly why: string }

/** Why the copy from before the update is not restored; completes a sentence. */
type NoRollback = string

/**
 * Handles the database when the program went back to the one before an update. Call it at every start, before the
 * database is opened. The contents of the database alone decide. At any moment of a crash, the newer database or the
 * copy is complete, and the next call continues. Throws StartRefusedError when the folder cannot be locked, or when
 * this program may not open the database and no copy can replace it: then only the newer program can continue.
 */
export function rollBack(dataFolder: string, providedKey: Uint8Array | null, onStep: OnStep = noStep): RollbackResult {
  const known = readMigrations().length
  const database = join(dataFolder, 'terminal.db')
  if ((schemaIn(database)?.schema ?? 0) <= known) return { kind: 'not-newer' }
  const folder = lockForRestore(dataFolder, providedKey)
  try {
    finishReady(dataFolder, folder, onStep)
    const found = schemaIn(database)
    if (found === null || found.schema <= known) return { kind: 'not-newer' }
    const back = restoreCopy(dataFolder, folder, found, onStep)
    if (typeof back !== 'string') return back
    const refusal = whyTooNew(found, known)
    if (refusal === null) return { kind: 'opens', schema: found.schema, why: back }
    throw new StartRefusedError(
      `The database of this lane has ${refusal}. The copy from before the update was not restored: ${back}. ` +
        'Nothing was changed.',
      EXIT.dataMissing,
    )
  } finally {
    folder.release()
  }
}

function schemaIn(file: string): SchemaFound | null {
  if (!existsSync(file)) return null
  try {
    return inDatabase(file, readSchema)
  } catch {
    return null
  }
}

function restoreCopy(
  dataFolder: string,
  folder: FolderToRestore,
  newer: SchemaFound,
  onStep: OnStep,
): Extract<RollbackResult, { kind: 'restored' }> | NoRollback {
  const made = makeReady(dataFolder, folder, newer, onStep)
  if (typeof made === 'string') return made
  changeNames(dataFolder, folder, made.ready, onStep)
  return { kind: 'restored', fromSchema: newer.schema, copy: made.copy, replaced: made.ready.aside }
}

/**
 * Prepares the database from before the update under other names: copies, verifies and completes it. From then on only
 * renames remain.
 */
function makeReady(
  dataFolder: string,
  folder: FolderToRestore,
  newer: SchemaFound,
  onStep: OnStep,
): { readonly ready: Ready; readonly copy: string } | NoRollback {
  const { masterKey } = folder
  if (masterKey === null) return `there is no sealing key in ${dataFolder}`
  const seal = createSeal(masterKey)
  const { copy, why } = copyNewestBackup(dataFolder, folder, seal)
  const problem = copy === null ? why : whyUnusable(folder, copy, masterKey)
  if (copy === null || problem !== null) {
    removeFresh(folder)
    return problem ?? why
  }
  onStep('copied')
  const { mark } = adoptCopy(freshOf(folder), seal, counterOf(folder, seal), (db, tx) => {
    createAuditTrail({ db, clock: systemClock, seal }).record(tx, {
      kind: 'program-went-back',
      actorId: null,
      subject: copy,
      detail: { from: newer.mark?.program ?? `schema ${newer.schema}`, to: programVersion() },
    })
  })
  syncPath(freshOf(folder))
  onStep('completed')
  markFresh(folder, mark, seal)
  onStep('marked')
  const ready: Ready = { phase: 'ready', aside: replacedFolderName(), result: null }
  writeRestoreInstruction(dataFolder, ready)
  onStep('ready')
  return { ready, copy }
}

/**
 * Copies that a migration makes of the database before it changes it, as `data-folder.ts` names them: the schema after
 * the migration, and the time (epoch ms).
 */
const COPY = /^before-schema-\d+-(\d+)\.db$/

/**
 * Copies the newest backup that contains all relevant data to the path of the new database. Returns null without one,
 * and why the last candidate was rejected.
 */
function copyNewestBackup(
  dataFolder: string,
  folder: FolderToRestore,
  seal: Seal,
): { readonly copy: string | null; readonly why: NoRollback } {
  const backups = join(dataFolder, 'backups')
  const madeAt = (name: string): number => Number(COPY.exec(name)?.[1] ?? 0)
  const copies = readdirSync(backups)
    .filter((name) => COPY.test(name))
    .toSorted((one, other) => madeAt(other) - madeAt(one))
  let why = 'backups contains no copy that this program may open'
  // Each copy is tried: the one with the latest name is not the newest if the clock was set.
  for (const copy of copies) {
    copyToFresh(folder, join(backups, copy))
    const found = schemaIn(freshOf(folder))
    if (found === null || found.schema > readMigrations().length) continue
    const since = countedSince(folder, seal)
    if (since === null) return { copy, why }
    why = since
  }
  return { copy: null, why }
}

function whyUnusable(folder: FolderToRestore, copy: string, masterKey: Uint8Array): NoRollback | null {
  const { problem } = examineCopy(freshOf(folder), masterKey)
  return problem === null ? null : `${copy} is not sound: ${problem}`
}

/**
 * Returns what the newer database or its mark has and the copy lacks, or null. The mark is authenticated, so that
 * entries removed from the database cannot cause a restore.
 */
function countedSince(folder: FolderToRestore, seal: Seal): NoRollback | null {
  const copied = inDatabase(freshOf(folder), (db) => ({ counts: contentsFingerprint(db), entry: newestEntry(db) }))
  const marked = readHighWaterMark(folder.journalMark, seal)?.seq ?? 0
  const current = inDatabase(folder.database, countsIn)
  if (current === null) return 'the tables of the newer database differ and cannot be compared'
  return marked <= copied.entry && copied.counts === current
    ? null
    : 'the lane has been used since, and that data is only in the newer database'
}

function countsIn(db: Database): string | null {
  try {
    return contentsFingerprint(db)
  } catch (error) {
    if (isStorageFailure(error)) throw error
    return null
  }
}

const counterOf = (folder: FolderToRestore, seal: Seal): number =>
  Math.max(
    inDatabase(folder.database, (db) => Number(db.prepare('SELECT counter FROM tamper_evidence').pluck().get() ?? 0)),
    counterOfMark(folder.journalMark, seal),
  )

function inDatabase<Result>(file: string, read: (db: Database) => Result): Result {
  const db = new Sqlite(file, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}
