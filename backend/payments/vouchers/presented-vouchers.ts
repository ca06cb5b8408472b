import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { NewVoucher } from '../rows/store-vouchers.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface PresentedState {
  readonly saleId: string
  readonly until: number
  /** Row of a voucher that this lane does not have; its first draw inserts it. Else null. */
  readonly isNew: NewVoucher | null
  /** Value of the voucher at other lanes and the store server, by the server's answer, in cents. */
  readonly restCents: number
}

/**
 * Sales for which vouchers were presented, and the time until which each voucher may pay. Only the bearer may spend the
 * rest later: the id of a voucher, which others can see, is not enough. Held in memory, so a voucher must be presented
 * again after a restart.
 */
export const shownVouchersOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const sales = salesOf(ctx)
  const shownMs = ctx.profile.limits.cardReadMs
  const shown = new Map<VoucherId, PresentedState>()
  const listeners: ((ids: readonly VoucherId[]) => void)[] = []
  // Forget vouchers when the sale is put on hold, because their bearer may leave before it is resumed.
  sales.onChange(({ sale }) => {
    if (sale.state === 'open') return
    const ids = [...shown].flatMap(([id, { saleId }]) => (saleId === sale.id ? [id] : []))
    for (const id of ids) shown.delete(id)
    if (ids.length > 0) for (const listener of listeners) listener(ids)
  })
  const current = (id: VoucherId): PresentedState | null => {
    const one = shown.get(id)
    return one === undefined || one.until <= clock.now() ? null : one
  }
  return {
    /** Returns a presented voucher; null if it was presented for another sale, not at all, or too long ago. */
    for: (id: VoucherId, saleId: string): PresentedState | null => {
      const one = current(id)
      return one?.saleId === saleId ? one : null
    },
    /** Whether a sale in progress may still use the voucher. */
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
