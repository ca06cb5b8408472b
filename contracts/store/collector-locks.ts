import { z } from 'zod'

/**
 * Locks on collectors. Over all lanes of a store only one call per collector may be in flight (specification 3 §4.2
 * rule 5), so the calling lane holds a lock on the collector. The lock expires unless it is renewed.
 */
export const LOCK_PATHS = { take: '/lane/turn/take', renew: '/lane/turn/keep', release: '/lane/turn/drop' } as const

/** Time after which a lock expires unless it is renewed. */
export const LOCK_MS = 5_000
/** Interval at which a lock is renewed while its call runs. */
export const LOCK_RENEW_MS = 1_500
/** Longest time for which one call may hold a lock. */
export const LOCK_LONGEST_MS = 120_000

/**
 * Urgency of the call. `now`: a customer waits at the checkout; `queued`: it waits until no `now` waits for the same
 * collector.
 */
export const LockPurpose = z.enum(['now', 'queued'])
export type LockPurpose = z.infer<typeof LockPurpose>

const lock = {
  protocol: z.int(),
  id: z.uuid(),
  /** Keyed hash of the collector number; the lanes of the store share the key and the server does not have it. */
  collector: z.string().regex(/^[0-9a-f]{64}$/),
}

/** Body of POST take: the server holds the request for at most `waitMs` while another lane has the lock. */
export const TakeLock = z.object({ ...lock, purpose: LockPurpose, waitMs: z.int().min(0).max(250) })
export type TakeLock = z.infer<typeof TakeLock>
export const LockAnswer = z.discriminatedUnion('kind', [
  /** Answer of POST take; `fence` increases with every lock that is granted. */
  z.object({ kind: z.literal('yours'), fence: z.int() }),
  z.object({ kind: z.literal('taken'), lane: z.string() }),
])
export type LockAnswer = z.infer<typeof LockAnswer>

/**
 * Body and answer of POST keep, which renews a lock, and POST drop, which releases it. `stands`: whether this lane
 * still held the lock.
 */
export const NameLock = z.object(lock)
export type NameLock = z.infer<typeof NameLock>
export const LockStatus = z.object({ stands: z.boolean() })
export type LockStatus = z.infer<typeof LockStatus>
