import { z } from 'zod'
import { freeText, scannedText } from '../core/text.ts'
import { Sku, StaffId } from '../core/ids.ts'
import { Names } from '../core/locales.ts'
import { Cents, MAX_PRICE_CENTS } from '../core/money.ts'
import { PERMITTED_ACTIONS } from '../staff/permissions.ts'

/** Digest that identifies an approval request: it covers the effect of the command. */
export const ApprovalTerms = z.string().regex(/^[\w-]{43}$/)

/**
 * The PIN of a supervisor or a manager, sent with the command that it approves. It is checked with that command, and
 * valid only for the effect that `covers` identifies.
 */
export const Approval = z.object({ staffId: StaffId, pin: z.string().regex(/^\d{4,8}$/), covers: ApprovalTerms })
export type Approval = z.infer<typeof Approval>

/** Actions with permissions by role. Their names are `approval.action.<code>` in the message catalogs. */
export const ApprovalAction = z.enum(PERMITTED_ACTIONS)
export type ApprovalAction = z.infer<typeof ApprovalAction>

/** Why a price is lowered manually. The texts are `discount.reason.<code>` in the message catalogs. */
export const DiscountReason = z.enum(['damaged', 'price-match', 'promotion', 'staff', 'goodwill', 'price-error'])
export type DiscountReason = z.infer<typeof DiscountReason>

export const WHOLE_PPM = 1_000_000
/** A reduction in cents, or as a share in parts per million (250 000 is a quarter). */
export const DiscountAmount = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('amount'),
    cents: Cents.refine((amount) => amount >= 1 && amount <= MAX_PRICE_CENTS, 'an amount of a cent or more'),
  }),
  z.object({ kind: z.literal('percent'), ppm: z.int().min(1).max(WHOLE_PPM) }),
])
export type DiscountAmount = z.infer<typeof DiscountAmount>
/**
 * A reduction of a sale as it was calculated. This schema has no upper limit: a promotion may take any share of a line,
 * and the schema must not reject the answer to a command that was committed.
 */
const GivenReduction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('amount'), cents: Cents.refine((amount) => amount >= 1, 'an amount of a cent or more') }),
  z.object({ kind: z.literal('percent'), ppm: z.int().min(1).max(WHOLE_PPM) }),
])

/** Scope of a discount: one line, every line of an item or a department, or the whole sale. */
export const DiscountScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('line'), number: z.int().min(1) }),
  z.object({ kind: z.literal('item'), sku: Sku }),
  z.object({ kind: z.literal('department'), departmentId: z.string().min(1) }),
  z.object({ kind: z.literal('sale') }),
])
export type DiscountScope = z.infer<typeof DiscountScope>

export const CouponCode = z.string().trim().min(1).max(64)

export const SaleDiscount = z.object({
  number: z.int().min(1),
  reach: DiscountScope,
  off: GivenReduction.nullable().describe('null: a coupon of miles alone'),
  reason: DiscountReason.nullable().describe('null: a coupon or a promotion'),
  coupon: z.object({ code: CouponCode, name: Names }).nullable(),
  promotion: z.object({ id: z.string(), name: Names }).nullable(),
  applies: z.boolean().describe('false while its scope is not in the sale, or no amount is left to discount'),
  amountCents: Cents.describe('amount taken off the current lines, before tax'),
})
export type SaleDiscount = z.infer<typeof SaleDiscount>

/**
 * Tax that an exempt sale does not pay. all: no tax is paid. provincial: only the federal tax, or the federal part of
 * HST, is paid.
 */
export const Exemption = z.object({
  relief: z.enum(['all', 'provincial']),
  reason: z.enum(['first-nations', 'diplomat', 'government', 'resale', 'charity']),
  certificate: z.string().describe('number of the certificate or card that was shown'),
})
export type Exemption = z.infer<typeof Exemption>

export const LONGEST_NOTE = 120
export const Note = freeText({ min: 0, max: LONGEST_NOTE })

/**
 * Buyers with prices of their own, approved for the sale. The texts are `buyers.group.<code>` in the message catalogs.
 */
export const BuyerGroup = z.enum(['staff', 'seniors'])
export type BuyerGroup = z.infer<typeof BuyerGroup>

/** Kind of the last change of a sale, if it can be undone. The texts are `undo.<code>` in the message catalogs. */
export const UndoKind = z.enum([
  'ring',
  'quantity',
  'void',
  'price',
  'discount',
  'discount-removed',
  'member',
  'member-removed',
  'note',
  'exemption',
  'buyers',
])
export type UndoKind = z.infer<typeof UndoKind>

const version = z.int().min(0)
const guarded = { version, approval: Approval.optional() }

/** POST /api/sales/:id/discounts: gives a discount on a line or on the sale. */
export const GiveDiscount = z.object({
  ...guarded,
  line: z.int().min(1).nullable().describe('null: on the sale'),
  off: DiscountAmount,
  reason: DiscountReason,
})
export type GiveDiscount = z.infer<typeof GiveDiscount>
/** POST /api/sales/:id/discounts/:number/remove: removes a discount or a coupon. */
export const RemoveDiscount = z.object(guarded)
/** POST /api/sales/:id/undo: undoes the last change. */
export const UndoChange = z.object(guarded)
/** PUT /api/sales/:id/lines/:number/price: sets the unit price of a line; null restores the catalog's price. */
export const ChangePrice = z.object({
  ...guarded,
  unitPriceCents: Cents.refine(
    (amount) => amount >= 0 && amount <= MAX_PRICE_CENTS,
    'an amount of zero or more',
  ).nullable(),
  reason: DiscountReason,
})
export type ChangePrice = z.infer<typeof ChangePrice>
/**
 * POST /api/sales/:id/lines/:number/shelf-price: corrects a line to the price on the shelf, with the compensation that
 * the region's rule gives for one piece.
 */
export const CorrectPrice = z.object({
  ...guarded,
  shelfPriceCents: Cents.refine((amount) => amount >= 1 && amount <= MAX_PRICE_CENTS, 'an amount of a cent or more'),
  compensate: z.boolean().describe('false: goods that the rule does not cover, such as those with a price on each'),
})
export type CorrectPrice = z.infer<typeof CorrectPrice>
/** POST /api/sales/current/coupons: applies a coupon. */
export const AddCoupon = z.object({ code: scannedText({ max: 64 }).trim() })
/** PUT /api/sales/:id/exemption: sets the tax exemption of the sale or of a line; null removes it. */
export const SetExemption = z.object({
  ...guarded,
  line: z.int().min(1).nullable().default(null).describe('null: the whole sale'),
  exemption: Exemption.extend({ certificate: freeText({ max: 40 }) }).nullable(),
})
export type SetExemption = z.infer<typeof SetExemption>
/** PUT /api/sales/:id/buyers: sets the buyers of the sale, for their promotions; null removes them. */
export const SetBuyers = z.object({ ...guarded, buyers: BuyerGroup.nullable() })
export type SetBuyers = z.infer<typeof SetBuyers>
/** PUT /api/sales/:id/note: sets the note of the sale or of a line; an empty text removes it. */
export const SetNote = z.object({ version, line: z.int().min(1).nullable(), note: Note })
export type SetNote = z.infer<typeof SetNote>
