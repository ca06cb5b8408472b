import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { systemClock } from './clock.ts'
import { claimToRestore, EXIT, StartRefusedError } from './data-folder.ts'
import { migrateAtOnce, readMigrations } from './db/migrate.ts'
import { createPlainTransact } from './db/transact.ts'
import { openDatabase } from './db/open.ts'
import { syncPath } from './db/sync-path.ts'
import { createAuditTrail, type AuditEntry } from './features/staff/audit.ts'
import { adopt } from './integrity/adopt.ts'
import { followChanges } from './integrity/evidence.ts'
import { createChain } from './outbox/chain.ts'
import { openHighWaterMark, type Mark } from './outbox/high-water.ts'
import { createSeal, type Seal } from './outbox/seal.ts'
import { examineCopy } from './outbox/integrity-check.ts'

/**
 * Puts a backup in the place of the database of a terminal that does not run. The replaced database is kept aside.
 * Answers what to tell the person who did it. Throws StartRefusedError, and then nothing was changed.
 *
 * The backup is copied, examined and completed under another name first; the last step is a rename. A restore that was
 * cut short is run again; until then the terminal starts with the old database, or refuses to start without any.
 */
export function restoreDatabase(dataFolder: string, from: string, providedKey: Uint8Array | null): string {
  if (!existsSync(from) || !statSync(from).isFile())
    throw new StartRefusedError(`There is no backup ${from}. Nothing was changed.`, EXIT.badArguments)
  const folder = claimToRestore(dataFolder, providedKey)
  const fresh = `${folder.database}.restoring`
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

    const entriesThere = entriesOf(folder.database)
    const lost = entriesThere === null ? null : Math.max(0, entriesThere - found.entries)
    const seal = createSeal(masterKey)
    const mark = takeIntoCare(fresh, seal, markedSoFar(folder.journalMark, seal), {
      backup: basename(from),
      newestEntryAt: found.newestEntryAt,
      entries: found.entries,
      lost,
    })
    const aside = setAside(
      [folder.database, `${folder.database}-wal`, `${folder.database}-shm`, folder.journalMark],
      join(dataFolder, 'backups'),
    )
    syncPath(fresh)
    renameSync(fresh, folder.database)
    syncPath(dataFolder)
    // The old mark tells of entries that this database has never had: the start would refuse it as one that has lost
    // them. Until the new one stands the start is refused too, and the restore is run again.
    const file = openHighWaterMark(folder.journalMark, systemClock, seal)
    file.note(mark)
    file.close()
    return restoreSummary(from, aside, found.newestEntryAt, lost)
  } finally {
    for (const left of [fresh, `${fresh}-journal`, `${fresh}-wal`, `${fresh}-shm`]) rmSync(left, { force: true })
    folder.release()
  }
}

/** Entries in the journal of the database that is replaced; null when it is missing or cannot be read. */
function entriesOf(database: string): number | null {
  if (!existsSync(database)) return null
  try {
    // Read only: what is set aside stays as it was found.
    const db = new Sqlite(database, { readonly: true })
    try {
      return Number(db.prepare('SELECT count(*) FROM journal_entry').pluck().get())
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}

/** How far the database that is replaced had come, as its mark says; 0 where there is none. */
function markedSoFar(journalMark: string, seal: Seal): number {
  if (!existsSync(journalMark)) return 0
  const mark = openHighWaterMark(journalMark, systemClock, seal)
  try {
    return mark.read()?.counter ?? 0
  } finally {
    mark.close()
  }
}

interface Restored {
  readonly backup: string
  readonly newestEntryAt: number | null
  readonly entries: number
  readonly lost: number | null
}

/**
 * Brings the copy to the schema of this program and into the key's care, and writes the restore to its audit trail.
 * Answers its mark, which is newer than that of the database it replaces: put back in its place, that one would be
 * found out.
 */
function takeIntoCare(
  fresh: string,
  seal: Seal,
  markedBefore: number,
  { backup, newestEntryAt, entries, lost }: Restored,
): Mark {
  const db = openDatabase(fresh)
  try {
    migrateAtOnce(db, readMigrations(), () => {
      adopt(db, seal)
    })
    const evidence = followChanges(db, seal)
    const entry: AuditEntry = {
      kind: 'database-restored',
      actorId: null,
      subject: backup,
      detail: {
        journalEntries: entries,
        newestEntry: newestEntryAt === null ? null : new Date(newestEntryAt).toISOString(),
        entriesLost: lost,
        todo: 'ask the program for the reconciliation since the newest entry',
      },
    }
    createPlainTransact(db)((tx) => {
      createAuditTrail({ db, clock: systemClock, seal }).record(tx, entry)
    })
    evidence.markStands()
    evidence.outrun(markedBefore)
    const mark = createChain({ db, seal, evidence }).end()
    db.pragma('journal_mode = DELETE')
    return mark
  } finally {
    db.close()
  }
}

/** Moves what is there of these files to a folder of its own; answers it, or null when there was nothing. */
function setAside(files: readonly string[], backups: string): string | null {
  const there = files.filter((file) => existsSync(file))
  if (there.length === 0) return null
  const aside = join(backups, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const file of there) renameSync(file, join(aside, basename(file)))
  return aside
}

function restoreSummary(from: string, aside: string | null, newestEntryAt: number | null, lost: number | null): string {
  const since =
    newestEntryAt === null
      ? 'Its journal is empty'
      : `Its newest journal entry is of ${new Date(newestEntryAt).toISOString()}`
  const missing =
    lost === null
      ? 'The replaced database could not be read, so nobody knows how many entries are missing.'
      : lost === 0
        ? 'The replaced database had no further entries.'
        : `The replaced database had ${lost} further entries.`
  return [
    `The database was restored from ${from}.`,
    ...(aside === null
      ? []
      : [`What it replaced is kept in ${join(basename(dirname(aside)), basename(aside))} of the data folder.`]),
    `${since}. ${missing}`,
    'This terminal does not know the sales, redemptions and issuances after that. What was waiting in the ' +
      'backup is sent again with its own keys, which doubles nothing.',
    'Now ask the program for the reconciliation since that time and compare it with the store’s receipts. The ' +
      'restore is in the audit trail.',
  ].join('\n')
}
