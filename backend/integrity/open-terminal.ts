import type { Clock } from '../clock.ts'
import { EXIT, StartRefusedError, type DataFolder } from '../data-folder.ts'
import { reserveLog } from '../db/log-room.ts'
import { migrate, readMigrations, schemaOf, SchemaTooNewError } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/open.ts'
import { createChain, TAIL, type Chain } from '../journal/chain.ts'
import { openHighWaterMark, readUnkeyedMark, type HighWaterMark } from '../journal/high-water.ts'
import { createSeal, type Seal } from '../journal/seal.ts'
import { examineBeside } from '../journal/examine.ts'
import { changedPastTheProgram, hasLongTable } from '../journal/sound.ts'
import { adopt } from './adopt.ts'
import { followChanges, type Evidence } from './evidence.ts'
import { hasEvidenceTable, readEvidenceRow, TamperedError } from './state.ts'

export interface TerminalDatabase {
  readonly db: Database
  readonly seal: Seal
  readonly mark: HighWaterMark
  readonly evidence: Evidence
  /** What the start has not read, for its length; null when it read everything. Answers what is wrong, or null. Never rejects. */
  readonly readRest: (() => Promise<string | null>) | null
  /** Notes how far it came, and closes it. */
  close(): void
}

/** Tables of more rows are looked at beside the running terminal, and at every backup. */
const ROWS_AT_START = 20_000
/** Commits of the queue share so many entries: the mark of the program before may be behind by them, or not be there yet. */
const ENTRIES_A_COMMIT = 8

/**
 * Opens the database of a claimed folder for its only writer: proves that nobody wrote to it past the program, brings it to
 * the newest schema, and follows every change from here on. Throws StartRefusedError; errors of storage as they are.
 */
export async function openTerminalDatabase(folder: DataFolder, clock: Clock): Promise<TerminalDatabase> {
  const seal = createSeal(folder.masterKey)
  const db = openDatabase(folder.database)
  let mark: HighWaterMark | null = null
  try {
    reserveLog(db)
    const migrations = readMigrations()
    const schema = schemaOf(db, migrations)
    mark = openHighWaterMark(folder.journalMark, clock, seal)
    if (hasEvidenceTable(db)) proveIntact(db, seal, mark, schema < migrations.length ? {} : { mostRows: ROWS_AT_START })
    else proveBeforeCare(db, schema, folder, mark)
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
    throw error instanceof TamperedError ? refusedAs(folder, error) : error
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

const OLDER_COPY =
  'it is older than the mark beside it says: an earlier copy was put in its place, or its newest part is gone'

/** Throws TamperedError when the database is not what the mark, the chain and the digests say. */
function proveIntact(db: Database, seal: Seal, mark: HighWaterMark, reach: { mostRows?: number }): void {
  const row = readEvidenceRow(db)
  const known = mark.read()
  if (row && known && row.counter < known.counter) throw new TamperedError(OLDER_COPY)
  if (row?.marked === 1 && !known) throw new TamperedError(NO_MARK)
  const chain = createChain({ db, seal, mark })
  const missing = chain.entriesMissing()
  if (missing) throw new TamperedError(lost(missing))
  const sinceEntry = reach.mostRows === undefined ? 0 : Math.max(0, chain.end().seq - TAIL)
  const changed = changedPastTheProgram(db, seal, { ...reach, sinceEntry })
  if (changed !== null) throw new TamperedError(changed)
}

/**
 * A database of a schema before the key took care of it, or an empty one. Its chain and mark are what anybody can make, and
 * must fit all the same; and where the folder has been in the key's care, an earlier database is none of its own.
 */
function proveBeforeCare(db: Database, schema: number, { care, journalMark }: DataFolder, mark: HighWaterMark): void {
  const known = readUnkeyedMark(journalMark)
  if (schema === 0 && (care === 'keyed' || known !== null || mark.read() !== null))
    throw new TamperedError('it is empty, and there was one before')
  if (care === 'keyed' || mark.read() !== null) throw new TamperedError(OLDER_COPY)
  const hasJournal = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_entry'").get() !== undefined
  if (!hasJournal) return
  const chain = createChain({ db, seal: null, mark: { ...mark, read: () => known && { ...known, counter: 0 } } })
  const entries = chain.end().seq
  if (entries > 0 && care === 'unknown') throw new TamperedError('the file terminal.json beside it is missing')
  if (entries > ENTRIES_A_COMMIT && known === null) throw new TamperedError(NO_MARK)
  const missing = chain.entriesMissing()
  if (missing) throw new TamperedError(lost(missing))
}

const NO_MARK = 'the mark of the journal (journal.mark) is missing, or another key wrote it'
const lost = ({ expected, found }: { expected: number; found: number }): string =>
  `the journal has lost or changed entries: ${expected} were recorded, ${found} can be trusted`

const refusedAs = (folder: DataFolder, { message }: TamperedError): StartRefusedError =>
  new StartRefusedError(
    `The database ${folder.database} cannot be trusted: ${message}. The disk may be failing, or somebody changed the file. Take no money on this lane; restore the newest backup with the steps in docs/install.md, and keep this folder for support.`,
    EXIT.dataMissing,
  )
