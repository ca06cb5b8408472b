import { z } from 'zod'

/** How the lane stands with its store's server. */
export const StoreState = z.object({
  /**
   * `none`: it has none. `slow`: it is told everything, and asked nothing until it answers promptly again. `refused`:
   * it does not know this lane, or speaks another version.
   */
  kind: z.enum(['none', 'connected', 'slow', 'away', 'refused']),
  /** Since when, epoch ms. */
  since: z.int(),
  /** Why it is refused, where a person can mend it. `mode`: its store sells and it trains, or reversed. */
  why: z.literal('mode').nullable(),
  /** What the lane has closed and the server does not have yet. */
  untold: z.int(),
  /** Facts of other lanes that this one could not take. */
  aside: z.int(),
})
export type StoreState = z.infer<typeof StoreState>

/** Of what another lane of the store changed last, for the list that shows it. */
export const Elsewhere = z.object({
  lane: z.string(),
  by: z.string().nullable().describe('name of who changed it; null: the store’s profile said so'),
  inPlaceOf: z
    .string()
    .nullable()
    .describe('name of who had changed it here while the lanes were apart, which counts no more; null: nobody'),
})
export type Elsewhere = z.infer<typeof Elsewhere>
