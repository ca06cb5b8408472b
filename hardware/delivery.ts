/** A read that nobody could take for this long is another customer's by now. */
const STALE_MS = 2_000
const MOST_HELD = 16

/**
 * Events on their way to the listener. As in UnifiedPOS they are delivered while the device is enabled and wait while
 * it is not; one that has waited too long is dropped, for a scan that arrives late rings in somebody else's sale.
 */
export interface Delivery<Event> {
  readonly enabled: boolean
  /** Events that were dropped because they had waited too long, or because too many waited. */
  readonly stale: number
  setEnabled(enabled: boolean): void
  push(event: Event): void
  /** Nothing is delivered any more, and nothing is held. */
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
      if (!enabled && held.length === MOST_HELD) {
        held.shift()
        stale += 1
      }
      held.push({ event, at: performance.now() })
      // Later, when the framer and the channel have wiped what they hold.
      queueMicrotask(flush)
    },
    close() {
      closed = true
      held = []
    },
  }
}
