import { z } from 'zod'
import { StreamName } from '../staff/session.ts'

/**
 * POST /api/input/acting: this window received input and becomes the acting window, which shows questions to the
 * person.
 */
export const TouchWindow = z.object({ stream: StreamName })

/**
 * POST /api/input/claims: sends the next cards, items or badges to this window, or to the sale again. Ends after a
 * minute unless the window repeats it.
 */
export const CaptureInput = z.object({
  what: z.enum(['cards', 'items', 'badges']),
  claimed: z.boolean(),
  stream: StreamName,
})
export type CaptureInput = z.infer<typeof CaptureInput>

/**
 * PUT /api/sales/:id/choice-shown: units of miles on the cashier's stepper, for the customer display; null when the
 * cashier has left the stepper.
 */
export const ShowChoice = z.object({ units: z.int().min(1).max(75).nullable() })
