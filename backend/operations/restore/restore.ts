import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Refusal, Sentence } from '../../../contracts/core/refusal.ts'
import type { RestoreResult } from '../../../contracts/operations/backups.ts'
import { lockForRestore, EXIT, StartRefusedError, type FolderToRestore } from '../../core/program/data-folder.ts'
import { readMigrations, whyTooNew } from '../../core/db/migrate.ts'
import { syncPath } from '../../core/db/database.ts'
import { createSeal } from '../../core/integrity/seal.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { beginRestored, adoptCopy, type RequestedRestore } from './adopt-copy.ts'
import {
  type OnStep,
  type Ready,
  changeNames,
  copyToFresh,
  finishReady,
  freshOf,
  lastRestore,
  markFresh,
  counterOfMark,
  replacedFolderName,
  nameOfBackup,
  noStep,
  noteEpoch,
  noteResult,
  readEpoch,
  readRestoreInstruction,
  removeFresh,
  removeRestoreInstruction,
  writeRestoreInstruction,
} from './restore-files.ts'
import { readReplaced } from './restore-replaced.ts'

/**
 * Number of starts that end before a restore is ready, after which it is given up and the old database stays. See
 * docs/decisions/0031-a-restore-begins-an-epoch.md.
 */
const MAX_ATTEMPTS = 3

/**
 * Replaces the database of a stopped terminal by a backup and keeps the replaced one. Returns messages for the person,
 * line by line. Throws StartRefusedError when nothing was changed.
 */
export function restoreDatabase(dataFolder: string, from: string, providedKey: Uint8Array | null): Refusal[] {
  if (!existsSync(from) || !statSync(from).isFile())
    throw new StartRefusedError([['noBackup', { file: from }], ['nothingChanged']], EXIT.badArguments)
  const folder = lockForRestore(dataFolder, providedKey)
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
 * Carries out a manager's instruction before the terminal opens its database: restores the backup, or records why not
 * and keeps the old database. Also continues a restore that an earlier process did not finish: until everything is
 * ready the old database stays, and from then on only renames remain. Null without an instruction. Throws
 * StartRefusedError when the folder cannot be locked.
 */
export function applyRestore(
  dataFolder: string,
  providedKey: Uint8Array | null,
  onStep: OnStep = noStep,
): RestoreResult | null {
  const instruction = readRestoreInstruction(dataFolder)
  if (instruction === null) return null
  const folder = lockForRestore(dataFolder, providedKey)
  try {
    if (instruction.phase === 'ready') return finishReady(dataFolder, folder, onStep)
    if (instruction.attempts >= MAX_ATTEMPTS)
      return refuse(dataFolder, folder, instruction, 'it did not complete in three attempts')
    writeRestoreInstruction(dataFolder, { ...instruction, attempts: instruction.attempts + 1 })
    onStep('counted')
    try {
      changeNames(dataFolder, folder, makeReady(dataFolder, folder, instruction.from, instruction, onStep), onStep)
    } catch (error) {
      // The new database is ready, so the next start completes the restore.
      if (readRestoreInstruction(dataFolder)?.phase === 'ready') throw error
      return refuse(dataFolder, folder, instruction, error instanceof Error ? error.message : String(error))
    }
    return lastRestore(dataFolder)
  } finally {
    folder.release()
  }
}

type ReadyRestore = Ready & { readonly result: RestoreResult }

function refuse(
  dataFolder: string,
  folder: FolderToRestore,
  { from, approverName }: RequestedRestore,
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
  removeRestoreInstruction(dataFolder)
  return result
}

/**
 * Copies, verifies and completes the backup under other names. When it throws StartRefusedError, nothing was changed.
 */
function makeReady(
  dataFolder: string,
  folder: FolderToRestore,
  from: string,
  asked: RequestedRestore | null,
  onStep: OnStep,
): ReadyRestore {
  const began = performance.now()
  const fresh = freshOf(folder)
  try {
    if (resolve(from) === resolve(folder.database))
      throw new StartRefusedError([['isTheDatabase', { file: from }], ['nothingChanged']], EXIT.badArguments)
    const { masterKey } = folder
    if (masterKey === null)
      throw new StartRefusedError(
        [['noSealKey', { folder: dataFolder }], ['noSealKeyWhy'], ['nothingChanged']],
        EXIT.badArguments,
      )
    copyToFresh(folder, from)
    onStep('copied')
    const found = examineCopy(fresh, masterKey)
    const newer = whyTooNew(found, readMigrations().length)
    const refusal = found.problem ?? (newer === null ? null : `it has ${newer}`)
    if (refusal !== null)
      throw new StartRefusedError(
        [['cannotRestore', { file: from, why: refusal }], ['nothingChanged']],
        EXIT.dataMissing,
      )
    onStep('examined')
    const replaced = readReplaced(folder.database)
    const lost = replaced === null ? null : Math.max(0, replaced.entries - found.entries)
    const seal = createSeal(masterKey)
    const restored = {
      backup: nameOfBackup(from),
      newestEntryAt: found.newestEntryAt,
      entries: found.entries,
      lost,
      asked,
      noted: readEpoch(dataFolder),
    }
    const { mark, result: epoch } = adoptCopy(fresh, seal, counterOfMark(folder.journalMark, seal), (db, tx) =>
      beginRestored(db, tx, seal, replaced, restored),
    )
    syncPath(fresh)
    // Store the first numbers of the epoch before one is used: after a crash here the next epoch only skips numbers.
    noteEpoch(dataFolder, epoch)
    onStep('completed')
    markFresh(folder, mark, seal)
    onStep('marked')
    const ready: ReadyRestore = {
      phase: 'ready',
      aside: replacedFolderName(),
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
    writeRestoreInstruction(dataFolder, ready)
    onStep('ready')
    return ready
  } catch (error) {
    removeFresh(folder)
    throw error
  }
}

function restoreSummary(
  from: string,
  { aside, result: { newestEntryAt, entriesLost: lost, epoch } }: ReadyRestore,
): Refusal[] {
  const since: Sentence = newestEntryAt === null ? ['journalEmpty'] : ['journalUntil', { time: newestEntryAt }]
  const missing: Sentence = lost === null ? ['lostUnknown'] : lost === 0 ? ['lostNone'] : ['lost', { count: lost }]
  return [
    [['restored', { file: from }]],
    [['restoredAside', { name: aside }]],
    [since, missing],
    [['epoch', { epoch: epoch ?? '' }], ['epochWhy']],
    [['notKnown'], ['sentAgain']],
    [['reconcile'], ['reconcileWith']],
  ]
}
