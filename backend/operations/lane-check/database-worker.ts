import { pathToFileURL } from 'node:url'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { answerInWorker } from '../../core/worker.ts'

/*
 * Checks a database on a worker thread, completely or only whether it can be opened. If no terminal has it open, it is
 * opened as immutable, which only Node's own SQLite can do: a normal open would create a log next to it.
 */
const DatabaseToCheck = z.object({ file: z.string(), isOpenElsewhere: z.boolean(), whole: z.boolean() })
const Row = z.object({ quick_check: z.string() })

function problemOf({ file, isOpenElsewhere, whole }: z.infer<typeof DatabaseToCheck>): string | null {
  const statement = whole ? 'PRAGMA quick_check(1)' : "SELECT 'ok' AS quick_check FROM sqlite_schema LIMIT 1"
  const read = isOpenElsewhere ? readShared : readAlone
  const [row] = read(file, statement)
  const result = Row.parse(row).quick_check
  return result === 'ok' ? null : result.slice(0, 120)
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

function answer(task: unknown): string | null {
  try {
    return problemOf(DatabaseToCheck.parse(task))
  } catch (error) {
    if (!(error instanceof Error)) return 'unknown'
    return 'errcode' in error || 'code' in error ? error.message.slice(0, 120) : 'unknown'
  }
}

await answerInWorker(answer)
