import type { Database } from '../../core/db/database.ts'
import { ATTENTION_STATES, UNRESOLVED } from '../../core/outbox/operation-lists.ts'

export interface OperationGroup {
  readonly type: string
  readonly state: string
  readonly count: number
  readonly oldestAt: number
  readonly newestAt: number
}

const GROUP = 'type, state, count(*) AS count, min(created_at) AS oldestAt, max(created_at) AS newestAt'

export const SUPPORT_SQL = {
  open: `SELECT ${GROUP} FROM operation WHERE open = 1 GROUP BY type, state`,
  attention: `SELECT ${GROUP} FROM operation INDEXED BY operation_attention
    WHERE ${ATTENTION_STATES} AND ${UNRESOLVED} GROUP BY type, state`,
  verified: `SELECT at, detail FROM audit_entry INDEXED BY audit_entry_kind WHERE kind = 'audit-verified'
    ORDER BY at DESC LIMIT 1`,
  offers: 'SELECT locale, total AS count, fetched_at AS fetchedAt FROM offer_list ORDER BY locale',
} as const

export function createSupportRepository(db: Database) {
  const open = db.prepare<[], OperationGroup>(SUPPORT_SQL.open)
  const attention = db.prepare<[], OperationGroup>(SUPPORT_SQL.attention)
  const verified = db.prepare<[], { at: number; detail: string }>(SUPPORT_SQL.verified)
  const offers = db.prepare<[], { locale: string; count: number; fetchedAt: number }>(SUPPORT_SQL.offers)
  return {
    open: (): OperationGroup[] => open.all(),
    attention: (): OperationGroup[] => attention.all(),
    verified: () => verified.get(),
    offers: () => offers.all(),
  }
}
