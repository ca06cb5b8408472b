import { z } from 'zod'
import { freeText } from '../../core/text.ts'
import { Confirmed, SaleVersion, TenderAmount } from './version.ts'

/**
 * A card on a terminal that this program does not speak to: `reference` is the approval number of its slip. A
 * slip of more than is due is recorded once it is confirmed: it pays what is due, and a manager settles the rest.
 */
export const TakeCard = z.strictObject({
  kind: z.literal('card'),
  version: SaleVersion,
  amountCents: TenderAmount,
  reference: freeText({ max: 40, problem: 'reference-is-card' }),
  confirmed: Confirmed,
})
