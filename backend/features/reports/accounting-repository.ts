import { ZReport } from '../../../contracts/api/day-end.ts'
import type { Database } from '../../db/open.ts'

/** Z reports of a span of time (epoch ms), oldest first; numbers stand in their order, which is that of time. */
export const ZS_OF_SPAN = `SELECT report FROM z_report WHERE at >= @from AND at < @before AND number > @after
  ORDER BY number LIMIT 1`
/**
 * By the journal and not by time, so that a clock that is set brings none of it into two Zs or into none. Reads the
 * entries of a day, of which few are such.
 */
export const LATE_CREDIT = `SELECT coalesce(sum(amount_cents), 0) FROM journal_entry
  CROSS JOIN voucher_entry ON voucher_entry.operation_id = journal_entry.operation_id AND voucher_entry.kind = 'issued'
  WHERE seq > @after AND seq <= @to AND to_state = 'reversal-expired'`
const ENTRY_BEFORE = 'SELECT last_entry FROM z_report WHERE number < ? ORDER BY number DESC LIMIT 1'

export interface AccountedZ {
  readonly report: ZReport
  /** Store credit that was issued since the Z before it for miles that could no longer be given back. */
  readonly lateCreditCents: number
}

export type AccountingRepository = ReturnType<typeof createAccountingRepository>

export function createAccountingRepository(db: Database) {
  const next = db.prepare<[{ from: number; before: number; after: number }], string>(ZS_OF_SPAN).pluck()
  const lateCredit = db.prepare<[{ after: number; to: number }], number>(LATE_CREDIT).pluck()
  const entryBefore = db.prepare<[number], number>(ENTRY_BEFORE).pluck()
  return {
    /** One after another: nothing is held between two of them. */
    *zReports(from: number, before: number): Generator<AccountedZ> {
      let after = 0
      for (;;) {
        const row = next.get({ from, before, after })
        if (row === undefined) return
        const report = ZReport.parse(JSON.parse(row))
        after = report.number
        const span = { after: entryBefore.get(report.number) ?? 0, to: report.journal.seq }
        yield { report, lateCreditCents: lateCredit.get(span) ?? 0 }
      }
    },
  }
}
