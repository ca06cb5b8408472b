import Sqlite from 'better-sqlite3'
import {
  CHARGE_DEPARTMENTS,
  CHARGE_SKUS,
  EMPTIES_DEPARTMENT,
  EMPTIES_SKU,
  GIFT_CARD_DEPARTMENT,
  GIFT_CARD_SKU,
} from '../../../contracts/catalog/goods.ts'
import type { Report, ReportRange } from '../../../contracts/day/reports.ts'
import { UNIT_RULES } from '../../../contracts/catalog/measure-units.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { clockOf, spansOf, WEEK, type ReportSpan } from './report-days.ts'
import { CASH_ROUNDING, returnedTax } from '../../../contracts/day/report-kinds.ts'
import { ReturnReason } from '../../../contracts/payments/returns.ts'
import { RETURN_RULES } from '../../../contracts/payments/return-rules.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { receiptTexts } from '../../core/paper/layout.ts'
import { readNamedCount } from '../../catalog/charges.ts'
import { createReportSums, type ReportSums } from './report-sums.ts'
import { isoOf } from '../../core/clock.ts'
import { createReportRepository, type ReportRepository, type Span } from './reports.sql.ts'
import { dayAfter } from '../../core/zone.ts'

export interface ReportQuestion {
  readonly database: string
  readonly lane: string
  readonly range: ReportRange
  readonly timeZone: string
  /** The report contains only what happened before this moment (epoch ms). */
  readonly until: number
}

const CACHE_KB = 4_000

interface Totals {
  readonly grossCents: number
  readonly discountCents: number
  readonly netCents: number
  readonly totalCents: number
  readonly taxes: readonly { readonly code: string; readonly amountCents: number }[]
  readonly departments: Readonly<Record<string, number>>
}

export const daysOf = ({ range, until, timeZone }: Omit<ReportQuestion, 'database' | 'lane'>): number =>
  spansOf(range, until, timeZone).length

/**
 * Sums the stored rows of a report in one snapshot of the live database; no price is recalculated. `onProgress` gets
 * the number of spans read so far. A year takes seconds, so never call it on the main thread.
 */
export function readReport(question: ReportQuestion, onProgress: (read: number) => void): Report {
  const { range, until, timeZone, lane } = question
  const db = new Sqlite(question.database, { readonly: true, fileMustExist: true })
  try {
    db.pragma(`cache_size = -${CACHE_KB}`)
    db.exec('BEGIN')
    const repository = createReportRepository(db)
    const sums = createReportSums()
    for (const [index, span] of spansOf(range, until, timeZone).entries()) {
      addSpan(sums, repository, span, { lane, from: span.from, before: Math.min(span.before, until) }, timeZone)
      onProgress(index + 1)
    }
    return {
      ...range,
      until: isoOf(until),
      before: { from: dayAfter(range.from, -WEEK), to: dayAfter(range.to, -WEEK) },
      summary: sums.summary(),
      miles: sums.miles(),
      breakdowns: sums.breakdowns(),
    }
  } finally {
    db.close()
  }
}

function addSpan(sums: ReportSums, repository: ReportRepository, span: ReportSpan, rows: Span, timeZone: string): void {
  if (rows.from >= rows.before) return
  const clock = clockOf(rows, timeZone)
  addSales(sums, repository, span, rows, clock)
  addReturns(sums, repository, span, rows, clock)
  addPeople(sums, repository, span, rows)
  for (const { id, unit, thousandths } of repository.measured(rows))
    sums.addMeasured(id, span, UNIT_RULES[unit].symbol, thousandths)
  const redeemed = repository.redeemed(rows)
  sums.addMiles(span, {
    redeemed: redeemed.miles,
    redeemedCents: redeemed.cents,
    redeemedSales: redeemed.sales,
  })
  for (const { miles, unsent, undecided } of repository.calls(rows))
    sums.addMiles(span, { issued: miles, unsent, undecided })
}

const hourName = (hour: number): string => String(hour).padStart(2, '0')

function addDay(sums: ReportSums, span: ReportSpan, count: number, amount: number): void {
  if (span.now) sums.addOfDay(span.day, 'now', count, amount)
  if (span.compared) sums.addOfDay(dayAfter(span.day, WEEK), 'before', count, amount)
}

function addSales(
  sums: ReportSums,
  repository: ReportRepository,
  span: ReportSpan,
  rows: Span,
  clock: (at: number) => number,
): void {
  const day = { count: 0, cents: 0 }
  for (const { at, person, state, totals } of repository.sold(rows)) {
    if (state === 'cancelled' || totals === null) {
      sums.add('cancelled', person, span, 1, 0)
      continue
    }
    const soldTotals = JSON.parse(totals) as Totals
    const {
      [GIFT_CARD_DEPARTMENT]: giftCardCents = 0,
      [CHARGE_DEPARTMENTS.deposit]: depositCents = 0,
      [EMPTIES_DEPARTMENT]: emptiesCents = 0,
      ...departments
    } = soldTotals.departments
    const noRevenue = giftCardCents + depositCents + emptiesCents
    const netCents = soldTotals.netCents - noRevenue
    sums.addTotals(span, {
      sales: 1,
      grossCents: soldTotals.grossCents - noRevenue,
      discountCents: soldTotals.discountCents,
      netCents,
      totalCents: soldTotals.totalCents - noRevenue,
      taxCents: soldTotals.totalCents - soldTotals.netCents,
      giftCardCents,
      depositCents,
      emptiesCents: 0 - emptiesCents,
    })
    day.count += 1
    day.cents += netCents
    sums.add('hours', hourName(clock(at)), span, 1, netCents)
    sums.add('cashiers', person, span, 1, netCents)
    for (const { code, amountCents } of soldTotals.taxes)
      if (amountCents !== 0) sums.add('taxes', code, span, 1, amountCents)
    for (const [id, amount] of Object.entries(departments)) sums.add('departments', id, span, 1, amount)
  }
  addDay(sums, span, day.count, day.cents)
  for (const { class: of, ...line } of repository.lines(rows))
    if (of !== null) addCharge(sums, span, of, line)
    else if (line.id !== GIFT_CARD_SKU) addItem(sums, span, line.id, line.name, line.count, line.cents)
  for (const { id, name, count, cents } of repository.promotions(rows))
    sums.add('promotions', id, span, count, cents).name = JSON.parse(name) as Names
  for (const { id, name, count } of repository.coupons(rows))
    sums.add('coupons', id, span, count, 0).name = JSON.parse(name) as Names
  for (const { id, name, count, cents } of repository.manufacturerCoupons(rows)) {
    const row = sums.add('manufacturer-coupons', id, span, count, cents)
    row.name = (JSON.parse(name) as Names | null) ?? id
  }
  for (const { id, name, count, cents } of repository.corrections(rows))
    sums.add('price-accuracy', id, span, count, cents).name = JSON.parse(name) as Names
  for (const { id, count, cents, roundingCents } of repository.tenders(rows)) {
    sums.add('tenders', id, span, count, cents)
    sums.add('tenders', CASH_ROUNDING, span, 0, roundingCents)
  }
}

function addItem(sums: ReportSums, span: ReportSpan, sku: string, names: string, count: number, cents: number): void {
  const row = sums.add('items', sku, span, count, cents)
  row.name = JSON.parse(names) as Names
}

/** Adds one row of a class: its deposits or fees, or its empty containers with the amount paid for them. */
function addCharge(
  sums: ReportSums,
  span: ReportSpan,
  of: string,
  { id, name, count, cents }: { id: string; name: string; count: number; cents: number },
): void {
  const isPaid = id === EMPTIES_SKU
  const { name: names, containers } = readNamedCount(JSON.parse(name) as Names)
  const row = sums.add(isPaid ? 'empties' : 'deposits', of, span, count * containers, isPaid ? -cents : cents)
  row.name = names
}

/**
 * A return lowers the figures of the day, hour and department in which it was made. Its taxes and its cashier have rows
 * of their own, as on a Z.
 */
function addReturns(
  sums: ReportSums,
  repository: ReportRepository,
  span: ReportSpan,
  rows: Span,
  clock: (at: number) => number,
): void {
  const day = { cents: 0 }
  for (const { at, person, taxes, depositCents, ...of } of repository.returned(rows)) {
    const [netCents, totalCents] = [of.netCents - depositCents, of.totalCents - depositCents]
    sums.addTotals(span, { returns: 1, returnCents: totalCents, depositCents: 0 - depositCents })
    day.cents -= netCents
    sums.add('hours', hourName(clock(at)), span, 0, -netCents)
    sums.add('returns', person, span, 1, totalCents)
    sums.add('cashiers', person, span, 0, -netCents)
    for (const { code, amountCents } of JSON.parse(taxes) as Totals['taxes'])
      if (amountCents !== 0) sums.add('taxes', returnedTax(code), span, 1, -amountCents)
  }
  addDay(sums, span, 0, day.cents)
  for (const { id, count, cents } of repository.returnReasons(rows))
    sums.add('return-reasons', id, span, count, cents).name = reasonNames(id)
  for (const { id, count, cents } of repository.returnRules(rows))
    sums.add('return-rules', id, span, count, cents).name = ruleNames(id)
  for (const { id, name, class: of, department, count, cents, netCents } of repository.returnedLines(rows)) {
    if (of === null) addItem(sums, span, id, name, -count, -cents)
    else addCharge(sums, span, of, { id, name, count: -count, cents: -cents })
    if (id !== CHARGE_SKUS.deposit) sums.add('departments', department, span, 0, -netCents)
  }
  for (const { id, cents, roundingCents } of repository.refunds(rows)) {
    sums.add('tenders', id, span, 0, -cents)
    sums.add('tenders', CASH_ROUNDING, span, 0, -roundingCents)
  }
}

const REASONS = [...ReturnReason.options, 'unrecorded', 'none'] as const

/** Returns the names of a return reason by language. A reason that only a later release knows is shown as its id. */
function reasonNames(id: string): Names {
  const reason = REASONS.find((one) => one === id)
  return perLocale((locale) => (reason === undefined ? id : receiptTexts(locale).t(`return-reason-${reason}`)))
}

function ruleNames(id: string): Names {
  const rule = RETURN_RULES.find((one) => one === id)
  return perLocale((locale) => (rule === undefined ? id : receiptTexts(locale).t(`return-rule-${rule}`)))
}

function addPeople(sums: ReportSums, repository: ReportRepository, span: ReportSpan, rows: Span): void {
  const found = [
    ['cash-outs', repository.cashOuts(rows)],
    ['empties-paid', repository.emptiesPaid(rows)],
    ['discounts', repository.discounts(rows)],
    ['voids', repository.voids(rows)],
    ['price-changes', repository.prices(rows)],
    ['no-sales', repository.noSales(rows)],
    ['over-short', repository.shifts(rows)],
  ] as const
  for (const [kind, people] of found)
    for (const { id, count, cents } of people) sums.add(kind, id, span, count, cents ?? 0)
}
