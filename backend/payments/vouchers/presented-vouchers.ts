import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { NewVoucher } from '../rows/store-vouchers.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface PresentedState {
  readonly saleId: string
  readonly until: number
  /** Row to insert at the first draw of a voucher that is unknown here; else null. */
  readonly isNew: NewVoucher | null
  readonly restCents: number
}

/** Sale id of a voucher that was presented while no sale is open. Such a voucher can only be paid out. */
export const WITHOUT_SALE = ''

/**
 * Vouchers that were presented, each with its sale and the time until which it may pay. The id of a voucher is visible
 * to others, so only a presented voucher may pay. Held in memory: it must be presented again after a restart.
 */
export const shownVouchersOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const sales = salesOf(ctx)
  const shownMs = ctx.profile.limits.cardReadMs
  const shown = new Map<VoucherId, PresentedState>()
  const listeners: ((ids: readonly VoucherId[]) => void)[] = []
  // Forget the vouchers of a sale that ends or is held, and those presented without a sale: their bearer may leave
  // before a held sale is resumed.
  sales.onChange(({ sale }) => {
    if (sale.state === 'open') return
    const ids = [...shown].flatMap(([id, { saleId }]) => (saleId === sale.id || saleId === WITHOUT_SALE ? [id] : []))
    for (const id of ids) shown.delete(id)
    if (ids.length > 0) for (const listener of listeners) listener(ids)
  })
  const current = (id: VoucherId): PresentedState | null => {
    const one = shown.get(id)
    return one === undefined || one.until <= clock.now() ? null : one
  }
  return {
    for: (id: VoucherId, saleId: string): PresentedState | null => {
      const one = current(id)
      return one?.saleId === saleId ? one : null
    },
    has: (id: VoucherId): boolean => current(id) !== null,
    put(id: VoucherId, saleId: string, isNew: NewVoucher | null = null, restCents = 0): void {
      const now = clock.now()
      for (const [other, { until }] of shown) if (until <= now) shown.delete(other)
      shown.set(id, { saleId, until: now + shownMs, isNew, restCents })
    },
    onEnd: (listener: (ids: readonly VoucherId[]) => void): void => {
      listeners.push(listener)
    },
  }
})
