import type { AuditKind } from '../../../contracts/staff/audit-kinds.ts'
import type { Resolution } from '../../../contracts/loyalty/queue.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { entriesFrom, NEWEST_OF_OPERATION } from '../../core/outbox/chain.ts'
import { TakenAnyway, TAKEN } from '../../core/outbox/operation-lists.ts'
import type { IssuanceOperationType, MilesState } from '../../core/outbox/states.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { CallPurpose } from '../../core/outbox/stored-calls.ts'
import { perLane } from '../../core/context.ts'

export interface ResolutionRow {
  readonly at: number
  readonly staffId: string
  readonly found: Resolution['found']
  readonly note: string
}

export interface CallRow {
  readonly purpose: CallPurpose
  readonly path: string
  readonly traceId: string
  readonly idempotencyKey: string | null
  readonly dateTime: string
  readonly sends: number
  readonly firstSentAt: number | null
}

export interface HistoryRow {
  readonly at: number
  readonly from: MilesState | null
  readonly to: MilesState
  readonly orderedBy: string | null
}

export interface ManualCalls {
  readonly corrected: number
  readonly takenBack: number
  readonly given: number
}

export interface TakerRow {
  readonly id: string
  readonly type: IssuanceOperationType
  readonly state: MilesState
}

export const HISTORY = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT at, from_state AS 'from', to_state AS 'to', json_extract(detail, '$.orderedBy') AS orderedBy FROM entry_of
  CROSS JOIN journal_entry USING (seq) ORDER BY seq`
export const CALLS = `${entriesFrom(NEWEST_OF_OPERATION)}, sent (purpose, at) AS (
    SELECT json_extract(detail, '$.sending'), at FROM entry_of CROSS JOIN journal_entry USING (seq))
  SELECT purpose, path, trace_id AS traceId, idempotency_key AS idempotencyKey, date_time AS dateTime,
    (SELECT count(*) FROM sent WHERE sent.purpose = operation_call.purpose) AS sends,
    (SELECT min(at) FROM sent WHERE sent.purpose = operation_call.purpose) AS firstSentAt
  FROM operation_call WHERE operation_id = ? ORDER BY purpose`
/**
 * SQL for the number of sends of an operation, and of those refused without an effect because of a parallel
 * transaction.
 */
export const REFUSED_SENDS = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT count(json_extract(detail, '$.sending')) AS sent,
  count(CASE WHEN json_extract(detail, '$.refusals') > 0 THEN 1 END) AS refused FROM entry_of
  CROSS JOIN journal_entry USING (seq)`
export const TAKERS =
  "SELECT id, type, state FROM operation WHERE sale_id = ? AND kind = 'issuance' AND after_operation_id = ?"
/** SQLite uses the partial index only if the query repeats the condition of the index. */
export const CORRECTED_BY = 'SELECT id FROM operation WHERE corrects_id = ? AND corrects_id IS NOT NULL'

const CORRECTIONS_OF = [
  'send-again',
  'send-again-all',
  'credit',
  'resolve',
  'correct',
  'take-back',
  'give',
  'notice-settled',
  'slip-settled',
] as const
const kindOf = (what: (typeof CORRECTIONS_OF)[number]): AuditKind =>
  what === 'slip-settled' ? 'card-slip-settled' : `queue-${what}`
export interface CorrectionRow {
  readonly number: number
  readonly at: number
  readonly actorId: string | null
  readonly subject: string | null
  readonly detail: string
  readonly what: (typeof CORRECTIONS_OF)[number]
}
/**
 * Corrections of one kind, the newest first. Sorted by number, because pages sorted by time would skip corrections made
 * after the clock was set back.
 */
export const CORRECTIONS = `SELECT id AS number, at, actor_id AS actorId, subject, detail FROM audit_entry
  WHERE kind = +@kind AND +id < @before ORDER BY +id DESC LIMIT @limit`

export type QueueRepository = ReturnType<typeof createQueueRepository>

export function createQueueRepository(db: Database) {
  const resolution = db.prepare<[string], ResolutionRow>(
    'SELECT at, staff_id AS staffId, found, note FROM operation_resolution WHERE operation_id = ?',
  )
  const resolve = db.prepare(
    `INSERT INTO operation_resolution (operation_id, at, staff_id, found, note)
      VALUES (@id, @at, @staffId, @found, @note)`,
  )
  const calls = db.prepare<[string, string], CallRow>(CALLS)
  const history = db.prepare<[string], HistoryRow>(HISTORY)
  const refusedSends = db.prepare<[string], { sent: number; refused: number }>(REFUSED_SENDS)
  const takers = db.prepare<[string, string], TakerRow>(TAKERS)
  const correctedBy = db.prepare<[string], { id: string }>(CORRECTED_BY)
  const credited = db.prepare(CREDITED)
  const taken = db.prepare<[string], { taken: string }>(TAKEN)
  const counts = db.prepare<[string], ManualCalls>(`SELECT count(corrects_id) AS corrected,
    count(CASE WHEN type = 'reverse-event' AND corrects_id IS NULL THEN 1 END) AS takenBack,
      count(CASE WHEN type = 'post-event' AND corrects_id IS NULL THEN 1 END) AS given
    FROM operation WHERE sale_id = ? AND kind = 'issuance'`)
  const corrections = db.prepare<{ kind: string; before: number; limit: number }, Omit<CorrectionRow, 'what'>>(
    CORRECTIONS,
  )
  return {
    corrections: (before: number, limit: number): CorrectionRow[] =>
      CORRECTIONS_OF.flatMap((what) =>
        corrections.all({ kind: kindOf(what), before, limit }).map((row) => ({ ...row, what })),
      )
        .toSorted((one, other) => other.number - one.number)
        .slice(0, limit),
    resolutionOf: (id: string): ResolutionRow | undefined => resolution.get(id),
    resolve(tx: Tx, id: string, row: ResolutionRow): void {
      tx.run(resolve, { id, ...row })
    },
    calls: (id: string): CallRow[] => calls.all(id, id),
    history: (id: string): HistoryRow[] => history.all(id),
    everySendRefused(id: string): boolean {
      const { sent, refused } = refusedSends.get(id) ?? { sent: 0, refused: 0 }
      return sent > 0 && sent === refused
    },
    takersOf: (saleId: string, id: string): TakerRow[] => takers.all(saleId, id),
    correctedBy: (id: string): string | null => correctedBy.get(id)?.id ?? null,
    isCredited: (id: string): boolean => credited.get(id) !== undefined,
    /**
     * Returns the amount and miles of the mismatched answer to a redemption; null without such an answer, or if the
     * redemption was approved as requested in the end.
     */
    takenOf({ id, kind, confirmationNumber, approvedOnAttempt }: Operation): TakenAnyway | null {
      const row = kind === 'redemption' && approvedOnAttempt === null ? taken.get(id) : undefined
      const stored = row ? TakenAnyway.parse(JSON.parse(row.taken)) : null
      return stored?.confirmationNumber === confirmationNumber ? stored : null
    },
    countsOf: (saleId: string): ManualCalls => counts.get(saleId) ?? { corrected: 0, takenBack: 0, given: 0 },
  }
}

/** SQLite uses the partial index only if the query repeats the condition of the index. */
export const CREDITED = 'SELECT 1 FROM voucher_entry WHERE operation_id = ? AND operation_id IS NOT NULL'

export const queueRowsOf = perLane(({ db }) => createQueueRepository(db))
