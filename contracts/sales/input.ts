import { z } from 'zod'
import { StreamName } from '../staff/session.ts'

/** POST /api/input/acting: this window was touched; what a gesture asks of a person is asked there. */
export const TouchWindow = z.object({ stream: StreamName })

/**
 * POST /api/input/claims: the next cards, items or badges are for this window, or the sale's again. Ends by itself
 * when it is not said again within a minute.
 */
export const ClaimInput = z.object({
  what: z.enum(['cards', 'items', 'badges']),
  claimed: z.boolean(),
  stream: StreamName,
})
export type ClaimInput = z.infer<typeof ClaimInput>

/**
 * PUT /api/sales/:id/choice-shown: the units on the cashier's stepper, for the customer's screen; null when the stepper
 * was left.
 */
export const ShowChoice = z.object({ units: z.int().min(1).max(75).nullable() })
