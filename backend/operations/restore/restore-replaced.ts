import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { type Database, type EpochStart, epochOf, numbersAfter } from '../../core/db/database.ts'
import type { EpochNote } from './restore-files.ts'

/** Row of a stored call: sealed, and bound to its operation. */
export interface SealedCallRow {
  readonly operationId: string
  readonly purpose: string
  readonly path: string
  readonly key: string | null
  readonly traceId: string
  readonly dateTime: string
  readonly sealed: Buffer
  readonly sha256: Buffer
}

export interface Replaced {
  readonly entries: number
  readonly epoch: number
  readonly numbers: EpochStart
  /** Windows with access to this terminal, which need no new launch link after the restore. */
  readonly windows: readonly { readonly key: string; readonly window: string; readonly openedAt: number }[]
  /** Calls completed from drafts, which are sent again only with the same bytes and idempotency keys. */
  readonly completedDrafts: readonly SealedCallRow[]
}

/** Reads the replaced database without changing it; null when missing or unreadable. */
export function readReplaced(database: string): Replaced | null {
  if (!existsSync(database)) return null
  try {
    const db = new Sqlite(database, { readonly: true })
    try {
      return {
        entries: Number(db.prepare('SELECT count(*) FROM journal_entry').pluck().get()),
        epoch: epochOf(db),
        numbers: numbersAfter(db),
        windows: db
          .prepare<[], Replaced['windows'][number]>(
            `SELECT secret_hash AS key, window_id AS window, opened_at AS openedAt FROM window_session
              ORDER BY opened_at`,
          )
          .all(),
        completedDrafts: db.prepare<[], SealedCallRow>(COMPLETED_DRAFTS).all(),
      }
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}

const COMPLETED_DRAFTS = `SELECT call.operation_id AS operationId, purpose, call.path,
  idempotency_key AS key, call.trace_id AS traceId, call.date_time AS dateTime,
  call.request_sealed AS sealed, call.request_sha256 AS sha256
  FROM operation_draft CROSS JOIN operation_call AS call ON call.operation_id = operation_draft.operation_id`

/**
 * First numbers after the loss of a database whose last numbers are unknown: so far after the backup that no lane
 * reaches them before its next backup. With a sale a second that takes twelve days.
 */
const LEAP: EpochStart = { firstSequence: 1_000_000, firstZ: 1_000, firstShift: 1_000, firstMovement: 10_000 }

/**
 * Returns the epoch after a restore and its first numbers, from the backup, the replaced database, and the newest epoch
 * noted next to the database.
 */
export function newEpoch(backup: Database, replaced: Replaced | null, noted: EpochNote | null): EpochNote {
  const kept = numbersAfter(backup)
  const past = (of: keyof EpochStart): number => {
    const known = Math.max(kept[of], replaced?.numbers[of] ?? 0, noted?.[of] ?? 0)
    return replaced === null ? known + LEAP[of] : known
  }
  return {
    number: Math.max(epochOf(backup), replaced?.epoch ?? 1, noted?.number ?? 1) + 1,
    firstSequence: past('firstSequence'),
    firstZ: past('firstZ'),
    firstShift: past('firstShift'),
    firstMovement: past('firstMovement'),
  }
}
