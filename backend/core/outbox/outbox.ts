import type { StopReason } from '../../../contracts/staff/session.ts'
import type { Rng, Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { createTransact } from '../db/transact.ts'
import type { Evidence } from '../integrity/evidence.ts'
import type { Logger } from '../log.ts'
import { createChain } from './chain.ts'
import type { HighWaterMark } from './high-water.ts'
import { createJournal } from './journal.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import type { Seal } from '../integrity/seal.ts'
import type { StepObserver } from './operation.ts'

export interface OutboxOptions {
  readonly db: Database
  readonly seal: Seal
  readonly mark?: HighWaterMark
  readonly evidence?: Pick<Evidence, 'counter' | 'takeChanged'>
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  readonly observer?: StepObserver
  /** Called with the duration of a commit in seconds, from the end of its work until it is on disk. */
  readonly onCommit?: (seconds: number) => void
  /** Called when a commit failed or the database cannot be trusted: all writes are rejected from now on. */
  readonly onStop: (reason: StopReason) => void
  readonly refusal: (reason: StopReason) => Error
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Stores every call before its first byte leaves: the outbox has the transactions, the journal of calls with its chain,
 * and the order of each collector's calls.
 */
export function createOutbox({ db, seal, mark, evidence, clock, rng, log, observer, ...options }: OutboxOptions) {
  let committingSince = 0
  const chain = createChain({ db, seal, ...(mark ? { mark } : {}), ...(evidence ? { evidence } : {}) })
  const { transact, failStop, halt } = createTransact({
    db,
    onStop(error, reason) {
      log.fatal({ err: error, reason }, 'the terminal stops accepting payments')
      options.onStop(reason)
    },
    refusal: options.refusal,
    onMissed(error) {
      log.error({ err: error }, 'work after a commit failed; the commit itself is on disk')
    },
    watch: {
      committing: () => {
        observer?.committing?.()
        committingSince = performance.now()
      },
      committed() {
        options.onCommit?.((performance.now() - committingSince) / 1_000)
        // The observer of commits runs before the mark is written: after a crash there, a test must find a mark that is
        // older than the database, and no missing entries.
        observer?.committed?.()
        chain.committed()
      },
    },
  })
  const journal = createJournal({ db, transact, chain, seal, clock, rng, ...(observer ? { observer } : {}) })
  return { transact, failStop, halt, chain, journal, collectorMutex: createKeyedMutex() }
}
