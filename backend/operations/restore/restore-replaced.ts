import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { type Database, type EpochStart, epochOf, numbersAfter } from '../../core/db/database.ts'
import type { EpochNote } from './restore-files.ts'

/** Row of a stored call; its bytes are sealed for exactly this operation. */
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
  readonly windows: readonly { readonly key: string; readonly window: string; readonly openedAt: number }[]
  /**
   * Drafts that were completed after the backup. They must be sent with these bytes and idempotency keys, because they
   * may have been sent.
   */
  readonly completedDrafts: readonly SealedCallRow[]
}

/**
 * Reads what a restore takes over from the replaced database, without changing it; null when it is missing or
 * unreadable.
 */
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
 * How far an epoch's first numbers are above those of the backup when the lost database's last numbers are unknown. A
 * lane uses fewer numbers between two backups: with a sale a second, a million sales take twelve days.
 */
const LEAP: EpochStart = { firstSequence: 1_000_000, firstZ: 1_000, firstShift: 1_000, firstMovement: 10_000 }

/**
 * Returns the epoch that a restore starts, with first numbers above those of the backup, of the replaced database, and
 * of the newest epoch noted next to the database.
 */
export function newEpoch(backup: Database, replaced: Replaced | null, noted: EpochNote | null): EpochNote {
  const restored = numbersAfter(backup)
  const past = (of: keyof EpochStart): number => {
    const known = Math.max(restored[of], replaced?.numbers[of] ?? 0, noted?.[of] ?? 0)
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
