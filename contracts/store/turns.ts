import { z } from 'zod'

/**
 * One call in flight per collector over all lanes of a store (specification 3 §4.2 rule 5): the calling lane holds a
 * lock on the collector. The lock is a lease that expires unless it is renewed.
 */
export const TURN_PATHS = { take: '/lane/turn/take', keep: '/lane/turn/keep', drop: '/lane/turn/drop' } as const

/** Duration of a lease in milliseconds. */
export const TURN_MS = 5_000
/** Interval of renewals while the call runs, and the longest time that a call may hold the lock, in milliseconds. */
export const TURN_RENEW_MS = 1_500
export const TURN_LONGEST_MS = 120_000

/** now: a customer waits at the checkout; queued: yields to every waiting `now`. */
export const TurnPurpose = z.enum(['now', 'queued'])
export type TurnPurpose = z.infer<typeof TurnPurpose>

const lock = {
  protocol: z.int(),
  /** Id of this lock: a repeated request gets the same lock. */
  id: z.uuid(),
  /** Hash of the collector number under the store's key. */
  collector: z.string().regex(/^[0-9a-f]{64}$/),
}

/** POST take: held open for at most `waitMs` while another lane has the lock. */
export const TakeTurn = z.object({ ...lock, purpose: TurnPurpose, waitMs: z.int().min(0).max(250) })
export type TakeTurn = z.infer<typeof TakeTurn>
export const TurnAnswer = z.discriminatedUnion('kind', [
  /** `fence` increases with every lock that is granted. */
  z.object({ kind: z.literal('yours'), fence: z.int() }),
  z.object({ kind: z.literal('taken'), lane: z.string() }),
])
export type TurnAnswer = z.infer<typeof TurnAnswer>

/** POST keep, POST drop: the answer shows whether this lane still held the lock. */
export const NameTurn = z.object(lock)
export type NameTurn = z.infer<typeof NameTurn>
export const TurnStands = z.object({ stands: z.boolean() })
export type TurnStands = z.infer<typeof TurnStands>
