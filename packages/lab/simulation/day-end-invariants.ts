import type { Database } from 'better-sqlite3'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { AccountingSettings } from '../../../contracts/day/accounting.ts'
import { postingsOf, type ZPostings } from '../../../backend/day/reports/accounting.ts'
import { createAccountingRepository } from '../../../backend/day/reports/reports.sql.ts'
import { Closing } from '../../../backend/sales/drawer.sql.ts'

interface OfShift {
  readonly sales: number
  /** Total of the shift’s completed sales by their payments, not by their stored totals. */
  readonly paidCents: number
  readonly giftCardCents: number
  readonly depositCents: number
  readonly emptiesCents: number
  readonly empties: number
  readonly coupons: number
  readonly couponCents: number
  readonly couponBackCents: number
  readonly depositsReturnedCents: number
  readonly tenderCents: number
  readonly cashCents: number
  readonly returns: number
  readonly returnCents: number
  readonly movements: number
}

/**
 * Invariant 14: every sale, return, payout of empties and cash movement is in exactly one shift, and every closed shift
 * in at most one Z report. Each Z equals the sum of its rows, Z numbers have no gap, grand totals add up, and the
 * accounting postings of each Z balance and match it.
 */
export function brokenDayEnd(db: Database): string[] {
  return [...outsideShifts(db), ...brokenShifts(db), ...brokenReports(db), ...brokenBooks(db)]
}

/** Checks that after all simulated days no shift is open, and that every shift is in exactly one Z report. */
export function notInOneZ(db: Database): string[] {
  const left = db.prepare<[], number>('SELECT id FROM shift WHERE z_number IS NULL').pluck().all()
  const named = db
    .prepare<[], number>("SELECT shift.value ->> '$.id' FROM z_report, json_each(report, '$.shifts') AS shift")
    .pluck()
    .all()
  return [
    ...left.map((id) => `shift ${id} is in no Z`),
    ...named.filter((id, at) => named.indexOf(id) !== at).map((id) => `shift ${id} is in more than one Z`),
  ]
}

/**
 * Checks that the sums of a shift do not change after the first count of its drawer. `seen` stores the sums by shift
 * id.
 */
export function frozenShifts(db: Database, seen: Map<number, string>): string[] {
  const known = Math.max(0, ...seen.keys())
  const counted = db
    .prepare<[number], number>('SELECT id FROM shift WHERE counted_at IS NOT NULL AND (id > ? OR z_number IS NULL)')
    .pluck()
    .all(known)
  return counted.flatMap((id) => {
    const now = JSON.stringify(ofShift(db, id))
    const before = seen.get(id) ?? now
    seen.set(id, before)
    return before === now ? [] : [`the sums of shift ${id} were ${before} at its count, but are ${now} now`]
  })
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

/** Payments with manufacturers’ coupons: only they name a coupon. */
const COUPONS = 'FROM tender WHERE shift_id = ? AND coupon IS NOT NULL'

function ofShift(db: Database, id: number): OfShift {
  const number = (sql: string): number => db.prepare<[number], number>(sql).pluck().get(id) ?? 0
  const ofSku = (sku: string): number =>
    number(`SELECT coalesce(sum(quantity * unit_price_cents), 0) FROM sale_line WHERE sku = '${sku}' AND voided = 0
      AND sale_id IN (SELECT id FROM sale WHERE shift_id = ? AND state = 'completed')`)
  return {
    sales: number("SELECT count(*) FROM sale WHERE shift_id = ? AND state = 'completed'"),
    paidCents: number(`SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id IN
      (SELECT id FROM sale WHERE shift_id = ? AND state = 'completed')`),
    giftCardCents: number(`SELECT coalesce(sum(unit_price_cents), 0) FROM sale_line WHERE sku = '${GIFT_CARD_SKU}'
      AND voided = 0 AND sale_id IN (SELECT id FROM sale WHERE shift_id = ? AND state = 'completed')`),
    depositCents: ofSku(CHARGE_SKUS.deposit),
    emptiesCents: ofSku(EMPTIES_SKU),
    empties: number(`SELECT coalesce(sum(quantity), 0) FROM sale_line WHERE sku = '${EMPTIES_SKU}' AND voided = 0
      AND sale_id IN (SELECT id FROM sale WHERE shift_id = ? AND state = 'completed')`),
    coupons: number(`SELECT count(*) ${COUPONS} AND amount_cents > 0`),
    couponCents: number(`SELECT coalesce(sum(amount_cents), 0) ${COUPONS} AND amount_cents > 0`),
    couponBackCents: number(`SELECT coalesce(sum(0 - amount_cents), 0) ${COUPONS} AND amount_cents < 0`),
    depositsReturnedCents: number(`SELECT coalesce(sum(quantity * unit_price_cents), 0) FROM return_line
      WHERE sku = '${CHARGE_SKUS.deposit}' AND return_id IN (SELECT id FROM sale_return WHERE shift_id = ?)`),
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

/** Payments of a kind less its refunds, in these shifts. */
const paidBy = (db: Database, kind: string, shifts: readonly number[]): number =>
  db
    .prepare<{ kind: string; shifts: string }, number>(
      `WITH mine (id) AS (SELECT value FROM json_each(@shifts))
      SELECT (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE kind = @kind AND shift_id IN mine) -
        (SELECT coalesce(sum(amount_cents), 0) FROM refund JOIN sale_return ON sale_return.id = return_id
        WHERE kind = @kind AND shift_id IN mine)`,
    )
    .pluck()
    .get({ kind, shifts: JSON.stringify(shifts) }) ?? 0

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
        : [`shift ${id} expected ${cash.expectedCents}, but its rows sum to ${expected}`]
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
    const compare = (what: string, found: number, wanted: number): void => {
      if (found !== wanted) broken.push(`Z ${number}: ${what} ${found}, but its rows sum to ${wanted}`)
    }
    compare('number', number, expected)
    const ids = db.prepare<[number], number>('SELECT id FROM shift WHERE z_number = ? ORDER BY id').pluck().all(number)
    if (JSON.stringify(ids) !== JSON.stringify(report.shifts.map(({ id }) => id)))
      broken.push(`Z ${number} lists other shifts than its rows`)
    const shifts = ids.map((id) => ofShift(db, id))
    const sum = (of: keyof OfShift): number => shifts.reduce((total, shift) => total + shift[of], 0)
    compare('sales', totals.sales.count, sum('sales'))
    const { giftCards, deposits, empties } = totals
    const apart = giftCards.amountCents + deposits.amountCents - empties.amountCents
    compare('total of sales, gift cards, deposits and empties', totals.sales.totalCents + apart, sum('paidCents'))
    compare('deposits', deposits.amountCents, sum('depositCents'))
    compare('empties', 0 - empties.amountCents, sum('emptiesCents'))
    compare('number of empties', empties.count, sum('empties'))
    const { taken, givenBack } = totals.manufacturerCoupons
    compare('coupons', taken.count, sum('coupons'))
    compare('amount of coupons', taken.amountCents, sum('couponCents'))
    compare('coupons given back', givenBack.amountCents, sum('couponBackCents'))
    for (const { kind, netCents } of totals.tenders) compare(kind, netCents, paidBy(db, kind, ids))
    compare('deposits on returns', deposits.returnedCents, sum('depositsReturnedCents'))
    compare('gift cards', totals.giftCards.amountCents, sum('giftCardCents'))
    const taxes = totals.sales.taxes.reduce((total, { amountCents }) => total + amountCents, 0)
    compare('net and taxes', totals.sales.netCents + taxes, totals.sales.totalCents)
    compare('gross less discounts', totals.sales.grossCents - totals.sales.discountCents, totals.sales.netCents)
    compare('returns', totals.returns.count, sum('returns'))
    compare('total of returns', totals.returns.totalCents + deposits.returnedCents, sum('returnCents'))
    const moved = totals.movements.reduce((total, { count }) => total + count, 0)
    compare('cash movements', moved, sum('movements'))
    const net = totals.tenders.reduce((total, { netCents }) => total + netCents, 0)
    compare('tenders', net, sum('tenderCents') - sum('returnCents'))
    const departments = totals.departments.reduce((total, { netCents }) => total + netCents, 0)
    const noRevenue = deposits.amountCents - deposits.returnedCents - empties.amountCents
    compare('departments', departments, totals.sales.netCents - totals.returns.netCents + noRevenue)
    compare('open sales before', totals.openSales.beforeCents, openCents)
    openCents += sum('tenderCents') - sum('paidCents')
    // All payments so far less the paid totals of all completed sales: the payments of sales that are still open.
    compare('open sales after', totals.openSales.afterCents, openCents)
    salesCents += totals.sales.totalCents
    returnsCents += totals.returns.totalCents
    compare('grand total of sales', report.grandTotals.salesCents, salesCents)
    compare('grand total of returns', report.grandTotals.returnsCents, returnsCents)
    expected += 1
  }
  return broken
}

/**
 * Checks the accounting export of each Z report: debits equal credits, accounts match the Z, and the cash account
 * equals the cash left in the drawers.
 */
function brokenBooks(db: Database): string[] {
  const accounts = AccountingSettings.parse({})
  const broken: string[] = []
  const leftBy = db.prepare<[number], number>("SELECT closing ->> '$.leftCents' FROM shift WHERE id = ?").pluck()
  const left = new Map<string | null, number>()
  let [cashCents, lateCents, lastEntry] = [0, 0, 0]
  for (const { report, lateCreditCents } of createAccountingRepository(db).zReports(() => true)) {
    const compare = (what: string, found: number, wanted: number): void => {
      if (found !== wanted) broken.push(`postings of Z ${report.number}: ${what} ${found}, but the Z has ${wanted}`)
    }
    let books: ZPostings
    try {
      books = postingsOf(report, accounts, lateCreditCents)
    } catch (error) {
      broken.push(String(error))
      continue
    }
    const { postings } = books
    const debited = (of: (posting: (typeof postings)[number]) => boolean): number =>
      postings.filter(of).reduce((sum, { debitCents, creditCents }) => sum + debitCents - creditCents, 0)
    const side = (name: 'debitCents' | 'creditCents'): number => postings.reduce((sum, one) => sum + one[name], 0)
    compare('debits', side('debitCents'), books.debitCents)
    compare('credits', side('creditCents'), books.debitCents)
    const { totals, shifts } = report
    cashCents += debited(({ account }) => account.code === accounts.tenders.cash.code)
    for (const { id, drawerOf } of shifts) left.set(drawerOf, leftBy.get(id) ?? 0)
    compare(
      'cash',
      cashCents,
      [...left.values()].reduce((sum, cents) => sum + cents, 0),
    )
    const goods = 0 - debited(({ of }) => of === 'sales' || of === 'returns')
    compare('goods', goods, totals.sales.netCents - totals.returns.netCents)
    compare('gift cards', 0 - debited(({ of }) => of === 'gift-cards'), totals.giftCards.amountCents)
    const taxes = totals.sales.totalCents - totals.sales.netCents - totals.returns.totalCents + totals.returns.netCents
    compare('taxes', 0 - debited(({ of }) => of === 'tax' || of === 'tax-returned'), taxes)
    const paid = totals.tenders.reduce((sum, { netCents }) => sum + netCents, 0)
    compare(
      'payments',
      debited(({ of }) => of === 'tender' || of === 'refund'),
      paid,
    )
    lateCents += lateCreditCents
    lastEntry = report.journal.seq
  }
  // Store credit issued for miles that can no longer be reversed is posted once: in the first Z report after the
  // reversal expired.
  const late = db
    .prepare<[number], number>(`SELECT coalesce(sum(amount_cents), 0) FROM voucher_entry
      WHERE kind = 'issued' AND operation_id IN
      (SELECT operation_id FROM journal_entry WHERE to_state = 'reversal-expired' AND seq <= ?)`)
    .pluck()
    .get(lastEntry)
  if (late !== lateCents) broken.push(`the postings have ${lateCents} of credit for late miles, but ${late} was issued`)
  return broken
}
