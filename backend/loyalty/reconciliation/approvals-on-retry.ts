import { Temporal } from 'temporal-polyfill/implementation'
import {
  BusinessDay,
  type ReconciliationReport,
  type ReconciliationRow,
  type ReconciliationTotals,
} from '../../../contracts/loyalty/reconciliation.ts'
import { Cents, Miles, cents, dollarsString, miles } from '../../../contracts/core/money.ts'
import { csvFile } from '../../../contracts/core/csv.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { z } from 'zod'
import { Redemption } from '../../../contracts/sales/sales.ts'
import { RedeemRequest } from '../../../contracts/central/cash.ts'
import { SaleId, maskCollectorNumber } from '../../../contracts/core/ids.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { isoOf } from '../../core/clock.ts'
import { last4 } from '../../core/masking.ts'
import type { Journal } from '../../core/outbox/journal.ts'
import type { ApprovalRow } from './reconciliation.sql.ts'

export const dayAt = (epochMs: number, timeZone: string): BusinessDay =>
  BusinessDay.parse(localDateTimeAt(epochMs, timeZone).toPlainDate().toString())

/**
 * Returns the business day of an approval: the store's day at which the terminal recorded the approval, so that a past
 * day never gains an approval. The answer's transDateTime is unsuitable: an approval recovered after midnight would
 * belong to a closed and perhaps reported day. Only a clock that was set back can yield a reported day; the approval
 * then belongs to the next unreported day, so that each approval is in exactly one original.
 */
export function businessDayOf(approvedAt: number, timeZone: string, reported: ReadonlySet<string>): BusinessDay {
  let day = Temporal.PlainDate.from(dayAt(approvedAt, timeZone))
  while (reported.has(day.toString())) day = day.add({ days: 1 })
  return BusinessDay.parse(day.toString())
}

export function totalsOf(
  rows: readonly Pick<ReconciliationRow, 'units' | 'amountCents' | 'miles'>[],
): ReconciliationTotals {
  const sum = (field: 'units' | 'amountCents' | 'miles'): number => rows.reduce((total, row) => total + row[field], 0)
  return { rows: rows.length, units: sum('units'), amountCents: cents(sum('amountCents')), miles: miles(sum('miles')) }
}

const COLUMNS = [
  'record',
  'report',
  'business_day',
  'store_id',
  'lane',
  'device_id',
  'sponsor_code',
  'sale_id',
  'trace_id',
  'idempotency_key',
  'confirmation_number',
  'date_time',
  'trans_date_time',
  'approved_at',
  'collector',
  'units',
  'dollars',
  'miles',
  'response_code',
  'state',
] as const

/**
 * Returns "copy 2", "original" or "preview". This text is on every line of a report, to distinguish the lines of a
 * copy.
 */
export const reportName = ({ status, copy }: Pick<ReconciliationReport, 'status' | 'copy'>): string =>
  status === 'copy' ? `copy ${copy}` : status

/** Formats the reconciliation report as CSV: a line for each approval, then the totals. Dollars have two decimals. */
export function reportCsv(report: ReconciliationReport): string {
  const { businessDay, rows, totals } = report
  const name = reportName(report)
  const lines = rows.map((row) => [
    'approval',
    name,
    businessDay,
    row.storeId,
    row.lane,
    row.deviceId,
    row.sponsorCode,
    row.saleId,
    row.traceId,
    row.idempotencyKey,
    row.confirmationNumber,
    row.dateTime,
    row.transDateTime,
    row.approvedAt,
    row.collector,
    row.units,
    dollarsString(row.amountCents),
    row.miles,
    row.responseCode,
    row.state,
  ])
  const total = [
    'total',
    name,
    businessDay,
    report.store.id,
    report.lane,
    '',
    '',
    `${totals.rows} approvals`,
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    totals.units,
    dollarsString(totals.amountCents),
    totals.miles,
    '',
    '',
  ]
  return csvFile(COLUMNS, [...lines, total])
}

/**
 * Returns the file name of a report, such as "reconciliation_TRAIN-001_lane-01_2026-11-20_copy-1", with hyphens for all
 * characters but ASCII letters, digits and hyphens.
 */
export function reportFileName(report: ReconciliationReport): string {
  const parts = [
    'reconciliation',
    report.store.id,
    `lane-${report.lane}`,
    report.businessDay,
    ...(report.status === 'original' ? [] : [reportName(report)]),
  ]
  return parts.map((part) => part.replace(/[^A-Za-z0-9-]+/g, '-')).join('_')
}

/** Facts of an approval that its journal entry contains (backend/loyalty/calls/redeem.ts, `approve`). */
export const Approval = z.object({
  units: z.int(),
  amountCents: Cents,
  miles: Miles,
  confirmationNumber: z.string(),
  transDateTime: z.string(),
  responseCode: z.string(),
})

/**
 * Combines the journal entry of an approval, which has the amounts, with the sealed bytes of its call. Both are
 * immutable.
 */
export function approvalRow(
  { operationId, saleId, lane, state, approvedAt, detail }: ApprovalRow,
  journal: Pick<Journal, 'call'>,
): ReconciliationRow {
  const approval = Approval.parse(JSON.parse(detail))
  const call = journal.call(operationId, 'redeem')
  const request = RedeemRequest.parse(jsonOf(call.request))
  return {
    operationId,
    saleId: SaleId.parse(saleId),
    lane,
    storeId: request.storeId,
    sponsorCode: request.sponsorCode,
    deviceId: request.deviceId,
    traceId: call.traceId,
    idempotencyKey: call.idempotencyKey ?? '',
    confirmationNumber: approval.confirmationNumber,
    dateTime: call.dateTime,
    transDateTime: approval.transDateTime,
    approvedAt: isoOf(approvedAt),
    collector: maskCollectorNumber(last4(request.collectorNumber)),
    units: approval.units,
    amountCents: approval.amountCents,
    miles: approval.miles,
    responseCode: approval.responseCode,
    state: Redemption.shape.state.parse(state),
  }
}
