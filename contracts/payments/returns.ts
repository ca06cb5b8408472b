import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { SaleId, Sku } from '../core/ids.ts'
import { Cents, Miles } from '../core/money.ts'
import { PaidBy, RefundReason } from './tenders/registry.ts'
import { Approval, SaleDiscount } from '../sales/sale-changes.ts'
import { SaleLine, SaleTotals } from '../sales/sales.ts'
import { ListedVoucher } from './vouchers.ts'

/** In which form money goes back. */
export const RefundKind = z.enum(['card', 'card-terminal', 'cash', 'miles', 'store-credit'])
export type RefundKind = z.infer<typeof RefundKind>

export const Refund = z.object({
  kind: RefundKind,
  paidBy: PaidBy.nullable().describe(
    'what of the sale’s payments it stands for; store credit may stand for any of them. null without a record',
  ),
  amountCents: Cents.describe('what it gives back of the sale'),
  roundingCents: Cents.describe('cash only: what is handed out more (+) or less (−) than amountCents'),
  reference: z
    .string()
    .nullable()
    .describe(
      'slip of the card terminal, confirmation number of the redemption, or the last four of the store credit; ' +
        'null before the return is committed',
    ),
})
export type Refund = z.infer<typeof Refund>

export const QuotedRefund = Refund.omit({ reference: true }).extend({ why: RefundReason })
export type QuotedRefund = z.infer<typeof QuotedRefund>

/** Why goods come back. The words are `returns.reason.<code>` on screens and `return-reason-<code>` on paper. */
export const ReturnReason = z.enum(['not-wanted', 'damaged', 'wrong-item', 'expired', 'recalled', 'other'])
export type ReturnReason = z.infer<typeof ReturnReason>

/**
 * The miles of the goods that the program takes back: exact; about, where the program itself calculates them; later,
 * while those of the sale are still on their way.
 */
export const MilesTaken = z.discriminatedUnion('certainty', [
  z.object({ certainty: z.enum(['exact', 'about']), miles: Miles }),
  z.object({ certainty: z.literal('later') }),
])
export type MilesTaken = z.infer<typeof MilesTaken>

export const ReturnTotals = SaleTotals.pick({ subtotalCents: true, taxes: true, totalCents: true })
export type ReturnTotals = z.infer<typeof ReturnTotals>

/** A completed sale as a return sees it. */
export const ReturnableSale = z.object({
  saleId: SaleId,
  /** Grows with every return; a command that names an older one is refused with `sale-stale`. */
  version: z.int(),
  completedAt: z.string(),
  lane: z.string().optional().describe('of a sale of another lane of the store; left out: of this one'),
  last4: z.string().nullable().describe('of the collector who earned on it'),
  lines: z.array(
    SaleLine.extend({
      returnedQuantity: z.int().min(0),
      leftQuantity: z.int().min(0),
      kept: z.boolean().describe('a gift card: it never comes back'),
      discounts: z
        .array(SaleDiscount.shape.number)
        .describe('the discounts that take something off it: why it is worth less than its price'),
    }),
  ),
  discounts: z.array(SaleDiscount),
  returns: z.array(z.object({ id: SaleId, at: z.string(), totalCents: Cents })),
})
export type ReturnableSale = z.infer<typeof ReturnableSale>

const version = z.int().min(0)
const pieces = z
  .array(z.object({ number: z.int().min(1), quantity: z.int().min(1).max(999) }))
  .min(1)
  .max(500)

/** POST /api/returns/quote: what would go back, and in which form. Changes nothing. */
export const QuoteReturn = z.object({
  saleId: SaleId,
  lines: pieces,
  exchangeWith: SaleId.optional().describe('the open sale that as much of it as can be is to pay'),
})
export type QuoteReturn = z.infer<typeof QuoteReturn>
export const ReturnQuote = z.object({
  saleId: SaleId,
  version: z.int(),
  lines: z.array(SaleLine),
  totals: ReturnTotals,
  refunds: z.array(QuotedRefund),
  /**
   * The redemption that paid a part of the sale, while it can be given back as miles: until when (ISO 8601), how many,
   * and what they paid.
   */
  reversible: z.object({ closesAt: z.string(), miles: Miles, amountCents: Cents }).nullable(),
  milesTaken: MilesTaken.nullable().describe('null: the goods earned nothing'),
  exchange: z
    .object({
      saleId: SaleId,
      version: z.int(),
      paysCents: Cents.describe('of the open sale'),
      dueCents: Cents.describe('left to pay on it then'),
    })
    .nullable(),
  needsApproval: z.boolean().describe("a cashier needs a supervisor's PIN"),
})
export type ReturnQuote = z.infer<typeof ReturnQuote>

/**
 * POST /api/returns. `refunds` are those that the screen showed: when they are no longer right, the return is refused
 * and nothing has gone back.
 */
export const CommitReturn = QuoteReturn.omit({ exchangeWith: true }).extend({
  version,
  exchange: z.object({ saleId: SaleId, version }).optional(),
  refunds: z.array(Refund.pick({ kind: true, paidBy: true, amountCents: true })).max(8),
  reason: ReturnReason.optional(),
  approval: Approval.optional(),
  cardReference: freeText({ max: 40, problem: 'reference-is-card' })
    .optional()
    .describe('approval number of the refund slip, where the card is among the refunds'),
})
export type CommitReturn = z.infer<typeof CommitReturn>

/**
 * POST /api/returns/without-record/quote: what goods of a sale that this lane does not know are worth at today's
 * prices.
 */
export const QuoteUnrecorded = z.object({
  items: z
    .array(z.object({ sku: Sku, quantity: z.int().min(1).max(999) }))
    .min(1)
    .max(500),
})
export const UnrecordedQuote = z.object({ lines: z.array(SaleLine), totals: ReturnTotals })
export type UnrecordedQuote = z.infer<typeof UnrecordedQuote>

/**
 * POST /api/returns/without-record: such goods for store credit. A supervisor or a manager decides: by signing in, or
 * by a PIN that comes with it.
 */
export const ReturnWithoutRecord = QuoteUnrecorded.extend({
  reason: freeText({ max: 200 }),
  approval: Approval.optional(),
})
export type ReturnWithoutRecord = z.infer<typeof ReturnWithoutRecord>

export const SaleReturn = z.object({
  id: SaleId,
  saleId: SaleId.nullable().describe('null: without a record'),
  at: z.string(),
  reason: z.string().nullable(),
  lines: z.array(SaleLine),
  totals: ReturnTotals,
  refunds: z.array(Refund),
  vouchers: z.array(ListedVoucher).describe('store credit that was issued for it, with what is left of it now'),
})
export type SaleReturn = z.infer<typeof SaleReturn>
