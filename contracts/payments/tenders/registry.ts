import { z } from 'zod'
import { Cents } from '../../core/money.ts'
import { freeText } from '../../core/text.ts'
import { Approval } from '../../sales/sale-changes.ts'
import { VoucherId } from '../vouchers.ts'
import { Confirmed, SaleVersion, TenderAmount } from './version.ts'

/**
 * The payment types. A new type needs a line and its command here, a file in backend/payments/tender-types/, a check in
 * take.ts and a line in tenders.ts of backend/payments/tenders/, a panel in renderer/payments/tender/, and its texts;
 * the compiler names missing ones (docs/development.md).
 */
export const TenderKind = z.enum([
  'cash',
  'card',
  'card-terminal',
  'cheque',
  'manufacturer-coupon',
  'miles',
  'store-credit',
  'gift-card',
])
export type TenderKind = z.infer<typeof TenderKind>

/**
 * Names of the tender types in requests of the issuance service. Specification 3 §2.1 shows `CASH` and `CREDIT`; a
 * type without a name is not sent.
 */
export const TENDER_WIRE_NAMES: Readonly<Record<TenderKind, 'CASH' | 'CREDIT' | null>> = {
  cash: 'CASH',
  card: 'CREDIT',
  'card-terminal': 'CREDIT',
  cheque: null,
  'manufacturer-coupon': null,
  miles: null,
  'store-credit': null,
  'gift-card': null,
}

/** Maximum amount of cash in cents, a hundred thousand dollars: a larger amount is a typing error. */
const MAX_CASH_CENTS = 10_000_000

const TakeCash = z.strictObject({
  kind: z.literal('cash'),
  version: SaleVersion,
  tenderedCents: Cents.refine((amount) => amount <= MAX_CASH_CENTS, 'more cash than a customer can give'),
  confirmed: Confirmed,
})

/**
 * A payment on a card terminal that is not connected to this program: `reference` is the approval number of the card
 * slip. A slip above the amount due needs a confirmation: it pays the amount due, and a manager settles the difference.
 */
const TakeCard = z.strictObject({
  kind: z.literal('card'),
  version: SaleVersion,
  amountCents: TenderAmount,
  reference: freeText({ max: 40, problem: 'reference-is-card' }),
  confirmed: Confirmed,
})

const TakeCheque = z.strictObject({
  kind: z.literal('cheque'),
  version: SaleVersion,
  amountCents: TenderAmount,
  reference: z
    .string()
    .regex(/^\d{1,10}$/)
    .describe('number of the cheque as printed on it; never that of the account'),
})

/**
 * A manufacturer's coupon. The payment is its value, at most the price of the items that it needs. `amountCents`: the
 * value that the cashier typed, for a coupon whose value the store's list and the barcode do not state.
 */
const TakeManufacturerCoupon = z.strictObject({
  kind: z.literal('manufacturer-coupon'),
  version: SaleVersion,
  code: freeText({ max: 80, problem: 'reference-is-card' }).regex(/^[!-~]{3,80}$/),
  amountCents: TenderAmount.optional(),
  approval: Approval.optional(),
})

const TakeVoucher = z.strictObject({
  kind: z.literal('voucher'),
  version: SaleVersion,
  voucherId: VoucherId,
  amountCents: TenderAmount,
})

/**
 * POST /api/sales/:id/tenders: takes a payment. Payments in miles and by card terminal have their own commands, because
 * their outcome comes later.
 */
export const AddTender = z.discriminatedUnion('kind', [
  TakeCash,
  TakeCard,
  TakeCheque,
  TakeManufacturerCoupon,
  TakeVoucher,
])
export type AddTender = z.infer<typeof AddTender>

/** Payment types that are entered or shown in a payment panel. The profile lists those that the store accepts. */
export const PaymentKind = z.enum(['cash', 'card', 'card-terminal', 'cheque', 'manufacturer-coupon', 'voucher'])
export type PaymentKind = z.infer<typeof PaymentKind>

/**
 * How payments are grouped for refunds: all vouchers together, manufacturers' coupons with cheques, each other type
 * separately.
 */
export const PaidBy = z.enum([
  ...TenderKind.exclude(['manufacturer-coupon', 'store-credit', 'gift-card']).options,
  'voucher',
])
export type PaidBy = z.infer<typeof PaidBy>

/** Reason for the form of a refund. The texts are `tender.whyBack.<code>` in the message catalogs. */
export const RefundReason = z.enum([
  'paid-by-card',
  'paid-by-card-terminal',
  'paid-in-cash',
  'miles-whole',
  'miles-part',
  'miles-too-late',
  'miles-split',
  'paid-by-cheque',
  'paid-by-voucher',
  'exchange',
  'other-lane',
])
export type RefundReason = z.infer<typeof RefundReason>
