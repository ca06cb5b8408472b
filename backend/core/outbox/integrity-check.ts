import { createHash } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import type { Database } from '../db/database.ts'
import { type SchemaFound, readSchema } from '../db/migrate.ts'
import { digestOf, quoted, rowDigests } from '../integrity/digests.ts'
import { type EvidenceRow, TamperedError, codecOf, readEvidenceRow } from '../integrity/state.ts'
import { createChain } from './chain.ts'
import { type Mark, readHighWaterMark } from './high-water.ts'
import { DIGESTED, digestsOfOperations } from './operation.ts'
import { type Seal, createSeal } from '../integrity/seal.ts'
import { type NewCall, placeOfCall, placeOfDraft } from './stored-calls.ts'
import { runInWorker, workerFile } from '../worker.ts'

export interface IntegrityCheck extends SchemaFound {
  /** Why the database cannot be trusted, in English; null when it is sound. */
  readonly problem: string | null
  readonly entries: number
  readonly newestEntryAt: number | null
}

const UNPAIRED = `SELECT coalesce(operation.id, newest_of.operation_id) AS id
  FROM (SELECT operation_id, max(seq) AS seq FROM journal_entry WHERE seq > @since GROUP BY operation_id) AS newest_of
  FULL JOIN (SELECT id, newest_entry FROM operation WHERE newest_entry > @since) AS operation
    ON operation.id = newest_of.operation_id
  WHERE operation.newest_entry IS NOT newest_of.seq LIMIT 1`
/**
 * Selects wrong links from one entry of an operation to its previous one, which the chain does not cover. The first
 * entry in range may link to one before the range.
 */
const WRONG_LINK = `SELECT 1 FROM (SELECT previous_of_operation AS link,
  lag(seq) OVER (PARTITION BY operation_id ORDER BY seq) AS earlier FROM journal_entry WHERE seq > @since)
  WHERE link IS NOT earlier AND NOT (earlier IS NULL AND link <= @since) LIMIT 1`
/**
 * Selects operations whose row ids are in another order than their first journal entries. Queues and the newest
 * operation of a sale depend on that order, which no digest covers.
 */
const MOVED = `SELECT id FROM (SELECT id, operation.rowid AS place, lag(operation.rowid) OVER (ORDER BY seq) AS earlier
  FROM journal_entry JOIN operation ON operation.id = operation_id WHERE seq > @since AND from_state IS NULL)
  WHERE place < earlier LIMIT 1`
const LOST_CALL = `SELECT seq FROM journal_entry WHERE seq > ? AND detail ->> '$.sha256' IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM operation_call AS call WHERE call.operation_id = journal_entry.operation_id
  AND lower(hex(call.request_sha256)) = detail ->> '$.sha256')
  AND NOT EXISTS (SELECT 1 FROM operation_draft AS draft WHERE draft.operation_id = journal_entry.operation_id
    AND lower(hex(draft.request_sha256)) = detail ->> '$.sha256') LIMIT 1`

/** Page cache in KB; small, because each page is read only once. */
const CACHE_KB = 1_000

export const failedCheck = (problem: string): IntegrityCheck => ({
  problem,
  schema: 0,
  mark: null,
  entries: 0,
  newestEntryAt: null,
})

/**
 * Opens a copy of the terminal's database that no other process has open, converts it to a single file, and verifies
 * pages, indexes, journal links, digests and sealed calls. Never throws.
 */
export function examineCopy(file: string, masterKey: Uint8Array, markFile?: string): IntegrityCheck {
  return examined(file, {}, (db) => {
    // The copy leaves WAL mode, so that the backup is one file.
    db.pragma('journal_mode = DELETE')
    const found = readSchema(db)
    if (found.schema === 0) return failedCheck('this is not the database of a terminal')
    const seal = createSeal(masterKey)
    const problem = problemOf(db, seal) ?? olderThanMark(db, markFile, seal)
    if (problem !== null) return failedCheck(problem)
    const { entries } = db.prepare<[], { entries: number }>('SELECT count(*) AS entries FROM journal_entry').get() ?? {
      entries: 0,
    }
    return { problem: null, ...found, entries, newestEntryAt: createChain({ db, seal }).newestEntryAt() }
  })
}

/** Like `examineCopy`, for a database in use, in one snapshot. Never throws. */
export function examineInUse(file: string, masterKey: Uint8Array): IntegrityCheck {
  return examined(file, { readonly: true }, (db) => {
    db.exec('BEGIN')
    const seal = createSeal(masterKey)
    const problem = problemOf(db, seal)
    return problem === null ? { problem, ...readSchema(db), entries: 0, newestEntryAt: null } : failedCheck(problem)
  })
}

function examined(file: string, options: Sqlite.Options, look: (db: Database) => IntegrityCheck): IntegrityCheck {
  try {
    const db = new Sqlite(file, { fileMustExist: true, ...options })
    try {
      db.pragma(`cache_size = -${CACHE_KB}`)
      return look(db)
    } finally {
      db.close()
    }
  } catch (error) {
    return failedCheck(`it cannot be read as a database: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Verifies the whole database: pages and indexes, every digest, and every link of the journal's chain. */
export const problemOf = (db: Database, seal: Seal): string | null =>
  damaged(db) ?? describeForeignChanges(db, seal) ?? brokenJournal(db, seal)

/**
 * Checks the pages and indexes of one table or of the whole database. A wrong index could hide rows from the digest of
 * the table.
 */
function damaged(db: Database, table?: string): string | null {
  const found = String(
    db.pragma(table === undefined ? 'integrity_check' : `integrity_check(${quoted(table)})`, { simple: true }),
  )
  return found === 'ok' ? null : `the database is damaged: ${found}`
}

function olderThanMark(db: Database, markFile: string | undefined, seal: Seal): string | null {
  const row = readEvidenceRow(db)
  return markFile === undefined || row === undefined ? null : markProblem(row, readHighWaterMark(markFile, seal))
}

/** Returns why a database is not the one that the mark describes, or null. */
export function markProblem(row: EvidenceRow, known: Mark | null): string | null {
  if (known && row.counter < known.counter)
    return 'it is older than its mark (journal.mark): it was replaced by an earlier copy, or its newest part is missing'
  return row.marked === 1 && !known ? 'its mark (journal.mark) is missing, or was written with another key' : null
}

function brokenJournal(db: Database, seal: Seal): string | null {
  const broken = createChain({ db, seal }).firstBrokenEntry()
  return broken === null ? null : `the chain of the journal is broken at entry ${broken}`
}

/**
 * Range to verify: tables with at most `maxRows` rows, and operations and calls changed after the journal entry
 * `sinceEntry`. Default: everything.
 */
export interface CheckLimits {
  readonly maxRows?: number
  readonly sinceEntry?: number
}

export function describeForeignChanges(
  db: Database,
  seal: Seal,
  { maxRows = Number.MAX_SAFE_INTEGER, sinceEntry = 0 }: CheckLimits = {},
): string | null {
  const row = readEvidenceRow(db)
  if (!row) return 'the record of its table digests is missing'
  const { schema, mark } = readSchema(db)
  // The digests cover the schema version in `schema_mark`, but not the one in `user_version`.
  if (mark?.schema !== schema) return 'its schema version was changed, which this program did not do'
  try {
    return (
      changedTable(db, seal, row, maxRows) ??
      changedOperation(db, seal, sinceEntry) ??
      unpairedOperation(db, sinceEntry) ??
      changedCall(db, seal, sinceEntry)
    )
  } catch (error) {
    if (error instanceof TamperedError) return error.message
    throw error
  }
}

export function hasLongTable(db: Database, seal: Seal, rows: number): boolean {
  const row = readEvidenceRow(db)
  if (!row) return false
  const { tables, codec } = codecOf(db, seal)
  const known = codec.open(row)
  return tables.some(({ name }) => codec.digestOf(known, name).rows > rows)
}

/** Describes a damaged index of the tables that `describeForeignChanges` reads in this range. */
export function damagedIndex(db: Database, seal: Seal, { maxRows, sinceEntry = 0 }: CheckLimits): string | null {
  if (maxRows === undefined) return damaged(db)
  const row = readEvidenceRow(db)
  if (!row) return null
  const { tables, codec } = codecOf(db, seal)
  const known = codec.open(row)
  const read = tables.map(({ name }) => name).filter((name) => codec.digestOf(known, name).rows <= maxRows)
  if (sinceEntry === 0) read.push('operation', 'operation_call', 'journal_entry')
  for (const table of read) {
    const problem = damaged(db, table)
    if (problem !== null) return problem
  }
  return null
}

function changedTable(db: Database, seal: Seal, row: EvidenceRow, maxRows: number): string | null {
  const { tables, codec } = codecOf(db, seal)
  const known = codec.open(row)
  const digest = rowDigests(seal)
  for (const table of tables) {
    const expected = codec.digestOf(known, table.name)
    if (expected.rows > maxRows) continue
    const found = digestOf(db, table, digest, expected.rows)
    if (found.rows !== expected.rows)
      return (
        `rows were ${found.rows > expected.rows ? 'added to' : 'removed from'} the table ${table.name}, which ` +
        'this program did not do'
      )
    if (!found.sum.equals(expected.sum))
      return `rows of the table ${table.name} were changed, which this program did not do`
  }
  return null
}

function changedOperation(db: Database, seal: Seal, since: number): string | null {
  for (const { id, stored, computed } of digestsOfOperations(db, seal, DIGESTED, since)) {
    if (!stored.equals(computed)) return `the operation ${id} of the journal was changed, which this program did not do`
  }
  return null
}

function unpairedOperation(db: Database, since: number): string | null {
  const unpaired = db.prepare<[object], string>(UNPAIRED).pluck().get({ since })
  if (unpaired !== undefined)
    return (
      `the operation ${unpaired} and its entries in the journal do not match: one of them was deleted ` +
      'or restored, which this program did not do'
    )
  if (db.prepare<[object]>(WRONG_LINK).get({ since }) !== undefined)
    return 'entries of the journal are linked to entries of other operations'
  const moved = db.prepare<[object], string>(MOVED).pluck().get({ since })
  return moved === undefined
    ? null
    : `the operation ${moved} was moved to another position in the queue, which this program did not do`
}

type CallRow = Omit<NewCall, 'request'> & { operationId: string; sealed: Buffer; sha256: Buffer }
const CALLS = `SELECT operation_id AS operationId, purpose, path, idempotency_key AS idempotencyKey,
  trace_id AS traceId, date_time AS dateTime, request_sealed AS sealed, request_sha256 AS sha256
  FROM operation JOIN operation_call ON operation_id = id WHERE newest_entry > ?`

type DraftRow = Pick<NewCall, 'path' | 'traceId' | 'dateTime'> & { operationId: string; sealed: Buffer; sha256: Buffer }
const DRAFTS = `SELECT operation_id AS operationId, path, trace_id AS traceId, date_time AS dateTime,
  request_sealed AS sealed, request_sha256 AS sha256
  FROM operation JOIN operation_draft ON operation_id = id WHERE newest_entry > ?`

function changedCall(db: Database, seal: Seal, since: number): string | null {
  for (const { operationId, sealed, sha256, ...call } of db.prepare<[number], CallRow>(CALLS).iterate(since)) {
    if (
      !opens(() => {
        if (
          !createHash('sha256')
            .update(seal.open(sealed, placeOfCall(operationId, call)))
            .digest()
            .equals(sha256)
        )
          throw new Error('other bytes')
      })
    ) {
      return `the stored bytes of operation ${operationId} were changed, or belong to another operation`
    }
  }
  for (const { operationId, sealed, sha256, ...draft } of db.prepare<[number], DraftRow>(DRAFTS).iterate(since)) {
    if (
      !opens(() => {
        if (
          !createHash('sha256')
            .update(seal.open(sealed, placeOfDraft(operationId, draft)))
            .digest()
            .equals(sha256)
        )
          throw new Error('other bytes')
      })
    ) {
      return `the stored draft of operation ${operationId} was changed, or belongs to another operation`
    }
  }
  const lost = db.prepare<[number], number>(LOST_CALL).pluck().get(since)
  return lost === undefined ? null : `the stored bytes of the call of entry ${lost} are missing`
}

function opens(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}

const WORKER = workerFile(import.meta.filename, 'examine-worker')

/** Input of the worker thread: a copy that no other process has open, or the database in use. */
export interface Examination {
  readonly file: string
  readonly masterKey: Uint8Array
  readonly inUse: boolean
  /** For a copy: the mark (journal.mark) of its database, for comparison. */
  readonly markFile?: string
}

/** Runs `examineCopy` or `examineInUse` on a worker thread, because a long journal takes seconds. Never rejects. */
export const examineInWorker = (examination: Examination): Promise<IntegrityCheck> =>
  runInWorker<IntegrityCheck>(WORKER, examination).result.catch((error: unknown) =>
    failedCheck(`it could not be examined: ${error instanceof Error ? error.message : String(error)}`),
  )
