import Database from 'better-sqlite3'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { storableJson } from '../../contracts/store/bounds.ts'
import type { Postgres, Querying } from './db/postgres.ts'
import { alone } from './enrolment/enrolment.sql.ts'
import { refused, type Log } from './log.ts'

/** Tables and columns of `store.db`, the SQLite file of former servers; PostgreSQL has the same ones. */
const TABLES = {
  enrolment_code: `id, store, lane, made_at, expires_at, proof_hash, token_hash, sealed, revoked_at, exchanged_at,
    lane_key, answer, confirmed_at`,
  enrolment_try: 'code_id, wrong, last',
  device: 'token_hash, store, lane, lane_key, code_id, since, revoked_at',
  update_report: 'version, store, lane, from_version, outcome, why, at, received_at',
  update_halt: 'version, running, lanes_left',
} as const
/** Former servers stored the latest halt request of an update in `halt-requested.json`. */
const HALT_REQUEST = { table: 'update_halt_request', columns: 'version, sequence, running, lanes_left, at' } as const
const HaltRequest = z
  .strictObject({ version: z.string(), sequence: z.int(), running: z.int(), left: z.int(), at: z.iso.datetime() })
  .transform(({ left, ...request }) => ({ ...request, lanes_left: left }))

type Row = Readonly<Record<string, unknown>>
interface Rows {
  readonly table: string
  readonly columns: string
  readonly rows: readonly Row[]
}

const databaseFile = (folder: string): string => path.join(folder, 'store.db')
const haltFile = (folder: string): string => path.join(folder, 'halt-requested.json')

/**
 * Throws while the folder has a `store.db` that was not imported: new rows in the database would prevent its import.
 */
export function requireImported(folder: string): void {
  const file = databaseFile(folder)
  if (existsSync(file)) throw refused(['fileToImport', 'fileToImportDo'], { file })
}

/**
 * Imports `store.db` in one transaction and renames it to `store.db.imported`. Rejects when the database has other
 * rows. After a crash before the rename, the next start detects the imported rows and renames the file.
 */
export async function importFile(folder: string, db: Postgres, log: Log): Promise<void> {
  const file = databaseFile(folder)
  if (!existsSync(file)) return
  const all = [...readTables(file), { ...HALT_REQUEST, rows: readHaltRequest(haltFile(folder)) }]
  await alone(db, async (tx) => {
    if (!(await areMissing(tx, all))) return
    if (!(await areEmpty(tx, all))) throw refused(['fileOfOther', 'fileOfOtherDo'], { file, place: db.place })
    for (const one of all) await tx.query(`INSERT INTO ${one.table} (${one.columns}) ${SELECT(one)}`, [jsonOf(one)])
  })
  rename(haltFile(folder), '')
  // Rename the database file before its WAL: SQLite finds the WAL by the file's name, and without the file the import
  // does not run again.
  for (const end of ['', '-wal', '-shm']) rename(file, end)
  log.info({ file }, 'the file of an earlier version was imported into the database')
}

function rename(file: string, end: string): void {
  if (existsSync(file + end)) renameSync(file + end, `${file}.imported${end}`)
}

function readTables(file: string): Rows[] {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return db.transaction(() => {
      // Early versions of `store.db` lack some tables.
      const found = new Set(db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all())
      return Object.entries(TABLES).map(([table, columns]) => {
        const rows = found.has(table) ? db.prepare<[], Row>(`SELECT ${columns} FROM ${table}`).all() : []
        return { table, columns, rows }
      })
    })()
  } finally {
    db.close()
  }
}

/** An unreadable halt request is ignored, as former servers did. */
function readHaltRequest(file: string): Row[] {
  if (!existsSync(file)) return []
  try {
    return [HaltRequest.parse(JSON.parse(readFileSync(file, 'utf8')))]
  } catch {
    return []
  }
}

const SELECT = ({ table, columns }: Rows): string =>
  `SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`

/** Returns rows as JSON, with bytes in hex as PostgreSQL reads them. */
const jsonOf = ({ rows }: Rows): string =>
  storableJson(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          Buffer.isBuffer(value) ? String.raw`\x${value.toString('hex')}` : value,
        ]),
      ),
    ),
  )

async function areMissing(tx: Querying, all: readonly Rows[]): Promise<boolean> {
  for (const one of all) {
    const missing = `${SELECT(one)} EXCEPT SELECT ${one.columns} FROM ${one.table} LIMIT 1`
    if ((await tx.query(missing, [jsonOf(one)])).count > 0) return true
  }
  return false
}

async function areEmpty(tx: Querying, all: readonly Rows[]): Promise<boolean> {
  for (const { table } of all) if ((await tx.query(`SELECT FROM ${table} LIMIT 1`)).count > 0) return false
  return true
}
