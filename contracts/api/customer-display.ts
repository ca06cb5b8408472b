import { z } from 'zod'

/**
 * PUT /api/sales/:id/choice-shown: the units on the cashier's stepper, for the customer's screen; null when the stepper
 * was left.
 */
export const ShowChoice = z.object({ units: z.int().min(1).max(75).nullable() })
export type ShowChoice = z.infer<typeof ShowChoice>
