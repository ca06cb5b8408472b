import { z } from 'zod'
import { Cents } from '../../core/money.ts'
import { freeText } from '../../core/text.ts'
import { VoucherId } from '../vouchers.ts'
import { Confirmed, SaleVersion, TenderAmount } from './version.ts'

/**
 * The payment types. A new one is a line and its command here, a file in backend/payments/tender-types/, a check in
 * backend/payments/tenders/take.ts, a panel in renderer/payments/tender/, and its words; the compiler names what is
 * missing (docs/development.md).
 */
export const TenderKind = z.enum(['cash', 'card', 'card-terminal', 'cheque', 'miles', 'store-credit', 'gift-card'])
export type TenderKind = z.infer<typeof TenderKind>

/**
 * Names of the tender types in requests of the issuance service. Specification 3 §2.1 shows `CASH` and `CREDIT`; a type
 * without a name there is left out.
 */
export const TENDER_WIRE_NAMES: Readonly<Record<TenderKind, 'CASH' | 'CREDIT' | null>> = {
  cash: 'CASH',
  card: 'CREDIT',
  'card-terminal': 'CREDIT',
  cheque: null,
  miles: null,
  'store-credit': null,
  'gift-card': null,
}

/** A hundred thousand dollars: what is more was mistyped. */
const MOST_CASH_CENTS = 10_000_000

const TakeCash = z.strictObject({
  kind: z.literal('cash'),
  version: SaleVersion,
  tenderedCents: Cents.refine((amount) => amount <= MOST_CASH_CENTS, 'more cash than any hand holds'),
  confirmed: Confirmed,
})

/**
 * A card on a terminal that this program does not speak to: `reference` is the approval number of its slip. A
 * slip of more than is due is recorded once it is confirmed: it pays what is due, and a manager settles the rest.
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
    .describe('number of the cheque, as it is printed on it; never that of the account'),
})

/** A store credit or a gift card that was shown before. */
const TakeVoucher = z.strictObject({
  kind: z.literal('voucher'),
  version: SaleVersion,
  voucherId: VoucherId,
  amountCents: TenderAmount,
})

/** POST /api/sales/:id/tenders. Miles and a card terminal have commands of their own: their outcome comes later. */
export const AddTender = z.discriminatedUnion('kind', [TakeCash, TakeCard, TakeCheque, TakeVoucher])
export type AddTender = z.infer<typeof AddTender>

/** The ways to pay that are typed or shown at a panel. A store's profile says which it accepts. */
export const PaymentKind = z.enum(['cash', 'card', 'card-terminal', 'cheque', 'voucher'])
export type PaymentKind = z.infer<typeof PaymentKind>

/** Payments that count as one when goods come back: all vouchers together, else each type for itself. */
export const PaidBy = z.enum([...TenderKind.exclude(['store-credit', 'gift-card']).options, 'voucher'])
export type PaidBy = z.infer<typeof PaidBy>

/** Why an amount goes back in the form that it does. The words are `tender.whyBack.<code>` in the catalogs. */
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
