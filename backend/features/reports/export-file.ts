import { setImmediate } from 'node:timers/promises'
import type { Report } from '../../../contracts/api/reports.ts'
import { CASH_ROUNDING, taxOfRow, type BreakdownKind } from '../../../contracts/report-kinds.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { cents, dollarsString } from '../../../contracts/money.ts'
import { nameIn } from '../../../contracts/names.ts'
import { TaxCode } from '../../../contracts/regions.ts'
import { TenderKind } from '../../../contracts/tenders/registry.ts'
import type { ZPostings } from '../../domain/accounting.ts'
import { csvHead, csvLine } from '../../../contracts/csv.ts'
import { taxName, tenderName } from '../../domain/day-end-papers.ts'
import { receiptWords } from '../../domain/receipt-words.ts'

export interface ReportFileFacts {
  readonly store: string
  readonly lane: string
  readonly exportedAt: string
}

/** The postings of a Z with its business day and the time at which it was made, both in the store's time zone. */
export interface DatedPostings extends ZPostings {
  readonly businessDay: string
  readonly localTime: string
}

const BREAKDOWN_HEAD = ['by', 'id', 'name', 'count', 'amount', 'count_week_before', 'amount_week_before']
/** The names of files are for programs: the columns are in English everywhere. */
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

/** One table of a report. Amounts are numbers with a point, for whatever reads the file. */
export function breakdownCsv(report: Report, by: BreakdownKind, locale: Locale): string {
  const { rows, others, money } = report.breakdowns[by]
  const amount = (value: Report['breakdowns'][BreakdownKind]['rows'][number]['now']): number | string =>
    money ? dollarsString(cents(value.cents)) : ''
  return [
    csvHead(BREAKDOWN_HEAD),
    ...rows.map(({ id, name, now, before }) =>
      csvLine([
        by,
        id,
        name === null ? codeName(by, id, locale) : typeof name === 'string' ? name : nameIn(name, locale),
        now.count,
        amount(now),
        before.count,
        amount(before),
      ]),
    ),
    ...(others
      ? [csvLine([by, '', '', others.now.count, amount(others.now), others.before.count, amount(others.before)])]
      : []),
  ].join('')
}

/** What stands for itself in a report has its name from the catalogs: payments and taxes. */
function codeName(by: BreakdownKind, id: string, locale: Locale): string {
  const words = receiptWords(locale)
  if (id === CASH_ROUNDING) return words.say('cash-rounding')
  if (by === 'tenders') return tenderName(TenderKind.parse(id), words)
  if (by !== 'taxes') return ''
  const { code, isReturned } = taxOfRow(id)
  const tax = taxName(TaxCode.parse(code), words)
  return isReturned ? words.say('tax-returned', { tax }) : tax
}

export const reportJson = (report: Report, facts: ReportFileFacts): string =>
  `${JSON.stringify({ ...facts, report })}\n`

/** The double entry of each Z; between two of them the lane goes on. */
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
