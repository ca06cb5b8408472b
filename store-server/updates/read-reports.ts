import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { createFileHaltRequests } from './halt-requests.ts'
import { readPostgresReports } from './postgres-repository.ts'
import type { KeptReports } from './repository.ts'
import { allHalts, allReports } from './sqlite-repository.ts'

/** Where a store server keeps what it knows: its data folder, or the address of its PostgreSQL. */
export type ReportsPlace = { readonly data: string } | { readonly database: string }

/** What lanes reported to a server, which may be running. Null: there is none. */
export async function readReports(place: ReportsPlace): Promise<KeptReports | null> {
  if ('data' in place) return await readFile(place.data)
  const postgres = openPostgres({ url: place.database, log: createLog('error') })
  try {
    return await readPostgresReports(postgres)
  } finally {
    await postgres.close()
  }
}

async function readFile(data: string): Promise<KeptReports | null> {
  const file = join(data, 'store.db')
  if (!existsSync(file)) return null
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'update_halt'").get() !== undefined
    const request = await createFileHaltRequests(data).newest()
    return has ? { reports: allReports(db), halts: allHalts(db), request } : { reports: [], halts: new Map(), request }
  } finally {
    db.close()
  }
}
