import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { NewVoucher } from '../rows/store-vouchers.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** A voucher that was shown for a sale. */
export interface Shown {
  readonly saleId: string
  readonly until: number
  /** Of one that this lane has no row of: it gets one with its first draw. */
  readonly isNew: NewVoucher | null
  /** What of it lies elsewhere, as far as the store has said, in cents. */
  readonly restCents: number
}

/**
 * For which sale a voucher was shown, and until when it may pay it, by its id. What is left of it afterwards is for
 * whoever holds its paper: an id, which others see too, opens nothing. In memory: a restart asks for it again.
 */
export const shownVouchersOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const sales = salesOf(ctx)
  const shownMs = ctx.profile.limits.cardReadMs
  const shown = new Map<VoucherId, Shown>()
  const listeners: ((ids: readonly VoucherId[]) => void)[] = []
  // Between hold and resume whoever it belongs to may have left.
  sales.onChange(({ sale }) => {
    if (sale.state === 'open') return
    const ids = [...shown].flatMap(([id, { saleId }]) => (saleId === sale.id ? [id] : []))
    for (const id of ids) shown.delete(id)
    if (ids.length > 0) for (const listener of listeners) listener(ids)
  })
  const current = (id: VoucherId): Shown | null => {
    const one = shown.get(id)
    return one === undefined || one.until <= clock.now() ? null : one
  }
  return {
    /** Null where it was shown for another sale, not at all, or too long ago. */
    for: (id: VoucherId, saleId: string): Shown | null => {
      const one = current(id)
      return one?.saleId === saleId ? one : null
    },
    /** Whether a sale in progress may want it. */
    has: (id: VoucherId): boolean => current(id) !== null,
    put(id: VoucherId, saleId: string, isNew: NewVoucher | null = null, restCents = 0): void {
      const now = clock.now()
      for (const [other, { until }] of shown) if (until <= now) shown.delete(other)
      shown.set(id, { saleId, until: now + shownMs, isNew, restCents })
    },
    /** Its sale has ended. */
    onGone: (listener: (ids: readonly VoucherId[]) => void): void => {
      listeners.push(listener)
    },
  }
})
