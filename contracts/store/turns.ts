import { z } from 'zod'

/**
 * One call in flight per collector, over the lanes of a store (specification 3 §4.2 rule 5): whoever calls holds the
 * collector's turn. It is a lease: one that is not renewed ends by itself.
 */
export const TURN_PATHS = { take: '/lane/turn/take', keep: '/lane/turn/keep', drop: '/lane/turn/drop' } as const

/** So long a turn lasts that nobody renews, in milliseconds. */
export const TURN_MS = 5_000
/** Whoever holds it renews it so often while the call runs, and for so long at most: a call that hangs ends by then. */
export const TURN_RENEW_MS = 1_500
export const TURN_LONGEST_MS = 120_000

/** now: somebody stands at the till; queued: it can wait, and does while somebody else's `now` waits. */
export const TurnPurpose = z.enum(['now', 'queued'])
export type TurnPurpose = z.infer<typeof TurnPurpose>

const turn = {
  protocol: z.int(),
  /** Of this turn alone: asked for again under it, it is the same turn. */
  id: z.uuid(),
  /** Hash of the collector number under the store's key. */
  collector: z.string().regex(/^[0-9a-f]{64}$/),
}

/** POST take: held back for at most `waitMs` while another lane has it. */
export const TakeTurn = z.object({ ...turn, purpose: TurnPurpose, waitMs: z.int().min(0).max(250) })
export type TakeTurn = z.infer<typeof TakeTurn>
export const TurnAnswer = z.discriminatedUnion('kind', [
  /** `fence` grows with every turn that is given: the later one has the higher number. */
  z.object({ kind: z.literal('yours'), fence: z.int() }),
  z.object({ kind: z.literal('taken'), lane: z.string() }),
])
export type TurnAnswer = z.infer<typeof TurnAnswer>

/** POST keep, POST drop: answered with whether the turn was still this one. */
export const NameTurn = z.object(turn)
export type NameTurn = z.infer<typeof NameTurn>
export const TurnStands = z.object({ stands: z.boolean() })
export type TurnStands = z.infer<typeof TurnStands>
