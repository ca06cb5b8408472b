import type { Clock } from '../clock.ts'
import { EXIT, StartRefusedError, type DataFolder } from '../program/data-folder.ts'
import { reserveLog } from '../db/log-reserve.ts'
import { migrate, readMigrations, schemaOf, SchemaTooNewError, type Migration } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { createChain, TAIL, type Chain } from '../outbox/chain.ts'
import { openHighWaterMark, type HighWaterMark } from '../outbox/high-water.ts'
import { createSeal, type Seal } from './seal.ts'
import {
  describeForeignChanges,
  damagedIndex,
  examineInWorker,
  hasLongTable,
  markProblem,
} from '../outbox/integrity-check.ts'
import { type EvidenceRow, TamperedError, adopt, readEvidenceRow } from './state.ts'
import { followChanges, type Evidence } from './evidence.ts'

export interface TerminalDatabase {
  readonly db: Database
  readonly seal: Seal
  readonly mark: HighWaterMark
  readonly evidence: Evidence
  /**
   * Verifies the tables that the start skipped because of their length; null when the start read every table. Resolves
   * with the problem, or null. Never rejects.
   */
  readonly readRest: (() => Promise<string | null>) | null
  close(): void
}

/**
 * Number of rows above which a table is verified while the terminal runs, instead of before it starts. Every backup is
 * verified completely.
 */
const ROWS_AT_START = 20_000

/**
 * Opens the database of a locked folder for its only writer: verifies that no other program wrote to it, migrates it to
 * the newest schema, and tracks every change. A newer schema is left unchanged if its mark permits this program. Throws
 * StartRefusedError, or the original error of the storage.
 */
export async function openTerminalDatabase(
  folder: DataFolder,
  clock: Clock,
  migrations: readonly Migration[] = readMigrations(),
): Promise<TerminalDatabase> {
  const seal = createSeal(folder.masterKey)
  const db = openDatabase(folder.database)
  let mark: HighWaterMark | null = null
  try {
    reserveLog(db)
    const schema = schemaOf(db, migrations)
    mark = openHighWaterMark(folder.journalMark, clock, seal)
    const row = readEvidenceRow(db)
    if (row) proveIntact(db, { seal, mark, row }, schema < migrations.length ? {} : { maxRows: ROWS_AT_START })
    else proveNew(db, folder, mark)
    await migrate(db, migrations, folder.backup, () => {
      adopt(db, seal)
    })
    const evidence = followChanges(db, seal)
    const chain = createChain({ db, seal, evidence })
    if (mark.read() === null) {
      mark.note(chain.end())
      mark.sync()
    }
    evidence.confirmMark()
    folder.markDatabase()
    const rest = chain.end().seq > TAIL || hasLongTable(db, seal, ROWS_AT_START)
    return open({ db, seal, mark, evidence, readRest: rest ? restReader(folder) : null }, chain)
  } catch (error) {
    mark?.close()
    db.close()
    if (error instanceof SchemaTooNewError) throw new StartRefusedError(error.message, EXIT.dataMissing)
    throw error instanceof TamperedError ? untrusted(folder.database, error.message) : error
  }
}

const restReader =
  ({ database, masterKey }: DataFolder) =>
  async (): Promise<string | null> =>
    (await examineInWorker({ file: database, masterKey, inUse: true })).problem

function open(opened: Omit<TerminalDatabase, 'close'>, chain: Chain): TerminalDatabase {
  const { db, mark } = opened
  return {
    ...opened,
    close() {
      mark.note(chain.end())
      mark.close()
      db.close()
    },
  }
}

/** Throws TamperedError when the database does not match the mark, the chain and the digests. */
function proveIntact(
  db: Database,
  { seal, mark, row }: { seal: Seal; mark: HighWaterMark; row: EvidenceRow },
  reach: { maxRows?: number },
): void {
  const wrongMark = markProblem(row, mark.read())
  if (wrongMark !== null) throw new TamperedError(wrongMark)
  const chain = createChain({ db, seal, mark })
  const missing = chain.entriesMissing()
  if (missing)
    throw new TamperedError(
      `the journal has lost or changed entries: ${missing.expected} were recorded, ${missing.found} can be trusted`,
    )
  const sinceEntry = reach.maxRows === undefined ? 0 : Math.max(0, chain.end().seq - TAIL)
  const changed =
    describeForeignChanges(db, seal, { ...reach, sinceEntry }) ?? damagedIndex(db, seal, { ...reach, sinceEntry })
  if (changed !== null) throw new TamperedError(changed)
  const gone = chain.auditMissing()
  if (gone)
    throw new TamperedError(
      `the audit trail has lost or changed entries: ${gone.expected} were recorded, ${gone.found} can be trusted`,
    )
}

/**
 * Throws TamperedError unless a database without the tamper record is new: it has no tables, and its folder never had
 * another database.
 */
function proveNew(db: Database, { hadDatabase }: DataFolder, mark: HighWaterMark): void {
  if (db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined)
    throw new TamperedError('the record of its table digests is missing')
  if (hadDatabase || mark.read() !== null) throw new TamperedError('it is empty, although there was a database before')
}

/** Returns the refusal to start with a database that cannot be trusted; `why`: the reason in English. */
export const untrusted = (file: string, why: string): StartRefusedError =>
  new StartRefusedError([['untrusted', { file, why }], ['untrustedWhy'], ['untrustedDo']], EXIT.dataMissing)
