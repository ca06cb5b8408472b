import { randomUUID } from 'node:crypto'
import type { IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import type { Context } from '../context.ts'
import { type Answer, present } from '../http/answer.ts'
import type { Caller } from '../http/call.ts'
import type { CollectorAccount } from '../ledger.ts'
import type { Collector } from '../program.ts'
import type { Basket } from './earning.ts'
import type { Entry, IssuanceKind, IssuanceRepository, IssuanceRow } from './issuance.sql.ts'
import { issuanceError } from './requests.ts'

/**
 * Splits miles between the balances by the collector's choice; the odd mile goes to cash miles. Used also for
 * withdrawals without an original.
 */
function splitMiles(total: number, cashSharePercent: number): Record<CollectorAccount, number> {
  const sign = total < 0 ? -1 : 1
  const cash = sign * Math.ceil((Math.abs(total) * cashSharePercent) / 100)
  return { cash, dream: total - cash || 0 }
}

/**
 * Splits moved miles between the balances. A withdrawal takes the cash share of all withdrawals up to it, less the cash
 * miles that were taken before, so that together they take from each balance what the original credited.
 */
function splitFor(
  issuances: IssuanceRepository,
  originalId: number | null,
  total: number,
  cashSharePercent: number,
): Record<CollectorAccount, number> {
  if (originalId === null) return splitMiles(total, cashSharePercent)
  const { put, taken } = issuances.movedBy(originalId)
  const whole = put.cash + put.dream
  if (whole <= 0) return splitMiles(total, cashSharePercent)
  const due = Math.ceil(((taken.cash + taken.dream - total) * put.cash) / whole) - taken.cash
  // Limits the cash miles to those of this withdrawal: an earlier version may have debited the wrong balance.
  const cash = Math.min(Math.max(due, 0), -total)
  return { cash: -cash || 0, dream: total + cash || 0 }
}

/**
 * Codes of pending entries that settlement rejects, because a later retry cannot correct the offer, the miles or the
 * sponsor. Entries with other codes are confirmed.
 */
const REJECTED_IN_THE_END: ReadonlySet<string> = new Set(['203', '204', '207', '208', '225'])

export const isNotRejected = (entry: Entry): boolean => entry.status !== 'REJECTED'

export const milesOf = (entries: readonly Entry[]): number =>
  entries.filter(isNotRejected).reduce((sum, entry) => sum + entry.milesAmount, 0)

export interface Decided {
  readonly kind: IssuanceKind
  readonly partnerId: string
  readonly sponsorCode: string
  readonly collector: Collector
  readonly original: IssuanceRow | null
  readonly basket: Basket
  readonly entries: readonly Entry[]
  /** Code why the issuance is pending; null if it is not. */
  readonly waits: IssuanceErrorCode | null
  readonly echo: Readonly<Record<string, unknown>>
}

export function conclude(
  { ledger, issuances }: Context,
  { kind, partnerId, sponsorCode, collector, original, basket, entries, waits, echo }: Decided,
  { now, idempotencyKey }: Caller,
): Answer {
  const collectorNumber = collector.number
  const originalId = original?.id ?? null
  const total = entries.reduce((sum, entry) => sum + (entry.status === 'CONFIRMED' ? entry.milesAmount : 0), 0)
  const operationId =
    total === 0
      ? null
      : ledger.post(
          { kind, at: now, collectorNumber, sponsorCode, reference: partnerId, idempotencyKey },
          splitFor(issuances, originalId, total, collector.cashSharePercent),
          'issued',
        )
  const transactionId = randomUUID()
  issuances.add(
    {
      transactionId,
      kind,
      at: now,
      sponsorCode,
      collectorNumber,
      checkoutTransactionId: partnerId,
      originalId,
      status: waits === null ? 'CONFIRMED' : 'PENDING',
      basket,
      entries,
      idempotencyKey,
    },
    operationId,
  )
  const error =
    waits === null
      ? {}
      : { responseCode: waits, message: issuanceError(waits).errorReason, errors: [issuanceError(waits)] }
  return {
    status: waits === null ? 200 : 202,
    body: present({ ...echo, issuances: entries, transactionId, ...error }),
    final: true,
  }
}

/**
 * Settles pending issuances that arrived at `until` or before and posts their miles. Returns the number of settled
 * issuances.
 */
export function settlePending(
  { issuances, ledger, program }: Pick<Context, 'issuances' | 'ledger' | 'program'>,
  now: number,
  until: number,
): number {
  const waiting = issuances.pending(until)
  for (const { id } of waiting) {
    // The row is read again: it may be a RETURN whose ISSUE was settled in this run.
    const row = issuances.findById(id)
    if (!row) continue
    const entries = row.entries.map((entry) =>
      entry.status === 'PENDING' ? settleEntry(entry, rejectedCodes(row), now) : entry,
    )
    const total = milesOf(entries.filter(({ settled }) => settled))
    const operationId =
      total === 0
        ? null
        : ledger.post(
            {
              kind: row.kind,
              at: now,
              transactedAt: row.at,
              collectorNumber: row.collectorNumber,
              sponsorCode: row.sponsorCode,
              reference: row.checkoutTransactionId,
              idempotencyKey: row.idempotencyKey,
            },
            splitFor(
              issuances,
              row.originalId,
              total,
              program.findCollector(row.collectorNumber)?.cashSharePercent ?? 100,
            ),
            'issued',
          )
    const status = entries.length > 0 && !entries.some(isNotRejected) ? 'REJECTED' : 'CONFIRMED'
    issuances.settle(row.id, status, entries, operationId)
  }
  return waiting.length

  function rejectedCodes(row: IssuanceRow): ReadonlySet<string> {
    const original = row.originalId === null ? undefined : issuances.findById(row.originalId)
    return new Set(
      (original?.entries ?? []).filter((entry) => !isNotRejected(entry)).map((entry) => entry.issuanceOfferCode),
    )
  }
}

function settleEntry(entry: Entry, rejectedCodes: ReadonlySet<string>, now: number): Entry {
  const rejected =
    rejectedCodes.has(entry.issuanceOfferCode) ||
    (entry.errors ?? []).some(({ errorCode }) => REJECTED_IN_THE_END.has(errorCode))
  const processedDateTime = new Date(now).toISOString()
  if (rejected) return { ...entry, status: 'REJECTED', processedDateTime, settled: true }
  const { errors: _reason, ...rest } = entry
  return { ...rest, status: 'CONFIRMED', processedDateTime, settled: true }
}
