import { ZReport } from '../../../contracts/api/day-end.ts'
import type { Database } from '../../db/open.ts'
import { Z_OPENINGS, type ZOpening } from '../day-end/repository.ts'

const Z_REPORT = 'SELECT report FROM z_report WHERE number = ?'
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
  /** When its first drawer was opened, epoch ms. */
  readonly openedAt: number
  /** Store credit that was issued since the Z before it for miles that could no longer be given back. */
  readonly lateCreditCents: number
}

export type AccountingRepository = ReturnType<typeof createAccountingRepository>

export function createAccountingRepository(db: Database) {
  const openings = db.prepare<[], ZOpening>(Z_OPENINGS)
  const byNumber = db.prepare<[number], string>(Z_REPORT).pluck()
  const lateCredit = db.prepare<[{ after: number; to: number }], number>(LATE_CREDIT).pluck()
  const entryBefore = db.prepare<[number], number>(ENTRY_BEFORE).pluck()
  return {
    /** Of Zs whose first drawer was opened so (epoch ms), in their order, one after another: none is held meanwhile. */
    *zReports(isWanted: (openedAt: number) => boolean): Generator<AccountedZ> {
      for (const { number, openedAt } of openings.all()) {
        const row = isWanted(openedAt) ? byNumber.get(number) : undefined
        if (row === undefined) continue
        const report = ZReport.parse(JSON.parse(row))
        const span = { after: entryBefore.get(report.number) ?? 0, to: report.journal.seq }
        yield { report, openedAt, lateCreditCents: lateCredit.get(span) ?? 0 }
      }
    },
  }
}
