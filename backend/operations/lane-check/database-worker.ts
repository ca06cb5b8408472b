import { pathToFileURL } from 'node:url'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { answerInWorker } from '../../core/worker.ts'

/*
 * Reads a database to its end, on a thread of its own. One that no terminal has open is read as a file that nobody
 * writes: to open it in the usual way would leave a log beside it. Node's own SQLite can do that, the other cannot.
 */
const Order = z.object({ file: z.string(), isOpenElsewhere: z.boolean(), whole: z.boolean() })
const Row = z.object({ quick_check: z.string() })

function problemOf({ file, isOpenElsewhere, whole }: z.infer<typeof Order>): string | null {
  const statement = whole ? 'PRAGMA quick_check(1)' : "SELECT 'ok' AS quick_check FROM sqlite_schema LIMIT 1"
  const read = isOpenElsewhere ? readShared : readAlone
  const [row] = read(file, statement)
  const said = Row.parse(row).quick_check
  return said === 'ok' ? null : said.slice(0, 120)
}

function readShared(file: string, statement: string): unknown[] {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    return db.prepare(statement).all()
  } finally {
    db.close()
  }
}

function readAlone(file: string, statement: string): unknown[] {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const address = pathToFileURL(file)
  address.search = 'immutable=1'
  const db = new DatabaseSync(address, { readOnly: true })
  try {
    return db.prepare(statement).all()
  } finally {
    db.close()
  }
}

function answer(order: unknown): string | null {
  try {
    return problemOf(Order.parse(order))
  } catch (error) {
    if (!(error instanceof Error)) return 'unknown'
    return 'errcode' in error || 'code' in error ? error.message.slice(0, 120) : 'unknown'
  }
}

await answerInWorker(answer)
