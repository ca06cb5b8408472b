import { z } from 'zod'
import { MAX_GIFT_CARD_CENTS } from '../catalog/goods.ts'
import { scannedText } from '../core/text.ts'
import { SaleId } from '../core/ids.ts'
import { Cents } from '../core/money.ts'
import { PrintState } from '../core/receipt.ts'
import { Approval } from '../sales/sale-changes.ts'

/** Kind of a voucher. Store credit is issued by returns; a gift card is sold. Both pay until their balance is zero. */
export const VoucherKind = z.enum(['store-credit', 'gift-card'])
export type VoucherKind = z.infer<typeof VoucherKind>

/** Internal id of a voucher; does not reveal its code. */
export const VoucherId = z.string().regex(/^[A-F0-9]{32}$/)
export type VoucherId = z.infer<typeof VoucherId>

/** A voucher as a screen receives it, without its code. */
export const Voucher = z.object({
  id: VoucherId,
  kind: VoucherKind,
  last4: z.string(),
  issuedAt: z.string(),
  balanceCents: Cents.describe('the whole balance, as far as the lane knows'),
  payableCents: Cents.optional().describe('amount that can be paid with it here; left out: all'),
  reserved: z
    .array(z.object({ lane: z.string(), amountCents: Cents }))
    .optional()
    .describe('value at other lanes, which can be paid with there'),
})
export type Voucher = z.infer<typeof Voucher>

/** A voucher in a list. Only the person who issued it and people who may approve receive its id. */
export const ListedVoucher = Voucher.extend({ id: VoucherId.nullable() })
export type ListedVoucher = z.infer<typeof ListedVoucher>

/**
 * POST /api/vouchers/:id/reprint: prints the document of a voucher again. It is the action `voucher-reprint` while the
 * voucher has a balance, if it may have been printed or another person issued it, because every print pays like the
 * first.
 */
export const ReprintVoucher = z.object({ approval: Approval.optional() }).nullish()

/** A voucher with the print state of its document. Until it is printed, the customer cannot use its value. */
export const VoucherDocument = ListedVoucher.extend({
  print: PrintState.nullable().describe('of its newest print; null without one'),
})
export type VoucherDocument = z.infer<typeof VoucherDocument>
/**
 * GET /api/sales/:id/vouchers: vouchers issued at the end of this sale, which are sold gift cards, and store credit for
 * a remainder.
 */
export const VoucherDocuments = z.object({ vouchers: z.array(VoucherDocument) })

/** A scanned or typed voucher code, with or without the hyphens of the printed code. */
export const VoucherCode = scannedText({ min: 8, max: 60 }).trim()

/**
 * POST /api/vouchers/present: allows the voucher to pay the open sale for a limited time. Without an open sale, only
 * shows its balance.
 */
export const PresentVoucher = z.object({ code: VoucherCode })

/**
 * POST /api/sales/current/gift-cards: adds a gift card to the sale; opens a sale if necessary. Without a code, one is
 * generated when the sale is completed.
 */
export const SellGiftCard = z.object({
  approval: Approval.optional(),
  amountCents: Cents.refine(
    (amount) => amount >= 100 && amount <= MAX_GIFT_CARD_CENTS,
    'from one dollar to a thousand',
  ),
  code: VoucherCode.optional(),
  scanned: z.literal(true).optional().describe('the card that was scanned last, instead of a code'),
})
export type SellGiftCard = z.infer<typeof SellGiftCard>

/**
 * POST /api/vouchers/:id/cash-out: pays out the whole balance of the gift card that was presented last, where the law
 * requires it for small balances.
 */
export const CashOut = z.object({
  amountCents: Cents.refine((amount) => amount >= 1 && amount <= MAX_GIFT_CARD_CENTS, 'the balance of the card'),
  approval: Approval.optional(),
})
export type CashOut = z.infer<typeof CashOut>

export const CashedOut = z.object({
  saleId: SaleId.describe('number of the cash-out, on its slip'),
  last4: z.string(),
  amountCents: Cents,
  cashCents: Cents.describe('cash to give, rounded to five cents'),
})
export type CashedOut = z.infer<typeof CashedOut>
