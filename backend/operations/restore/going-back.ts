import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { systemClock } from '../../core/clock.ts'
import { claimToRestore, EXIT, StartRefusedError, type FolderToRestore } from '../../core/program/data-folder.ts'
import { type SchemaFound, readMigrations, readSchema, tooNew } from '../../core/db/migrate.ts'
import { type Database, syncPath } from '../../core/db/database.ts'
import { isStorageFailure } from '../../core/db/transact.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { readHighWaterMark } from '../../core/outbox/high-water.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'
import { createSeal, type Seal } from '../../core/integrity/seal.ts'
import { programVersion } from '../../core/program/process.ts'
import { newestEntry, takeIntoCare, whatCounts } from './restore-care.ts'
import {
  type OnStep,
  type Ready,
  changeNames,
  copyToFresh,
  finishReady,
  freshOf,
  markFresh,
  markedSoFar,
  nameAside,
  noStep,
  removeFresh,
  writeOrder,
} from './restore-files.ts'

/**
 * What became of the database of a program that was started behind a newer one.
 *
 * - `not-newer`: no newer program has changed its schema.
 * - `restored`: nothing that counts was written since the newer program changed it; the copy from before that stands in
 *   its place, and the newer database in `backups/<aside>`.
 * - `opens`: it is newer and stays: its mark says that this program may open and write it.
 */
export type GoneBack =
  | { readonly kind: 'not-newer' }
  | { readonly kind: 'restored'; readonly fromSchema: number; readonly copy: string; readonly aside: string }
  | { readonly kind: 'opens'; readonly schema: number; readonly why: string }

/** Why the copy from before is not put back, as the end of a sentence. */
type NotBack = string

/**
 * Going back to the program before an update: call at its start, before it opens the database, whenever an update may
 * have gone before. Decides from the database alone. Killed at any moment it leaves the newer database or the copy,
 * whole, and the next call goes on. Throws StartRefusedError where the folder cannot be claimed, and where this program
 * may not open the database and nothing can be put in its place: then only the newer program goes on.
 */
export function goBack(dataFolder: string, providedKey: Uint8Array | null, onStep: OnStep = noStep): GoneBack {
  const known = readMigrations().length
  const database = join(dataFolder, 'terminal.db')
  if ((schemaIn(database)?.schema ?? 0) <= known) return { kind: 'not-newer' }
  const folder = claimToRestore(dataFolder, providedKey)
  try {
    finishReady(dataFolder, folder, onStep)
    const found = schemaIn(database)
    if (found === null || found.schema <= known) return { kind: 'not-newer' }
    const back = putBack(dataFolder, folder, found, onStep)
    if (typeof back !== 'string') return back
    const refusal = tooNew(found, known)
    if (refusal === null) return { kind: 'opens', schema: found.schema, why: back }
    throw new StartRefusedError(
      `The database of this lane has ${refusal}. The copy from before the update is not put back: ${back}. ` +
        'Nothing was changed.',
      EXIT.dataMissing,
    )
  } finally {
    folder.release()
  }
}

/** Null where there is no database that can be read: the start has the words for it. */
function schemaIn(file: string): SchemaFound | null {
  if (!existsSync(file)) return null
  try {
    return inDatabase(file, readSchema)
  } catch {
    return null
  }
}

function putBack(
  dataFolder: string,
  folder: FolderToRestore,
  newer: SchemaFound,
  onStep: OnStep,
): Extract<GoneBack, { kind: 'restored' }> | NotBack {
  const made = makeReady(dataFolder, folder, newer, onStep)
  if (typeof made === 'string') return made
  changeNames(dataFolder, folder, made.ready, onStep)
  return { kind: 'restored', fromSchema: newer.schema, copy: made.copy, aside: made.ready.aside }
}

/** Copies, proves and completes the database from before under other names, and notes that only names are left. */
function makeReady(
  dataFolder: string,
  folder: FolderToRestore,
  newer: SchemaFound,
  onStep: OnStep,
): { readonly ready: Ready; readonly copy: string } | NotBack {
  const { masterKey } = folder
  if (masterKey === null) return `there is no sealing key in ${dataFolder}`
  const seal = createSeal(masterKey)
  const { copy, why } = layCopy(dataFolder, folder, seal)
  const problem = copy === null ? why : soundness(folder, copy, masterKey)
  if (copy === null || problem !== null) {
    removeFresh(folder)
    return problem ?? why
  }
  onStep('copied')
  const { mark } = takeIntoCare(freshOf(folder), seal, counterOf(folder, seal), (db, tx) => {
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
  const ready: Ready = { phase: 'ready', aside: nameAside(), result: null }
  writeOrder(dataFolder, ready)
  onStep('ready')
  return { ready, copy }
}

/** As `data-folder.ts` names the copies that a migration makes first: the schema after it, and when (epoch ms). */
const COPY = /^before-schema-\d+-(\d+)\.db$/

/**
 * Lays the newest copy that holds all that counts where the new database is made. Null where there is none, and why the
 * last one that was looked at is not the one.
 */
function layCopy(
  dataFolder: string,
  folder: FolderToRestore,
  seal: Seal,
): { readonly copy: string | null; readonly why: NotBack } {
  const backups = join(dataFolder, 'backups')
  const madeAt = (name: string): number => Number(COPY.exec(name)?.[1] ?? 0)
  const copies = readdirSync(backups)
    .filter((name) => COPY.test(name))
    .toSorted((one, other) => madeAt(other) - madeAt(one))
  let why = 'there is none in backups that this program may open'
  // A clock that was set may have given an older copy the later name: each is looked at.
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

function soundness(folder: FolderToRestore, copy: string, masterKey: Uint8Array): NotBack | null {
  const { problem } = examineCopy(freshOf(folder), masterKey)
  return problem === null ? null : `${copy} is not sound: ${problem}`
}

/**
 * Says that the newer database, or the mark beside it, knows of what the copy has not; null when it is nothing. The
 * mark is under the key: nobody else takes the newest entries out of the database and has it go back.
 */
function countedSince(folder: FolderToRestore, seal: Seal): NotBack | null {
  const copied = inDatabase(freshOf(folder), (db) => ({ counts: whatCounts(db), entry: newestEntry(db) }))
  const marked = readHighWaterMark(folder.journalMark, seal)?.seq ?? 0
  const current = inDatabase(folder.database, countsIn)
  if (current === null) return 'the tables of the newer database are others, and cannot be compared'
  return marked <= copied.entry && copied.counts === current
    ? null
    : 'the lane has worked since, and what it wrote stands only in the newer database'
}

/** Null where a newer program has taken away what is counted. */
function countsIn(db: Database): string | null {
  try {
    return whatCounts(db)
  } catch (error) {
    if (isStorageFailure(error)) throw error
    return null
  }
}

/** How far the newer database has come; its mark may lack the last commit. */
const counterOf = (folder: FolderToRestore, seal: Seal): number =>
  Math.max(
    inDatabase(folder.database, (db) => Number(db.prepare('SELECT counter FROM tamper_evidence').pluck().get() ?? 0)),
    markedSoFar(folder.journalMark, seal),
  )

function inDatabase<Result>(file: string, read: (db: Database) => Result): Result {
  const db = new Sqlite(file, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}
