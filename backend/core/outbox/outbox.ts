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
  /** Follows what is changed beside the journal, so that the mark tells of it too. */
  readonly evidence?: Pick<Evidence, 'counter' | 'takeChanged'>
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  readonly observer?: StepObserver
  /** Told how long a commit took to the disk, in seconds, from the end of its work. */
  readonly onCommit?: (seconds: number) => void
  /** A commit failed, or the database cannot be trusted: nothing is written any more. */
  readonly onStop: (reason: StopReason) => void
  /** What whoever would write meets then. */
  readonly refusal: (reason: StopReason) => Error
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * What is to reach others stands in the database before its first byte leaves: the transactions, the journal of calls
 * with its chain, and the order in which each collector's calls go.
 */
export function createOutbox({ db, seal, mark, evidence, clock, rng, log, observer, ...options }: OutboxOptions) {
  let committingSince = 0
  const chain = createChain({ db, seal, ...(mark ? { mark } : {}), ...(evidence ? { evidence } : {}) })
  const { transact, failStop, halt } = createTransact({
    db,
    onStop(error, reason) {
      log.fatal({ err: error, reason }, 'the terminal stops taking money')
      options.onStop(reason)
    },
    refusal: options.refusal,
    onMissed(error) {
      log.error({ err: error }, 'a change was committed, and what was to follow it failed')
    },
    watch: {
      committing: () => {
        observer?.committing?.()
        committingSince = performance.now()
      },
      committed() {
        options.onCommit?.((performance.now() - committingSince) / 1_000)
        // Before the mark follows: a crash between the two must find a mark that is behind, and find nothing missing.
        observer?.committed?.()
        chain.committed()
      },
    },
  })
  const journal = createJournal({ db, transact, chain, seal, clock, rng, ...(observer ? { observer } : {}) })
  return { transact, failStop, halt, chain, journal, collectorMutex: createKeyedMutex() }
}
