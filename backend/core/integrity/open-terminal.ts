import type { Clock } from '../clock.ts'
import { EXIT, StartRefusedError, type DataFolder } from '../program/data-folder.ts'
import { reserveLog } from '../db/log-reserve.ts'
import { migrate, readMigrations, schemaOf, SchemaTooNewError, type Migration } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { createChain, TAIL, type Chain } from '../outbox/chain.ts'
import { openHighWaterMark, type HighWaterMark } from '../outbox/high-water.ts'
import { createSeal, type Seal } from './seal.ts'
import {
  changedPastTheProgram,
  damagedIndex,
  examineBeside,
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
   * What the start has not read, for its length; null when it read everything. Answers what is wrong, or null. Never
   * rejects.
   */
  readonly readRest: (() => Promise<string | null>) | null
  /** Notes how far it came, and closes it. */
  close(): void
}

/** Tables of more rows are looked at beside the running terminal, and at every backup. */
const ROWS_AT_START = 20_000

/**
 * Opens the database of a claimed folder for its only writer: proves that nobody wrote to it past the program, brings
 * it to the newest schema, and follows every change from here on. One of a newer schema stays as it is, where its mark
 * says that this program may open it. Throws StartRefusedError; errors of storage as they are.
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
    if (row) proveIntact(db, { seal, mark, row }, schema < migrations.length ? {} : { mostRows: ROWS_AT_START })
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
    evidence.markStands()
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
    (await examineBeside({ file: database, masterKey, inUse: true })).problem

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

/** Throws TamperedError when the database is not what the mark, the chain and the digests say. */
function proveIntact(
  db: Database,
  { seal, mark, row }: { seal: Seal; mark: HighWaterMark; row: EvidenceRow },
  reach: { mostRows?: number },
): void {
  const wrongMark = markProblem(row, mark.read())
  if (wrongMark !== null) throw new TamperedError(wrongMark)
  const chain = createChain({ db, seal, mark })
  const missing = chain.entriesMissing()
  if (missing)
    throw new TamperedError(
      `the journal has lost or changed entries: ${missing.expected} were recorded, ${missing.found} can be trusted`,
    )
  const sinceEntry = reach.mostRows === undefined ? 0 : Math.max(0, chain.end().seq - TAIL)
  const changed =
    changedPastTheProgram(db, seal, { ...reach, sinceEntry }) ?? damagedIndex(db, seal, { ...reach, sinceEntry })
  if (changed !== null) throw new TamperedError(changed)
  const gone = chain.auditMissing()
  if (gone)
    throw new TamperedError(
      `the audit trail has lost or changed entries: ${gone.expected} were recorded, ${gone.found} can be trusted`,
    )
}

/** A database without the record is a new one: it has no tables, and its folder never had another. */
function proveNew(db: Database, { hadDatabase }: DataFolder, mark: HighWaterMark): void {
  if (db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined)
    throw new TamperedError('the record of what its tables add up to is gone')
  if (hadDatabase || mark.read() !== null) throw new TamperedError('it is empty, and there was one before')
}

/** A start refuses a database that is not to be trusted, and says why (plain English). */
export const untrusted = (file: string, why: string): StartRefusedError =>
  new StartRefusedError([['untrusted', { file, why }], ['untrustedWhy'], ['untrustedDo']], EXIT.dataMissing)
