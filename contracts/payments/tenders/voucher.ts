import { z } from 'zod'
import { VoucherId } from '../vouchers.ts'
import { SaleVersion, TenderAmount } from './version.ts'

/** A store credit or a gift card that was shown before. */
export const TakeVoucher = z.strictObject({
  kind: z.literal('voucher'),
  version: SaleVersion,
  voucherId: VoucherId,
  amountCents: TenderAmount,
})
