import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { SaleId, Sku } from '../core/ids.ts'
import { LineMeasure } from '../catalog/measure.ts'
import { Cents, MAX_PRICE_CENTS, Miles } from '../core/money.ts'
import { PaidBy, RefundReason } from './tenders/registry.ts'
import { Approval, SaleDiscount } from '../sales/sale-changes.ts'
import { SaleLine, SaleTotals } from '../sales/sales.ts'
import { BrokenRule, RecalledGoods, ScannedGoods } from './return-rules.ts'
import { ListedVoucher } from './vouchers.ts'

export const RefundKind = z.enum(['card', 'card-terminal', 'cash', 'miles', 'store-credit'])
export type RefundKind = z.infer<typeof RefundKind>

export const Refund = z.object({
  kind: RefundKind,
  paidBy: PaidBy.nullable().describe(
    'the kind of payment that it refunds; store credit may replace any of them. null without a record',
  ),
  amountCents: Cents.describe('amount of the sale that it refunds'),
  roundingCents: Cents.describe('cash only: difference between the cash given and amountCents, more (+) or less (−)'),
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

/** Why goods are returned. The texts are `returns.reason.<code>` on screens and `return-reason-<code>` on paper. */
export const ReturnReason = z.enum(['not-wanted', 'damaged', 'wrong-item', 'expired', 'recalled', 'other'])
export type ReturnReason = z.infer<typeof ReturnReason>

/**
 * Miles that the program takes back for the goods. exact: that number; about: the program calculates it, and this is an
 * estimate; later: unknown while the issuance of the sale is in flight.
 */
export const MilesTaken = z.discriminatedUnion('certainty', [
  z.object({ certainty: z.enum(['exact', 'about']), miles: Miles }),
  z.object({ certainty: z.literal('later') }),
])
export type MilesTaken = z.infer<typeof MilesTaken>

export const ReturnTotals = SaleTotals.pick({ subtotalCents: true, taxes: true, totalCents: true })
export type ReturnTotals = z.infer<typeof ReturnTotals>

/** A completed sale, as the return screen shows it. */
export const ReturnableSale = z.object({
  saleId: SaleId,
  /**
   * Version of the sale, which increases with every return; a command with an older version is refused with
   * `sale-stale`.
   */
  version: z.int(),
  completedAt: z.string(),
  lane: z.string().optional().describe('the lane of a sale of another lane; left out: this lane'),
  last4: z.string().nullable().describe('last four of the collector who earned on it'),
  lines: z.array(
    SaleLine.extend({
      returnedQuantity: z.int().min(0),
      leftQuantity: z.int().min(0),
      kept: z.boolean().describe('a gift card or empties, which cannot be returned'),
      discounts: z.array(SaleDiscount.shape.number).describe('the discounts that lower its value'),
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

/** POST /api/returns/quote: calculates the refunds of a return. Changes nothing. */
export const QuoteReturn = z.object({
  saleId: SaleId,
  lines: pieces,
  scanned: z
    .array(ScannedGoods.extend({ number: z.int().min(1) }))
    .max(500)
    .optional()
    .describe('GS1 codes of returned pieces, by the number of their line'),
  exchangeWith: SaleId.optional().describe('the open sale that the return should pay as far as possible'),
})
export type QuoteReturn = z.infer<typeof QuoteReturn>
export const ReturnQuote = z.object({
  saleId: SaleId,
  version: z.int(),
  lines: z.array(SaleLine),
  totals: ReturnTotals,
  refunds: z.array(QuotedRefund),
  /**
   * The redemption that paid a portion of the sale, while it can be refunded in miles: deadline (ISO 8601), miles, and
   * amount in cents.
   */
  reversible: z.object({ closesAt: z.string(), miles: Miles, amountCents: Cents }).nullable(),
  milesTaken: MilesTaken.nullable().describe('null: the goods earned nothing'),
  exchange: z
    .object({
      saleId: SaleId,
      version: z.int(),
      paysCents: Cents.describe('of the open sale'),
      dueCents: Cents.describe('remaining amount due of it'),
      evenCount: z.int().min(0).default(0).describe('returned pieces bought again, at the price that was paid'),
    })
    .nullable(),
  needsApproval: z.boolean().describe("a cashier needs a supervisor's PIN"),
  brokenRules: z.array(BrokenRule).default([]),
  recalled: z.array(RecalledGoods).default([]),
})
export type ReturnQuote = z.infer<typeof ReturnQuote>

/**
 * POST /api/returns: makes a return. `refunds` are the refunds that the screen showed: if they have changed, the return
 * is refused and nothing is refunded.
 */
export const CommitReturn = QuoteReturn.omit({ exchangeWith: true }).extend({
  version,
  exchange: z.object({ saleId: SaleId, version }).optional(),
  refunds: z.array(Refund.pick({ kind: true, paidBy: true, amountCents: true })).max(8),
  reason: ReturnReason.optional(),
  approval: Approval.optional(),
  cardReference: freeText({ max: 40, problem: 'reference-is-card' })
    .optional()
    .describe('approval number of the refund slip, when a refund goes to the card'),
})
export type CommitReturn = z.infer<typeof CommitReturn>

/** Measured quantity of returned goods. */
export const MeasuredGoods = LineMeasure.pick({ netThousandths: true, tareThousandths: true, source: true })
export type MeasuredGoods = z.infer<typeof MeasuredGoods>

/** POST /api/returns/without-record/quote: calculates today's value of goods of a sale that this lane does not know. */
export const QuoteUnrecorded = z.object({
  items: z
    .array(
      z.object({
        sku: Sku,
        quantity: z.int().min(1).max(999),
        measured: MeasuredGoods.optional().describe('of goods sold by measure, with quantity 1'),
        priceCents: Cents.refine((price) => price >= 0 && price <= MAX_PRICE_CENTS)
          .optional()
          .describe('of an open-price item, or of a label with a price'),
        scanned: ScannedGoods.optional(),
      }),
    )
    .min(1)
    .max(500),
})
export const UnrecordedQuote = z.object({
  lines: z.array(SaleLine).describe('regularPriceCents: the price of today, if an earlier one was lower'),
  totals: ReturnTotals,
  brokenRules: z.array(BrokenRule).default([]),
  recalled: z.array(RecalledGoods).default([]),
})
export type UnrecordedQuote = z.infer<typeof UnrecordedQuote>

/**
 * POST /api/returns/without-record: returns goods of a sale that this lane does not know, for store credit. It is the
 * action `return-unrecorded`, for which a cashier needs an approval by default.
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
  vouchers: z.array(ListedVoucher).describe('store credit that was issued for it, with its remaining balance'),
})
export type SaleReturn = z.infer<typeof SaleReturn>
