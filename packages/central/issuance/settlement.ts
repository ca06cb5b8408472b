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
 * Splits miles between the two balances by the collector's choice; the odd mile goes to cash. Works for withdrawals
 * that name no original too.
 */
function splitMiles(total: number, cashSharePercent: number): Record<CollectorAccount, number> {
  const sign = total < 0 ? -1 : 1
  const cash = sign * Math.ceil((Math.abs(total) * cashSharePercent) / 100)
  return { cash, dream: total - cash || 0 }
}

/**
 * Splits what an issuance moves between the two balances. A withdrawal follows its original: every part is the
 * difference between what is withdrawn with it and without it, so that all parts together take from each balance what
 * the original put there.
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
  // Within this part, whatever an earlier version took from the wrong balance.
  const cash = Math.min(Math.max(due, 0), -total)
  return { cash: -cash || 0, dream: total + cash || 0 }
}

/**
 * What waits for one of these is rejected in the end: no waiting mends the offer, the miles or the sponsor. Everything
 * else is confirmed.
 */
const REJECTED_IN_THE_END: ReadonlySet<string> = new Set(['203', '204', '207', '208', '225'])

/** Whether an entry's miles count: pending ones will or do, rejected ones never. */
export const standsFor = (entry: Entry): boolean => entry.status !== 'REJECTED'

/** Miles that an issuance moves when all that stands of it does. */
export const milesOf = (entries: readonly Entry[]): number =>
  entries.filter(standsFor).reduce((sum, entry) => sum + entry.milesAmount, 0)

/** What was decided on a request of either half of the service. */
export interface Decided {
  readonly kind: IssuanceKind
  /** The partner's own id of the transaction. */
  readonly partnerId: string
  readonly sponsorCode: string
  readonly collector: Collector
  /** What is taken back. */
  readonly original: IssuanceRow | null
  readonly basket: Basket
  readonly entries: readonly Entry[]
  /** Why it waits; null where nothing does. */
  readonly waits: IssuanceErrorCode | null
  /** The request's fields but `issuances`, as they come back. */
  readonly echo: Readonly<Record<string, unknown>>
}

/** Moves the miles of the entries that are confirmed, keeps the issuance, and answers 200, or 202 where it waits. */
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
 * Settles every pending issuance that arrived at `until` or before and posts its miles. Returns how many were settled.
 */
export function settlePending(
  { issuances, ledger, program }: Pick<Context, 'issuances' | 'ledger' | 'program'>,
  now: number,
  until: number,
): number {
  const waiting = issuances.pending(until)
  for (const { id } of waiting) {
    // Read again: an issue that this run has settled decides about its return.
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
    const status = entries.length > 0 && !entries.some(standsFor) ? 'REJECTED' : 'CONFIRMED'
    issuances.settle(row.id, status, entries, operationId)
  }
  return waiting.length

  /** Offers whose miles the original never got: a withdrawal takes nothing of them. */
  function rejectedCodes(row: IssuanceRow): ReadonlySet<string> {
    const original = row.originalId === null ? undefined : issuances.findById(row.originalId)
    return new Set(
      (original?.entries ?? []).filter((entry) => !standsFor(entry)).map((entry) => entry.issuanceOfferCode),
    )
  }
}

function settleEntry(entry: Entry, rejectedCodes: ReadonlySet<string>, now: number): Entry {
  const rejected =
    rejectedCodes.has(entry.issuanceOfferCode) ||
    (entry.errors ?? []).some(({ errorCode }) => REJECTED_IN_THE_END.has(errorCode))
  const processedDateTime = new Date(now).toISOString()
  if (rejected) return { ...entry, status: 'REJECTED', processedDateTime, settled: true }
  const { errors: _reason, ...kept } = entry
  return { ...kept, status: 'CONFIRMED', processedDateTime, settled: true }
}
