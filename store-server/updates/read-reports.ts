import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../delivery/updates/formats.ts'
import type { Tally } from '../../delivery/updates/wave.ts'
import { readHaltRequest, type HaltRequest } from './halts.ts'
import { allHalts, allReports } from './repository.ts'

export interface KeptReports {
  readonly reports: readonly Report[]
  /** What stood of a version when it was last halted. */
  readonly halts: ReadonlyMap<string, Tally>
  /** What the server waits for: it gives the channel to nobody meanwhile. */
  readonly request: HaltRequest | null
}

/** What lanes reported to the server with this data folder, which may be running. Null: there is none. */
export function readReports(data: string): KeptReports | null {
  const file = join(data, 'store.db')
  if (!existsSync(file)) return null
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'update_halt'").get() !== undefined
    const request = readHaltRequest(data)
    return has ? { reports: allReports(db), halts: allHalts(db), request } : { reports: [], halts: new Map(), request }
  } finally {
    db.close()
  }
}
