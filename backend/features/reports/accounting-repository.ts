import { ZReport } from '../../../contracts/api/day-end.ts'
import type { Database } from '../../db/open.ts'

/** Z reports of a span of time (epoch ms), oldest first; numbers stand in their order, which is that of time. */
export const ZS_OF_SPAN = `SELECT report FROM z_report WHERE at >= @from AND at < @before AND number > @after
  ORDER BY number LIMIT 1`
/** Few: an entry for each reversal that came too late. */
export const LATE_CREDIT = `SELECT coalesce(sum(amount_cents), 0) FROM voucher_entry
  WHERE operation_id IS NOT NULL AND kind = 'issued' AND at > @from AND at <= @to`

export interface AccountedZ {
  readonly report: ZReport
  /** Store credit that was issued since the Z before it for miles that could no longer be given back. */
  readonly lateCreditCents: number
}

export type AccountingRepository = ReturnType<typeof createAccountingRepository>

export function createAccountingRepository(db: Database) {
  const next = db.prepare<[{ from: number; before: number; after: number }], string>(ZS_OF_SPAN).pluck()
  const lateCredit = db.prepare<[{ from: number; to: number }], number>(LATE_CREDIT).pluck()
  return {
    /** One after another: nothing is held between two of them. */
    *zReports(from: number, before: number): Generator<AccountedZ> {
      let after = 0
      for (;;) {
        const row = next.get({ from, before, after })
        if (row === undefined) return
        const report = ZReport.parse(JSON.parse(row))
        after = report.number
        const since = report.from === null ? 0 : Date.parse(report.from)
        yield { report, lateCreditCents: lateCredit.get({ from: since, to: Date.parse(report.at) }) ?? 0 }
      }
    },
  }
}
