import { z } from 'zod'
import { TakeCard } from './card.ts'
import { TakeCash } from './cash.ts'
import { TakeCheque } from './cheque.ts'
import { TakeVoucher } from './voucher.ts'

/**
 * The tender types. A new one is a line here, a file beside this one for its command, a file in
 * backend/payments/tender-types/, a check in backend/payments/tenders/take.ts, a panel in renderer/payments/tender/,
 * and its words; the compiler names what is missing (docs/tender-types.md).
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
