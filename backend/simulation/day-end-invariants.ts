import type { Database } from 'better-sqlite3'
import { ZReport } from '../../contracts/api/day-end.ts'
import { Closing } from '../features/shifts/repository.ts'

/** Sums by shift, straight from the rows: what the reports are held against. */
interface OfShift {
  readonly sales: number
  /** What its completed sales came to by their payments: not by what was stored of them. */
  readonly paidCents: number
  readonly tenderCents: number
  readonly cashCents: number
  readonly returns: number
  readonly returnCents: number
  readonly movements: number
}

/**
 * (14) Every sale, return and cash movement stands in exactly one shift, and every closed shift in at most one Z; each
 * Z equals the sum of its rows, their numbers have no gap, and the grand totals add up.
 */
export function brokenDayEnd(db: Database): string[] {
  return [...outsideShifts(db), ...brokenShifts(db), ...brokenReports(db)]
}

function outsideShifts(db: Database): string[] {
  const count = (what: string, sql: string): string[] => {
    const found = db.prepare<[], number>(`SELECT count(*) FROM ${sql}`).pluck().get() ?? 0
    return found === 0 ? [] : [`${found} ${what}`]
  }
  const unknown = '(SELECT id FROM shift)'
  return [
    ...count('closed sales in no shift', `sale WHERE state <> 'open' AND coalesce(shift_id, 0) NOT IN ${unknown}`),
    ...count('payments in no shift', `tender WHERE shift_id NOT IN ${unknown}`),
    ...count('returns in no shift', `sale_return WHERE shift_id NOT IN ${unknown}`),
    ...count('cash movements in no shift', `cash_movement WHERE shift_id NOT IN ${unknown}`),
  ]
}

function ofShift(db: Database, id: number): OfShift {
  const number = (sql: string): number => db.prepare<[number], number>(sql).pluck().get(id) ?? 0
  return {
    sales: number("SELECT count(*) FROM sale WHERE shift_id = ? AND state = 'completed'"),
    paidCents: number(`SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id IN
      (SELECT id FROM sale WHERE shift_id = ? AND state = 'completed')`),
    tenderCents: number('SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE shift_id = ?'),
    cashCents:
      number(
        "SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE shift_id = ? AND kind = 'cash'",
      ) -
      number(`SELECT coalesce(sum(refund.amount_cents + refund.rounding_cents), 0) FROM refund
        JOIN sale_return ON sale_return.id = return_id WHERE shift_id = ? AND refund.kind = 'cash'`) +
      number('SELECT coalesce(sum(amount_cents), 0) FROM cash_movement WHERE shift_id = ?'),
    returns: number('SELECT count(*) FROM sale_return WHERE shift_id = ?'),
    returnCents: number('SELECT coalesce(sum(total_cents), 0) FROM sale_return WHERE shift_id = ?'),
    movements: number('SELECT count(*) FROM cash_movement WHERE shift_id = ?'),
  }
}

function brokenShifts(db: Database): string[] {
  return db
    .prepare<[], { id: number; floatCents: number; closing: string }>(
      'SELECT id, float_cents AS floatCents, closing FROM shift WHERE closing IS NOT NULL',
    )
    .all()
    .flatMap(({ id, floatCents, closing }) => {
      const { cash } = Closing.parse(JSON.parse(closing)).result
      const expected = floatCents + ofShift(db, id).cashCents
      return cash.expectedCents === expected && cash.differenceCents === (cash.countedCents ?? 0) - expected
        ? []
        : [`shift ${id} expected ${cash.expectedCents}, and its rows come to ${expected}`]
    })
}

function brokenReports(db: Database): string[] {
  const broken: string[] = []
  const rows = db
    .prepare<[], { number: number; report: string }>('SELECT number, report FROM z_report ORDER BY number')
    .all()
  let [expected, salesCents, returnsCents, openCents] = [1, 0, 0, 0]
  for (const { number, report: text } of rows) {
    const report = ZReport.parse(JSON.parse(text))
    const { totals } = report
    const say = (what: string, found: number, wanted: number): void => {
      if (found !== wanted) broken.push(`Z ${number}: ${what} ${found}, and its rows come to ${wanted}`)
    }
    say('number', number, expected)
    const ids = db.prepare<[number], number>('SELECT id FROM shift WHERE z_number = ? ORDER BY id').pluck().all(number)
    if (JSON.stringify(ids) !== JSON.stringify(report.shifts.map(({ id }) => id)))
      broken.push(`Z ${number} names other shifts than are in it`)
    const parts = ids.map((id) => ofShift(db, id))
    const sum = (of: keyof OfShift): number => parts.reduce((total, part) => total + part[of], 0)
    say('sales', totals.sales.count, sum('sales'))
    say('total of sales', totals.sales.totalCents, sum('paidCents'))
    const taxes = totals.sales.taxes.reduce((total, { amountCents }) => total + amountCents, 0)
    say('net and taxes', totals.sales.netCents + taxes, totals.sales.totalCents)
    say('gross less discounts', totals.sales.grossCents - totals.sales.discountCents, totals.sales.netCents)
    say('returns', totals.returns.count, sum('returns'))
    say('total of returns', totals.returns.totalCents, sum('returnCents'))
    const moved = totals.movements.reduce((total, { count }) => total + count, 0)
    say('cash movements', moved, sum('movements'))
    const net = totals.tenders.reduce((total, { netCents }) => total + netCents, 0)
    say('tenders', net, sum('tenderCents') - sum('returnCents'))
    const departments = totals.departments.reduce((total, { netCents }) => total + netCents, 0)
    say('departments', departments, totals.sales.netCents - totals.returns.netCents)
    say('open sales before', totals.openSales.beforeCents, openCents)
    openCents += sum('tenderCents') - sum('paidCents')
    // What the sales of this Z were paid before it, less what was paid in it on sales that are still open.
    say('open sales after', totals.openSales.afterCents, openCents)
    salesCents += totals.sales.totalCents
    returnsCents += totals.returns.totalCents
    say('grand total of sales', report.grandTotals.salesCents, salesCents)
    say('grand total of returns', report.grandTotals.returnsCents, returnsCents)
    expected += 1
  }
  return broken
}
