import type { BulkSendAgain } from '../../../contracts/api/queue.ts'
import { isoOf, type Clock, type Rng } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Logger } from '../../log.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { MilesOperation } from '../../outbox/operation.ts'
import type { AuditTrail } from '../staff/audit.ts'

/** So many are sent again by one order: after a long outage nobody floods the program with all of them. */
export const MOST_AT_ONCE = 200
/** Between two of them passes anything up to this: lanes that were told together do not send together. */
const LONGEST_GAP_MS = 1_000

export interface BulkOptions {
  readonly journal: Pick<Journal, 'givenUp'>
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly rng: Pick<Rng, 'fraction'>
  readonly log: Logger
  /** Whether it can go again at all; that it still may is looked at again when its turn comes. */
  readonly maySend: (operation: MilesOperation) => boolean
  /** Sends one again in a person's name, as they would by hand. Throws where it no longer may. */
  readonly sendAgain: (id: string, staffId: string) => void
}

/**
 * Everything that the machine gave up on and a person may send again, by one order: the oldest first, a capped number,
 * one after another with full jitter between them. What a crash leaves behind stands on the list as before.
 */
export function createBulk({ journal, transact, audit, clock, rng, log, maySend, sendAgain }: BulkOptions) {
  let state: BulkSendAgain | null = null
  let callOff: (() => void) | null = null
  let stopped = false

  function next(ids: readonly string[], staffId: string): void {
    const [id, ...rest] = ids
    if (stopped || !state) return
    if (id === undefined) {
      state = { ...state, endedAt: isoOf(clock.now()) }
      return
    }
    callOff = clock.after(Math.round(rng.fraction() * LONGEST_GAP_MS), () => {
      state = state && { ...state, ...sendOne(id, staffId, state) }
      next(rest, staffId)
    })
  }

  function sendOne(id: string, staffId: string, now: BulkSendAgain): Pick<BulkSendAgain, 'sent' | 'skipped'> {
    try {
      sendAgain(id, staffId)
      return { sent: now.sent + 1, skipped: now.skipped }
    } catch (error) {
      // Somebody settled it meanwhile, or storage failed, which the screens are told of.
      log.info({ err: error, operation: id }, 'a call was not sent again')
      return { sent: now.sent, skipped: now.skipped + 1 }
    }
  }

  const candidates = (): MilesOperation[] => journal.givenUp(MOST_AT_ONCE).filter(maySend)

  return {
    state: (): BulkSendAgain | null => state,
    /** How many the next order would send. */
    waiting: (): number => candidates().length,
    /**
     * Answers the order as it stands once it is committed: until then nothing has begun. Throws ProblemError
     * `send-again-running`, `nothing-to-send-again`.
     */
    start(staffId: string): BulkSendAgain {
      if (state && state.endedAt === null) throw new ProblemError('send-again-running')
      const ids = candidates().map(({ id }) => id)
      if (ids.length === 0) throw new ProblemError('nothing-to-send-again')
      transact((tx) => {
        audit.record(tx, { kind: 'queue-send-again-all', actorId: staffId, detail: { times: ids.length } })
      })
      const ordered = { total: ids.length, sent: 0, skipped: 0, startedAt: isoOf(clock.now()), endedAt: null }
      transact.afterCommit(() => {
        state = ordered
        next(ids, staffId)
      })
      return ordered
    },
    stop(): void {
      stopped = true
      callOff?.()
    },
  }
}
