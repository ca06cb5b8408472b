import { z } from 'zod'

/** State of the lane's connection to its store server. */
export const StoreState = z.object({
  /**
   * `none`: the lane has no store server. `slow`: facts are sent, but nothing is requested until the server answers
   * promptly again. `away`: it does not answer. `refused`: the server refuses this lane or its facts, e.g. because it
   * does not know the lane, or has more of its facts than the lane.
   */
  kind: z.enum(['none', 'connected', 'slow', 'away', 'refused']),
  /** Since when the state lasts, epoch ms. */
  since: z.int(),
  /**
   * Why the server refuses the lane, if a person can correct it. `mode`: the store is in production and the lane in
   * training, or reversed.
   */
  why: z.literal('mode').nullable(),
  untold: z.int(),
  aside: z.int(),
})
export type StoreState = z.infer<typeof StoreState>

/** Latest change by another lane of the store, for the list that shows the changed setting, person or item. */
export const Elsewhere = z.object({
  lane: z.string(),
  by: z.string().nullable().describe('name of the person who changed it; null: the store’s profile'),
  inPlaceOf: z
    .string()
    .nullable()
    .describe(
      'name of the person whose change at this lane was replaced when the lanes reconnected; null: no change was',
    ),
})
export type Elsewhere = z.infer<typeof Elsewhere>
