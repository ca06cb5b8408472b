import type { Account, AccountingSettings } from '../../../contracts/day/accounting.ts'
import type { DayTotals, ZReport } from '../../../contracts/day/day-end.ts'
import { tenderRows } from '../../../contracts/day/tender-rows.ts'
import { CHARGE_DEPARTMENTS, EMPTIES_DEPARTMENT, GIFT_CARD_DEPARTMENT } from '../../../contracts/catalog/goods.ts'
import { type Cents, cents, dollarsString } from '../../../contracts/core/money.ts'
import { setImmediate } from 'node:timers/promises'
import type { Report } from '../../../contracts/day/reports.ts'
import { type BreakdownKind, breakdownRows, CASH_ROUNDING, taxOfRow } from '../../../contracts/day/report-kinds.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { TaxCode } from '../../../contracts/core/regions.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { csvHead, csvLine } from '../../../contracts/core/csv.ts'
import { taxName, tenderName } from '../day-end/day-end-papers.ts'
import { receiptTexts } from '../../core/paper/layout.ts'
import { nameIn } from '../../../contracts/core/names.ts'

export type PostingKind =
  | 'deposits'
  | 'sales'
  | 'returns'
  | 'gift-cards'
  | 'tax'
  | 'tax-returned'
  | 'tender'
  | 'refund'
  | 'late-credit'
  | 'open-sales'
  | 'rounding'
  | 'over-short'
  | 'paid-in'
  | 'paid-out'
  | 'to-safe'
  | 'from-safe'

export interface Posting {
  readonly of: PostingKind
  /**
   * Department, tax code, tender, cash movement or drawer of the entry; empty if there is only one entry of this kind.
   */
  readonly detail: string
  readonly account: Account
  readonly debitCents: Cents
  readonly creditCents: Cents
}

export interface ZPostings {
  readonly number: number
  readonly lane: string
  readonly at: string
  readonly postings: readonly Posting[]
  readonly debitCents: Cents
  readonly creditCents: Cents
}

type Write = (of: PostingKind, detail: string, account: Account, amount: number) => void

/**
 * The double entry of a Z from its stored figures; nothing is recalculated. `lateCreditCents`: store credit issued
 * since the previous Z for miles that could no longer be reversed; the loyalty program still owes their value. Throws
 * if debits and credits differ, which cannot happen with a valid Z.
 */
export function postingsOf(z: ZReport, accounts: AccountingSettings, lateCreditCents: number): ZPostings {
  const postings: Posting[] = []
  /** Writes an entry: a positive amount as a debit, a negative one as a credit. */
  const debit: Write = (of, detail, account, amount) => {
    if (amount === 0) return
    postings.push({
      of,
      detail,
      account,
      debitCents: cents(Math.max(0, amount)),
      creditCents: cents(Math.max(0, -amount)),
    })
  }
  const credit: Write = (of, detail, account, amount) => debit(of, detail, account, 0 - amount)
  writeGoods(z.totals, accounts, credit)
  writePayments(z.totals, accounts, debit)
  credit('late-credit', '', accounts.tenders['store-credit'], lateCreditCents)
  debit('late-credit', '', accounts.tenders.miles, lateCreditCents)
  const { beforeCents, afterCents } = z.totals.openSales
  credit('open-sales', '', accounts.openSales, afterCents - beforeCents)
  writeDrawer(z, accounts, debit)
  const sum = (side: 'debitCents' | 'creditCents'): Cents =>
    cents(postings.reduce((total, posting) => total + posting[side], 0))
  const [debitCents, creditCents] = [sum('debitCents'), sum('creditCents')]
  if (debitCents !== creditCents) throw new Error(`Z ${z.number} does not balance: ${debitCents} and ${creditCents}`)
  return { number: z.number, lane: z.lane, at: z.at, postings, debitCents, creditCents }
}

/** Goods are revenue; taxes and deposits are liabilities, and so is a sold gift card until it is spent. */
function writeGoods(
  { departments, giftCards, deposits, empties, sales, returns }: DayTotals,
  accounts: AccountingSettings,
  credit: Write,
): void {
  // Older Zs have gift cards among the departments.
  const soldBefore = departments.find(({ id }) => id === GIFT_CARD_DEPARTMENT)?.soldCents ?? 0
  for (const { id, soldCents, returnedCents } of departments) {
    if (id === GIFT_CARD_DEPARTMENT || isLiability(id)) continue
    const account = accounts.departments[id] ?? accounts.sales
    credit('sales', id, account, soldCents)
    credit('returns', id, account, 0 - returnedCents)
  }
  credit('gift-cards', '', accounts.tenders['gift-card'], giftCards.amountCents + soldBefore)
  credit('deposits', '', accounts.deposits, deposits.amountCents - deposits.returnedCents - empties.amountCents)
  for (const { code, amountCents } of sales.taxes) credit('tax', code, accounts.taxes[code], amountCents)
  for (const { code, amountCents } of returns.taxes) credit('tax-returned', code, accounts.taxes[code], 0 - amountCents)
}

/**
 * Whether a department of a Z is a liability. A Z lists deposits and empties as departments, so that its figures also
 * balance in the previous release.
 */
const isLiability = (id: string): boolean => id === CHARGE_DEPARTMENTS.deposit || id === EMPTIES_DEPARTMENT

/** Only cash is rounded to five cents; the difference is a gain or loss by rounding. */
function writePayments(totals: DayTotals, accounts: AccountingSettings, debit: Write): void {
  for (const { kind, taken, givenBack, refunded, roundingCents } of tenderRows(totals)) {
    const account = accounts.tenders[kind]
    debit('tender', kind, account, taken.amountCents - givenBack.amountCents)
    debit('refund', kind, account, 0 - refunded.amountCents)
    debit('rounding', kind, account, roundingCents)
    debit('rounding', kind, accounts.rounding, 0 - roundingCents)
  }
}

/**
 * After a Z, the cash account equals the cash in the drawers. Cash that went to the safe when a shift was closed is
 * booked with that shift, even if a later shift held it until then.
 */
function writeDrawer({ totals, shifts }: ZReport, accounts: AccountingSettings, debit: Write): void {
  const { cash } = accounts.tenders
  const OTHER_SIDE = {
    'paid-in': ['paid-in', accounts.paidIn],
    'paid-out': ['paid-out', accounts.paidOut],
    drop: ['to-safe', accounts.safe],
    pickup: ['to-safe', accounts.safe],
    deposit: null,
    'no-sale': null,
  } as const
  for (const { kind, amountCents } of totals.movements) {
    const other = OTHER_SIDE[kind]
    if (other === null) continue
    debit(other[0], kind, cash, amountCents)
    debit(other[0], kind, other[1], 0 - amountCents)
  }
  for (const { id, differenceCents, broughtCents, toSafeCents } of shifts) {
    debit('from-safe', String(id), cash, broughtCents)
    debit('from-safe', String(id), accounts.safe, 0 - broughtCents)
    debit('to-safe', String(id), cash, 0 - toSafeCents)
    debit('to-safe', String(id), accounts.safe, toSafeCents)
    debit('over-short', String(id), cash, differenceCents)
    debit('over-short', String(id), accounts.overShort, 0 - differenceCents)
  }
}

export interface ReportFileFacts {
  readonly store: string
  readonly lane: string
  readonly exportedAt: string
}

/** The accounting entries of a Z with its business day and the time at which it was made, both in store time. */
export interface DatedPostings extends ZPostings {
  readonly businessDay: string
  readonly localTime: string
}

const BREAKDOWN_HEAD = ['by', 'id', 'name', 'count', 'amount', 'count_week_before', 'amount_week_before']
/** Programs read the column names, so they are English in all languages. */
const POSTING_HEAD = [
  'z',
  'lane',
  'business_day',
  'local_time',
  'time_utc',
  'account',
  'account_name',
  'of',
  'detail',
  'debit',
  'credit',
]

/** Formats one table of a report as CSV. Amounts are numbers with a decimal point. */
export function breakdownCsv(report: Report, by: BreakdownKind, locale: Locale): string {
  const { rows, others, money } = report.breakdowns[by]
  const hasMeasures = rows.some(({ measured }) => measured !== undefined)
  const amount = (value: Report['breakdowns'][BreakdownKind]['rows'][number]['now']): number | string =>
    money ? dollarsString(cents(value.cents)) : ''
  return [
    csvHead(hasMeasures ? [...BREAKDOWN_HEAD, 'measured'] : BREAKDOWN_HEAD),
    ...rows.map(({ id, name, now, before, measured }) =>
      csvLine([
        by,
        id,
        name === null ? codeName(by, id, locale) : typeof name === 'string' ? name : nameIn(name, locale),
        now.count,
        amount(now),
        before.count,
        amount(before),
        ...(hasMeasures ? [measuredText(measured)] : []),
      ]),
    ),
    ...(others
      ? [
          csvLine([
            by,
            '',
            '',
            others.now.count,
            amount(others.now),
            others.before.count,
            amount(others.before),
            ...(hasMeasures ? [''] : []),
          ]),
        ]
      : []),
  ].join('')
}

/** Quantity of an item sold by measure, such as `12.345 kg`. */
const measuredText = (measured: Report['breakdowns'][BreakdownKind]['rows'][number]['measured']): string =>
  (measured ?? []).map(({ symbol, now }) => `${(now / 1_000).toFixed(3)} ${symbol}`).join(' + ')

function codeName(by: BreakdownKind, id: string, locale: Locale): string {
  const words = receiptTexts(locale)
  if (id === CASH_ROUNDING) return words.t('cash-rounding')
  const rows = breakdownRows(by)
  if (rows === 'tender') return tenderName(TenderKind.parse(id), words)
  if (rows !== 'tax') return ''
  const { code, isReturned } = taxOfRow(id)
  const tax = taxName(TaxCode.parse(code), words)
  return isReturned ? words.t('tax-returned', { tax }) : tax
}

export const reportJson = (report: Report, facts: ReportFileFacts): string =>
  `${JSON.stringify({ ...facts, report })}\n`

/** Returns the export of the double entry of each Z in pieces, so that the lane can sell in between. */
export async function* accountingPieces(
  format: 'csv' | 'json',
  facts: ReportFileFacts,
  reports: Iterable<DatedPostings>,
): AsyncGenerator<string> {
  yield format === 'csv' ? csvHead(POSTING_HEAD) : `${JSON.stringify(facts).slice(0, -1)},"zReports":[`
  let first = true
  for (const z of reports) {
    if (format === 'csv')
      yield z.postings
        .map(({ of, detail, account, debitCents, creditCents }) =>
          csvLine([
            z.number,
            z.lane,
            z.businessDay,
            z.localTime,
            z.at,
            account.code,
            account.name,
            of,
            detail,
            dollarsString(debitCents),
            dollarsString(creditCents),
          ]),
        )
        .join('')
    else yield `${first ? '' : ','}\n${JSON.stringify(z)}`
    first = false
    await setImmediate()
  }
  if (format === 'json') yield '\n]}\n'
}
