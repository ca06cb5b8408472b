import type { TerminalEvent } from '../../contracts/events.ts'

/** Every type, so that a new event cannot be left out: it would be pushed and never heard. */
const HEARD = {
  resync: true,
  'card-read': true,
  'card-claimed': true,
  'badge-presented': true,
  'badge-claimed': true,
  'enrolment-scanned': true,
  'settings-changed': true,
  'window-acting': true,
  'card-refused': true,
  'price-asked': true,
  'goods-asked': true,
  'scan-unknown': true,
  'scan-refused': true,
  'approval-asked': true,
  'scan-unreadable': true,
  'receipt-scanned': true,
  'control-scanned': true,
  'item-for-return': true,
  'voucher-presented': true,
  'gift-card-scanned': true,
  'sale-changed': true,
  'choice-shown': true,
  'held-sales-changed': true,
  'member-session': true,
  'member-history-shown': true,
  'offer-states': true,
  'sale-closed': true,
  'queue-changed': true,
  'device-health': true,
  'training-changed': true,
  'echo-result': true,
  'connection-check-changed': true,
  'lane-check-changed': true,
  'central-turned': true,
  'shifts-changed': true,
  'catalog-changed': true,
  maintenance: true,
  'print-job': true,
  'signed-in': true,
  'staff-changed': true,
  'store-changed': true,
  'signed-out': true,
  stopped: true,
} as const satisfies Record<TerminalEvent['type'], true>
const EVENT_TYPES = Object.keys(HEARD)

/**
 * What this window calls its stream: whoever else may have learned its cookie does not know it
 * (contracts/api/session.ts).
 */
export const streamName = crypto.randomUUID()

/** How long to wait before a stream that the browser gave up is opened again. */
const REOPEN_MS = 1_000

export interface EventStreamListener {
  readonly onEvent: (event: TerminalEvent) => void
  /** `fresh` when this stream starts without a Last-Event-ID: what happened before it is unknown and must be loaded. */
  readonly onOpen: (fresh: boolean) => void
  readonly onLost: () => void
}

/**
 * The backend's pushes (GET /api/events). The browser reconnects by itself with Last-Event-ID and the backend replays;
 * a stream that it closed for good (the backend restarted and refused) is opened anew. Answers a function that ends it.
 */
export function openEventStream(listener: EventStreamListener): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  const take = (message: MessageEvent<string>): void => {
    let event: TerminalEvent
    try {
      event = JSON.parse(message.data) as TerminalEvent
    } catch {
      return
    }
    if (EVENT_TYPES.includes(event.type)) listener.onEvent(event)
  }

  const open = (): void => {
    let fresh = true
    const stream = new EventSource(`/api/events?as=${streamName}`, { withCredentials: true })
    source = stream
    stream.onopen = () => {
      listener.onOpen(fresh)
      fresh = false
    }
    stream.onerror = () => {
      if (ended) return
      listener.onLost()
      if (stream.readyState === EventSource.CLOSED) {
        clearTimeout(timer)
        timer = setTimeout(open, REOPEN_MS)
      }
    }
    stream.onmessage = take
    for (const type of EVENT_TYPES) stream.addEventListener(type, take)
  }
  open()

  return () => {
    ended = true
    clearTimeout(timer)
    source?.close()
  }
}
