import Sqlite from 'better-sqlite3'
import type { AuditVerdict } from '../../../contracts/staff/audit.ts'
import { isoOf } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { headOf, readHighWaterMark, type Mark } from '../outbox/high-water.ts'
import { problemOf } from '../outbox/integrity-check.ts'
import { createSeal, type Seal } from './seal.ts'
import { createAuditChain, type AuditRow } from './hash-chain.ts'
import { codecOf, readEvidenceRow } from './state.ts'

export interface AuditFiles {
  readonly database: string
  readonly mark: string
  readonly masterKey: Uint8Array
}

type Break = NonNullable<AuditVerdict['broken']>
interface Walk {
  readonly entries: number
  readonly newest: AuditRow | null
  readonly broken: Break | null
}

/** Page cache of the verification in KB; small, because the table is read only once. */
const CACHE_KB = 4_000
const A_STEP = 10_000

/**
 * Verifies the whole audit trail of a database, possibly in use, in one snapshot: every entry by the chain, and its end
 * by the mark outside the database, the head on each Z report and the sealed row count. For a complete trail it
 * verifies all other tables of the database too, because a valid entry proves nothing if other rows were changed.
 * `onProgress` gets the number of valid entries. Never throws.
 */
export function verifyAudit(files: AuditFiles, onProgress: (read: number) => void): AuditVerdict {
  const begun = performance.now()
  const seconds = (): number => Math.round(performance.now() - begun) / 1000
  try {
    const seal = createSeal(files.masterKey)
    // The mark is read before the snapshot: it is never ahead of the database, so it cannot be ahead of the snapshot.
    const mark = readHighWaterMark(files.mark, seal)
    const db = new Sqlite(files.database, { readonly: true, fileMustExist: true })
    try {
      db.pragma(`cache_size = -${CACHE_KB}`)
      db.exec('BEGIN')
      const { entries, newest, broken } = walk(db, seal, onProgress)
      const { count, unlike } = zHeads(db, seal)
      const newestAt = newest && isoOf(newest.at)
      return {
        entries,
        newestAt,
        broken: broken ?? endOf({ db, seal, mark, newest, unlike }),
        zReports: count,
        seconds: seconds(),
      }
    } finally {
      db.close()
    }
  } catch {
    const broken: Break = { cause: 'unreadable', entry: null, intact: null }
    return { entries: 0, newestAt: null, broken, zReports: 0, seconds: seconds() }
  }
}

const intactOf = (row: AuditRow | null): Break['intact'] => row && { number: row.seq, at: isoOf(row.at) }

function walk(db: Database, seal: Seal, onProgress: (read: number) => void): Walk {
  let newest: AuditRow | null = null
  let entries = 0
  const found = createAuditChain({ db, seal }).firstBreak(0, (entry) => {
    newest = entry
    entries += 1
    if (entries % A_STEP === 0) onProgress(entries)
  })
  const broken: Break | null = found && { cause: 'changed', entry: found.entry, intact: intactOf(found.intact) }
  return { entries, newest, broken }
}

function endOf({
  db,
  seal,
  mark,
  newest,
  unlike,
}: {
  readonly db: Database
  readonly seal: Seal
  readonly mark: Mark | null
  readonly newest: AuditRow | null
  readonly unlike: number | null
}): Break | null {
  const at = (cause: Break['cause'], entry: number | null): Break => ({ cause, entry, intact: intactOf(newest) })
  const end = newest?.seq ?? 0
  const chain = createAuditChain({ db, seal })
  if (mark && !chain.holds(headOf(mark.audit))) return at('end-gone', Math.min(mark.audit.seq, end + 1))
  if (unlike !== null) return at('end-gone', Math.min(unlike, end + 1))
  const rows = sealedRows(db, seal)
  if (rows === null) return at('record-changed', null)
  if (rows !== end) return at('end-gone', Math.min(rows, end) + 1)
  if (!mark) return at('mark-gone', null)
  return problemOf(db, seal) === null ? null : at('database-changed', null)
}

/** Returns the number of entries by the sealed record; null when the record or the schema was changed. */
function sealedRows(db: Database, seal: Seal): number | null {
  const row = readEvidenceRow(db)
  if (!row) return null
  try {
    const { codec } = codecOf(db, seal)
    return codec.digestOf(codec.open(row), 'audit_entry').rows
  } catch {
    return null
  }
}

/**
 * Returns the number of Z reports, and the first audit entry that differs from the one whose hash a Z report states.
 */
function zHeads(db: Database, seal: Seal): { count: number; unlike: number | null } {
  const chain = createAuditChain({ db, seal })
  const heads = db
    .prepare<[], { seq: number; hash: string }>(
      "SELECT report ->> '$.audit.seq' AS seq, report ->> '$.audit.hash' AS hash FROM z_report ORDER BY number",
    )
    .all()
  const unlike = heads.find((head) => !chain.holds(headOf(head)))
  return { count: heads.length, unlike: unlike?.seq ?? null }
}
