import { z } from 'zod'
import { MOST_GIFT_CARD_CENTS } from '../catalog/goods.ts'
import { scannedText } from '../core/text.ts'
import { Cents } from '../core/money.ts'
import { PrintState } from '../core/receipt.ts'
import { Approval } from '../sales/sale-changes.ts'

/** Store credit comes from returns; a gift card is sold. Both pay until their balance is gone. */
export const VoucherKind = z.enum(['store-credit', 'gift-card'])
export type VoucherKind = z.infer<typeof VoucherKind>

/** Names a voucher among the terminal's own; says nothing of its code. */
export const VoucherId = z.string().regex(/^[A-F0-9]{32}$/)
export type VoucherId = z.infer<typeof VoucherId>

/** A voucher as a screen may know it: never its code. */
export const Voucher = z.object({
  id: VoucherId,
  kind: VoucherKind,
  last4: z.string(),
  issuedAt: z.string(),
  balanceCents: Cents.describe('the whole of it, as far as the lane knows'),
  payableCents: Cents.optional().describe('what can be paid with it here; left out: all'),
  reserved: z
    .array(z.object({ lane: z.string(), amountCents: Cents }))
    .optional()
    .describe('what stays at other lanes, and can be paid with there'),
})
export type Voucher = z.infer<typeof Voucher>

/** A voucher in a list. Its id is for whoever issued it and for whoever may approve. */
export const ListedVoucher = Voucher.extend({ id: VoucherId.nullable() })
export type ListedVoucher = z.infer<typeof ListedVoucher>

/**
 * POST /api/vouchers/:id/reprint. Where a paper of it may be out already, or another person issued it, it needs an
 * approval: every paper pays as the first does.
 */
export const ReprintVoucher = z.object({ approval: Approval.optional() }).nullish()

/** A voucher and where its own paper is: without that paper it is money that nobody has. */
export const VoucherDocument = ListedVoucher.extend({
  print: PrintState.nullable().describe('its newest paper; null where there is none'),
})
export type VoucherDocument = z.infer<typeof VoucherDocument>
/**
 * GET /api/sales/:id/vouchers: the vouchers whose paper the end of this sale made: gift cards that it sold, store
 * credit that it left over.
 */
export const VoucherDocuments = z.object({ vouchers: z.array(VoucherDocument) })

/** What a person scans or types: letters, with or without the hyphens of the paper. */
export const VoucherCode = scannedText({ min: 8, max: 60 }).trim()

/**
 * POST /api/vouchers/present: what a code names may pay the sale that is open, for a while. Without an open sale only
 * its balance is told.
 */
export const PresentVoucher = z.object({ code: VoucherCode })

/**
 * POST /api/sales/current/gift-cards; opens a sale when there is none. Without a code the paper gets one when the sale
 * is completed.
 */
export const SellGiftCard = z.object({
  approval: Approval.optional(),
  amountCents: Cents.refine(
    (amount) => amount >= 100 && amount <= MOST_GIFT_CARD_CENTS,
    'from one dollar to a thousand',
  ),
  code: VoucherCode.optional(),
  scanned: z.literal(true).optional().describe('the card that was scanned last, in place of a code'),
})
export type SellGiftCard = z.infer<typeof SellGiftCard>
