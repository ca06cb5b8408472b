import type { QueueSummary } from '../../../contracts/api/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { CentralStatus } from '../../central-status.ts'
import type { Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { SecretStatus } from '../../secret-status.ts'

export interface QueueNewsOptions {
  readonly journal: Pick<Journal, 'counts' | 'events'>
  readonly transact: Transact
  readonly central: CentralStatus
  /** Whether the lane's secret is refused; left out where it has none. */
  readonly secret?: Pick<SecretStatus, 'refusedSince' | 'onChange'>
  /** What a manager must look at beside the calls. */
  readonly alsoForPerson: () => number
  readonly clock: Clock
  readonly publish: (event: TerminalEvent) => void
}

/**
 * The screens hear of the queue this long after it moved, however often it moves meanwhile; after a long queue was
 * counted, so many times later as the counting took.
 */
const REST_MS = 50
const COUNTING_SHARE = 20

export type QueueNews = ReturnType<typeof createQueueNews>

/** How many calls wait, and how many wait for a manager: told to the screens whenever it may have changed. */
export function createQueueNews(options: QueueNewsOptions) {
  const { journal, transact, central, secret, clock, publish } = options
  let coming: (() => void) | null = null
  let countingMs = 0
  let stopped = false

  function summary(): QueueSummary {
    const counts = journal.counts()
    // A secret that is refused stops every call: it is one thing more to look at.
    const isRefused = (secret?.refusedSince ?? central.refusedSince) !== null
    return {
      ...counts,
      attention: counts.attention + options.alsoForPerson() + (isRefused ? 1 : 0),
      central: central.state,
    }
  }

  function announce(): void {
    if (stopped) return
    coming ??= clock.after(Math.max(REST_MS, countingMs * COUNTING_SHARE), () => {
      coming = null
      const from = clock.monotonic()
      const now = summary()
      countingMs = clock.monotonic() - from
      publish({ type: 'queue-changed', summary: now })
    })
  }

  const announceCommitted = (): void => {
    transact.afterCommit(announce)
  }
  journal.events.on('operation.opened', announceCommitted)
  journal.events.on('operation.moved', announceCommitted)
  secret?.onChange(announce)
  central.onChange(announce)

  return {
    summary,
    announce,
    stop(): void {
      stopped = true
      coming?.()
    },
  }
}
