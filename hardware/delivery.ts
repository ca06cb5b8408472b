/** Age in ms from which a held read is dropped, because it may belong to the previous customer. */
const STALE_MS = 2_000
const MAX_HELD = 16

/**
 * Delivers events while the device is enabled and holds them while it is not, as in UnifiedPOS. Drops events that
 * waited too long: a late scan would be added to the next customer's sale.
 */
export interface Delivery<Event> {
  readonly enabled: boolean
  /** Number of events that were dropped because they waited too long or the buffer was full. */
  readonly stale: number
  setEnabled(enabled: boolean): void
  push(event: Event): void
  close(): void
}

export function createDelivery<Event>(onEvent: (event: Event) => void, enabledFirst: boolean): Delivery<Event> {
  let enabled = enabledFirst
  let closed = false
  let stale = 0
  let held: { readonly event: Event; readonly at: number }[] = []

  function flush(): void {
    while (enabled && !closed) {
      const next = held.shift()
      if (next === undefined) return
      if (performance.now() - next.at > STALE_MS) stale += 1
      else onEvent(next.event)
    }
  }

  return {
    get enabled() {
      return enabled
    },
    get stale() {
      return stale
    },
    setEnabled(next) {
      enabled = next
      flush()
    },
    push(event) {
      if (closed) return
      if (!enabled && held.length === MAX_HELD) {
        held.shift()
        stale += 1
      }
      held.push({ event, at: performance.now() })
      // Delivery is deferred until the framer and the channel have overwritten their buffers.
      queueMicrotask(flush)
    },
    close() {
      closed = true
      held = []
    },
  }
}
