import { z } from 'zod'
import { scannedText } from '../free-text.ts'

/** GET /api/enrolment: how far this lane's enrolment is, for whoever waits for it. */
export const EnrolmentStatus = z.object({
  offered: z.boolean().describe('no PIN and no client secret stand on this lane, or an enrolment was interrupted'),
  step: z.enum(['asking', 'storing']).nullable().describe('what is being done now'),
  interrupted: z.string().nullable().describe('public part of the code of an enrolment that was cut off'),
})
export type EnrolmentStatus = z.infer<typeof EnrolmentStatus>

/**
 * POST /api/enrolment: as somebody typed it, or what the QR code of the sheet holds in `code` alone. Refused with an
 * `enrolment-…` problem, whose details say what is known beside it: `triesLeft`, `store` and `lane` of the code, and
 * `clockAheadMinutes` where this lane's clock is off.
 */
export const EnrolmentOrder = z.object({
  code: scannedText({ max: 600 }),
  service: scannedText({ min: 0, max: 600 }).optional(),
  certificate: scannedText({ min: 0, max: 600 }).optional(),
})
export type EnrolmentOrder = z.infer<typeof EnrolmentOrder>

export const EnrolmentDone = z.object({
  codeId: z.string(),
  secret: z.boolean().describe('a client secret came along'),
  people: z.int().describe('so many have a one-time PIN now'),
  clockAheadMinutes: z.int().nullable().describe('of this lane, where it is more than five; negative: behind'),
  restarts: z.boolean().describe('the terminal starts again to use what came'),
})
export type EnrolmentDone = z.infer<typeof EnrolmentDone>
