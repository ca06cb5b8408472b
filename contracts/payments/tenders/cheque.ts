import { z } from 'zod'
import { SaleVersion, TenderAmount } from './version.ts'

export const TakeCheque = z.strictObject({
  kind: z.literal('cheque'),
  version: SaleVersion,
  amountCents: TenderAmount,
  reference: z
    .string()
    .regex(/^\d{1,10}$/)
    .describe('number of the cheque, as it is printed on it; never that of the account'),
})
