import type { CollectorAccount } from '../ledger/ledger.ts'
import type { IssuanceDependencies } from './service.ts'

/** Splits miles between the two balances by the collector's choice; the odd mile goes to cash. Works for withdrawals too. */
export function splitMiles(total: number, cashSharePercent: number): Record<CollectorAccount, number> {
  const sign = total < 0 ? -1 : 1
  const cash = sign * Math.ceil((Math.abs(total) * cashSharePercent) / 100)
  return { cash, dream: total - cash }
}

/** Confirms every pending issuance and posts its miles. Returns how many were settled. */
export function settlePending({ issuances, ledger, program }: IssuanceDependencies, now: number): number {
  const waiting = issuances.pending()
  for (const row of waiting) {
    const total = row.entries.reduce((sum, entry) => sum + entry.milesAmount, 0)
    const operationId = ledger.post({
      kind: row.kind, at: now, collectorNumber: row.collectorNumber, sponsorCode: row.sponsorCode,
      reference: row.checkoutTransactionId, idempotencyKey: row.idempotencyKey,
    }, splitMiles(total, program.findCollector(row.collectorNumber)?.cashSharePercent ?? 100), 'issued')
    issuances.settle(row.id, row.entries.map(({ errors: _reason, ...entry }) => ({ ...entry, status: 'CONFIRMED', processedDateTime: new Date(now).toISOString() })), operationId)
  }
  return waiting.length
}
