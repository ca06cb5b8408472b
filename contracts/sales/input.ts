import { z } from 'zod'
import { StreamName } from '../staff/session.ts'

/**
 * POST /api/input/acting: this window received input and becomes the acting window, which shows questions to the
 * person.
 */
export const TouchWindow = z.object({ stream: StreamName })

/**
 * POST /api/input/claims: starts or ends a capture (`claims` and `claimed` on the wire): the next cards, items, badges
 * or price checks go to this window instead of to the sale. Ends after a minute unless the window repeats it.
 */
export const CaptureInput = z.object({
  what: z.enum(['cards', 'items', 'badges', 'prices']),
  claimed: z.boolean(),
  stream: StreamName,
})
export type CaptureInput = z.infer<typeof CaptureInput>

/** POST /api/input/quantity: the quantity of the next item that is rung; null removes it. */
export const NextQuantity = z.object({ quantity: z.int().min(1).max(999).nullable() })

/**
 * PUT /api/sales/:id/choice-shown: units of miles on the cashier's stepper, for the customer display; null when the
 * cashier has left the stepper.
 */
export const ShowChoice = z.object({ units: z.int().min(1).max(75).nullable() })
