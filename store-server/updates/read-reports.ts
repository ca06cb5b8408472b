import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../delivery/updates/formats.ts'
import { allReports } from './repository.ts'

/** What lanes reported to the server with this data folder, which may be running. Null: there is none. */
export function readReports(data: string): Report[] | null {
  const file = join(data, 'store.db')
  if (!existsSync(file)) return null
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'update_report'").get() !== undefined
    return has ? allReports(db) : []
  } finally {
    db.close()
  }
}
