import Sqlite from 'better-sqlite3'
import { createChain } from './chain.ts'
import { createSeal } from './seal.ts'

/** What a database file is found to be when it is opened and read to its end. */
export interface Soundness {
  /** Why it is not to be trusted, in plain English; null when it is sound. */
  readonly problem: string | null
  readonly schema: number
  /** Entries of its journal, and when the newest was made (epoch ms). */
  readonly entries: number
  readonly newestEntryAt: number | null
}

/** The schema since which an operation's entries are linked (migration 0007). The chain does not cover the links; they follow from it. */
const LINKED_SINCE = 7
const WRONG_LINKS = `SELECT 1 FROM (SELECT previous_of_operation AS link, lag(seq) OVER (PARTITION BY operation_id ORDER BY seq) AS earlier FROM journal_entry) WHERE link IS NOT earlier
  UNION ALL SELECT 1 FROM operation LEFT JOIN (SELECT operation_id, max(seq) AS newest FROM journal_entry GROUP BY operation_id) ON operation_id = id WHERE newest_entry IS NOT newest LIMIT 1`

const unsound = (problem: string): Soundness => ({ problem, schema: 0, entries: 0, newestEntryAt: null })

/**
 * Opens a copy of the terminal's database that nothing else has open, makes it a single file, and reads all of it: its
 * pages, its indexes, every link of the journal's chain, and with a key one sealed call. Never throws.
 */
export function examineCopy(file: string, masterKey: Uint8Array | null = null): Soundness {
  try {
    const db = new Sqlite(file, { fileMustExist: true })
    try {
      // Out of write-ahead mode: a backup is one file, and whoever copies it copies all of it.
      db.pragma('journal_mode = DELETE')
      const schema = Number(db.pragma('user_version', { simple: true }))
      if (schema === 0) return unsound('this is not the database of a terminal')
      const integrity = String(db.pragma('integrity_check', { simple: true }))
      if (integrity !== 'ok') return unsound(`the database is damaged: ${integrity}`)
      const chain = createChain({ db })
      const broken = chain.firstBrokenEntry()
      if (broken !== null) return unsound(`the chain of the journal is broken at entry ${broken}`)
      if (schema >= LINKED_SINCE && db.prepare(WRONG_LINKS).get() !== undefined) return unsound('entries of the journal are linked to others than their own')
      const sealed = db.prepare<[], { bytes: Buffer }>('SELECT request_sealed AS bytes FROM operation_call LIMIT 1').get()
      if (sealed && masterKey && !opens(masterKey, sealed.bytes)) return unsound('it was written with another sealing key than the one on this lane')
      const { entries } = db.prepare<[], { entries: number }>('SELECT count(*) AS entries FROM journal_entry').get() ?? { entries: 0 }
      return { problem: null, schema, entries, newestEntryAt: chain.newestEntryAt() }
    } finally {
      db.close()
    }
  } catch (error) {
    return unsound(`it cannot be read as a database: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function opens(masterKey: Uint8Array, sealed: Uint8Array): boolean {
  try {
    createSeal(masterKey).open(sealed)
    return true
  } catch {
    return false
  }
}
