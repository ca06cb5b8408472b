import { z } from 'zod'
import { freeText } from '../free-text.ts'
import { Cents } from '../money.ts'
import { SaleVersion } from './version.ts'

/** A card on a terminal that this program does not speak to: `reference` is the approval number of its slip. */
export const TakeCard = z.object({
  kind: z.literal('card'),
  version: SaleVersion,
  amountCents: Cents,
  reference: freeText({ max: 40, problem: 'reference-is-card' }),
})
