import type { Item } from '../../../contracts/api/catalog.ts'
import type { ClockWatch } from '../../clock-watch.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Tx } from '../../db/transact.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { CatalogService } from './service.ts'

export interface EarlyPriceOptions {
  readonly catalog: Pick<CatalogService, 'plannedSince'>
  readonly audit: AuditTrail
  readonly clock: Pick<Clock, 'now'>
  readonly watch: Pick<ClockWatch, 'expectedNow'>
  readonly toleranceMs: number
  readonly signedIn: () => { readonly id: string } | null
}

/** Records an item that is rung at a planned price before its time, in the transaction that rings it. */
export type NoteEarlyPrice = (tx: Tx, saleId: string, item: Item) => void

/** Whether a price planned `from` a time holds only because the clock is ahead of the time that it should show. */
export const isEarly = (times: {
  readonly from: number
  readonly expected: number
  readonly now: number
  readonly toleranceMs: number
}): boolean => times.now - times.expected > times.toleranceMs && times.from > times.expected

/**
 * A planned price holds by the clock of the lane. Where that clock was moved ahead, the audit trail says so: the price
 * is charged as it is shown, and the clock may be the one that is right.
 */
export function createEarlyPriceNote(options: EarlyPriceOptions): NoteEarlyPrice {
  const { catalog, audit, clock, watch, toleranceMs, signedIn } = options
  return (tx, saleId, item) => {
    const now = clock.now()
    const expected = watch.expectedNow()
    const from = catalog.plannedSince(item.sku)
    if (from === null || !isEarly({ from, expected, now, toleranceMs })) return
    audit.record(tx, {
      kind: 'planned-price-early',
      actorId: signedIn()?.id ?? null,
      subject: item.sku,
      detail: {
        saleId,
        amountCents: item.priceCents,
        from: isoOf(from),
        laneClock: isoOf(now),
        expectedClock: isoOf(expected),
      },
    })
  }
}
