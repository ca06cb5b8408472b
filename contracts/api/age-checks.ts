import { z } from 'zod'
import { MinimumAge } from '../sale-rules.ts'

/** What the cashier answers. A date of birth is looked at and kept nowhere. */
export const AgeAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('date-of-birth'), date: z.string().regex(/^\S{0,10}$/) }),
  z.object({ kind: z.literal('clearly-over') }),
  z.object({ kind: z.literal('refused') }),
])
export type AgeAnswer = z.infer<typeof AgeAnswer>

/** POST /api/sales/:id/age-check: of the age that was asked for; an item that came meanwhile is asked for after it. */
export const AnswerAgeCheck = z.object({ minimumAge: MinimumAge, answer: AgeAnswer })
