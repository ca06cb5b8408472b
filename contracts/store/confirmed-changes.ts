import { z } from 'zod'

/** The owner's confirmations, for lanes at which changes wait. A server of the release before has no such path. */
export const CHANGE_PATHS = { confirmed: '/lane/changes/confirmed' } as const

/** A lane asks about so many changes at once. */
export const MOST_ASKED = 500

const FactAt = z.object({ stream: z.string().max(64), seq: z.int().positive() })

/** POST confirmed: which of these facts the owner has confirmed, by whom and why. */
export const AskConfirmed = z.object({ protocol: z.int(), facts: z.array(FactAt).min(1).max(MOST_ASKED) })
export type AskConfirmed = z.infer<typeof AskConfirmed>
export const ConfirmedChanges = z.object({
  confirmed: z.array(FactAt.extend({ by: z.string(), why: z.string() })),
})
export type ConfirmedChanges = z.infer<typeof ConfirmedChanges>
