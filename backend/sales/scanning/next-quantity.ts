import { windowsOf } from '../../core/http/events.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/**
 * Quantity of the next item that is scanned or typed, which a cashier enters before the item (`3 ×`). It is used once,
 * and expires like a card read, so that it never applies to a later customer.
 */
export const nextQuantityOf = perLane((ctx: Ctx) => {
  let pending: number | null = null
  let stop = (): void => undefined
  function set(quantity: number | null): void {
    stop()
    stop = (): void => undefined
    if (quantity === null && pending === null) return
    pending = quantity
    ctx.publish({ type: 'next-quantity', quantity })
    if (quantity !== null)
      stop = ctx.clock.after(ctx.profile.limits.cardReadMs, () => {
        set(null)
      })
  }
  windowsOf(ctx).published.on('event', (event) => {
    const isHold = event.type === 'sale-changed' && event.cause === 'hold'
    if (event.type === 'signed-out' || event.type === 'sale-closed' || isHold) set(null)
  })
  return { set, pending: (): number | null => pending }
})
