import { z } from 'zod'
import { ReconciliationRow } from '../loyalty/reconciliation.ts'
import { EMPTIES_SKU } from '../catalog/goods.ts'
import { PaidCoupon } from '../catalog/manufacturer-coupons.ts'
import { Names } from '../core/locales.ts'
import { LaneAmount, LaneTime, VoucherAmount } from './bounds.ts'
import { CHANGE_VALUES, changeFact } from './changes.ts'

/**
 * Contents of the facts of a lane, by kind. Money is in cents, miles are whole, times are epoch milliseconds by the
 * lane's clock. A fact holds no collector number, voucher code or PIN in plain text: those that another lane needs are
 * sealed and sent with the fact.
 */
const Cents = LaneAmount
const Miles = LaneAmount
const Time = LaneTime
const Person = z.object({ id: z.string(), name: z.string() })

export const FactLine = z.object({
  number: z.int(),
  sku: z.string(),
  names: Names,
  quantity: z.int(),
  unitPriceCents: Cents,
  regularPriceCents: Cents.nullable(),
  taxCategory: z.string(),
  departmentId: z.string(),
  categoryId: z.string().nullable(),
  note: z.string().nullable(),
  minimumAge: z.int().nullable(),
  voided: z.int(),
  packPieces: z.int().nullable().optional(),
  exemption: z.json().optional(),
  charges: z.json().optional(),
  chargeOf: z.int().nullable().optional(),
  measure: z.json().optional().describe('measured quantity, with the names of the line without it'),
  returnDays: z.int().nullable().optional(),
})
export const FactDiscount = z.object({
  number: z.int(),
  reaches: z.string(),
  target: z.string().nullable(),
  offCents: Cents.nullable(),
  offPpm: z.int().nullable(),
  minimumCents: Cents,
  reason: z.string().nullable(),
  coupon: z.string().nullable(),
  names: Names.nullable(),
  promotion: z.string().nullish(),
  byGoods: z.int().nullish().describe('1: spread over goods; null: over lines, by an earlier release'),
  removed: z.int(),
})
export const FactTender = z.object({
  number: z.int(),
  kind: z.string(),
  amountCents: Cents,
  roundingCents: Cents,
  tenderedCents: Cents,
  changeCents: Cents,
  reference: z.string().nullable(),
  operationId: z.string().nullable(),
  voucherId: z.string().nullable(),
  voucherBalanceCents: Cents.nullable(),
  takesBack: z.int().nullable(),
  at: Time,
  /** The manufacturer's coupon that paid; the `kind` of such a payment is `cheque`. */
  paidCoupon: PaidCoupon.nullish(),
})
export interface Paid {
  readonly cents: number
  readonly coins: number
}
/**
 * Sums payments by type, without those given back while the sale was open; all vouchers are one type. Empty containers
 * count as a payment in cash.
 */
export function paidBy({ tenders, lines }: Pick<SaleFact, 'tenders' | 'lines'>): Map<string, Paid> {
  const paid = new Map<string, Paid>()
  const empties = lines
    .filter(({ sku, voided }) => sku === EMPTIES_SKU && voided === 0)
    .reduce((sum, { quantity, unitPriceCents }) => sum - quantity * unitPriceCents, 0)
  if (empties !== 0) paid.set('cash', { cents: empties, coins: empties })
  for (const { kind, voucherId, amountCents, roundingCents } of tenders) {
    const pool = voucherId === null ? kind : 'voucher'
    const { cents, coins } = paid.get(pool) ?? { cents: 0, coins: 0 }
    paid.set(pool, { cents: cents + amountCents, coins: coins + amountCents + roundingCents })
  }
  for (const [pool, { cents }] of paid) if (cents === 0) paid.delete(pool)
  return paid
}

export const FactTaxes = z.array(z.object({ code: z.string(), amountCents: Cents }))

/**
 * The redemption that paid a portion of the sale, so that another lane can reverse it. Its request is in the sealed
 * field of the fact.
 */
const FactRedemption = z.object({
  id: z.string(),
  state: z.string(),
  units: z.int().nullable(),
  amountCents: Cents.nullable(),
  miles: Miles.nullable(),
  confirmationNumber: z.string().nullable(),
  transDateTime: z.string().nullable(),
})
export type FactRedemption = z.infer<typeof FactRedemption>
export const GivenMiles = z.looseObject({ issuanceOfferCode: z.string(), offerId: z.string(), milesAmount: z.int() })
/** The call that issued the miles of the sale, with the miles that the store itself calculated and gave by POST. */
const FactIssuance = z.object({
  id: z.string(),
  type: z.string(),
  given: z.array(GivenMiles),
  /** Rules of the store by which the sale earned miles; empty when the program calculates them. */
  rules: z.array(z.json()),
})
export type FactIssuance = z.infer<typeof FactIssuance>

const FactOffer = z.object({
  offerId: z.string(),
  said: z.enum(['earned', 'missed']),
  award: Names,
  qualifier: Names,
  missing: z.object({ unit: z.enum(['cents', 'pieces']), amount: z.number() }).nullable(),
})

export const FactTotals = z.object({
  grossCents: Cents,
  discountCents: Cents,
  netCents: Cents,
  totalCents: Cents,
  taxes: FactTaxes,
})

export const SaleFact = z.object({
  id: z.string(),
  sequence: z.int(),
  version: z.int(),
  state: z.enum(['completed', 'cancelled']),
  cashier: Person,
  openedAt: Time,
  closedAt: Time,
  memberLast4: z.string().nullable(),
  memberEntryMode: z.string().nullable(),
  note: z.string().nullable(),
  exemption: z.json(),
  ageChecked: z.int().nullable(),
  taxes: z.json(),
  totals: z.json(),
  shiftId: z.int(),
  lines: z.array(FactLine),
  discounts: z.array(FactDiscount),
  tenders: z.array(FactTender),
  /** Optional, because a lane of the previous release does not send it. */
  redemption: FactRedemption.nullable().default(null),
  issuance: FactIssuance.nullable().default(null),
  offers: z.array(FactOffer).default([]),
})
export type SaleFact = z.infer<typeof SaleFact>

export const ReturnFact = z.object({
  id: z.string(),
  sequence: z.int(),
  saleId: z.string().nullable(),
  /**
   * Id of the store server's reservation for this return; null: the sale was the lane's own and not yet confirmed by
   * the server, so no reservation was needed.
   */
  claimId: z.string().nullable().default(null),
  cashier: Person,
  approvedBy: z.string().nullable(),
  reason: z.string().nullable(),
  at: Time,
  subtotalCents: Cents,
  taxes: z.json(),
  totalCents: Cents,
  shiftId: z.int(),
  lines: z.array(
    z.object({
      number: z.int(),
      saleLineNumber: z.int().nullable(),
      sku: z.string(),
      names: Names,
      quantity: z.int(),
      unitPriceCents: Cents,
      discountCents: Cents,
      taxCategory: z.string(),
      departmentId: z.string(),
      categoryId: z.string().nullable(),
      measure: z.json().optional(),
    }),
  ),
  refunds: z.array(
    z.object({
      number: z.int(),
      kind: z.string(),
      paidBy: z.string().nullable(),
      amountCents: Cents,
      roundingCents: Cents,
      reference: z.string().nullable(),
      operationId: z.string().nullable(),
      voucherId: z.string().nullable(),
    }),
  ),
})
export type ReturnFact = z.infer<typeof ReturnFact>

/**
 * A change of a voucher's balance. `hash` of its code, under the key that the lanes of the store share, identifies the
 * voucher.
 */
export const VoucherEntryFact = z.object({
  id: z.int(),
  voucherId: z.string(),
  voucherKind: z.string(),
  last4: z.string().length(4),
  codeHash: z.string(),
  at: Time,
  kind: z.string(),
  amountCents: VoucherAmount,
  returnId: z.string().nullable(),
  operationId: z.string().nullable(),
  saleId: z.string().nullable(),
})
export type VoucherEntryFact = z.infer<typeof VoucherEntryFact>

/**
 * A payment by voucher that the balance issued at this lane does not cover, or the value of such a payment restored to
 * the voucher.
 */
export const VoucherUseFact = z.object({
  id: z.int(),
  voucherId: z.string(),
  voucherKind: z.string(),
  last4: z.string().length(4),
  codeHash: z.string(),
  at: Time,
  kind: z.enum(['redeemed', 'given-back']),
  amountCents: VoucherAmount,
  saleId: z.string(),
})
export type VoucherUseFact = z.infer<typeof VoucherUseFact>

export const VoucherTransferFact = z.object({
  id: z.uuid(),
  voucherId: z.string(),
  voucherKind: z.string(),
  last4: z.string().length(4),
  codeHash: z.string(),
  direction: z.enum(['drawn', 'handed-over']),
  amountCents: VoucherAmount,
  at: Time,
})
export type VoucherTransferFact = z.infer<typeof VoucherTransferFact>

export const CashMovementFact = z.object({
  id: z.int(),
  shiftId: z.int(),
  kind: z.string(),
  amountCents: Cents,
  at: Time,
  staff: Person,
  approvedBy: z.string().nullable(),
  reason: z.string().nullable(),
})
export type CashMovementFact = z.infer<typeof CashMovementFact>

export const ShiftFact = z.object({
  id: z.int(),
  drawerOf: Person.nullable(),
  openedAt: Time,
  openedBy: Person,
  floatCents: Cents,
  countedAt: Time.nullable(),
  closedAt: Time,
  closedBy: Person,
  closing: z.json(),
})
export type ShiftFact = z.infer<typeof ShiftFact>

export const ZReportFact = z.object({ number: z.int(), at: Time, staff: Person, report: z.json() })
export type ZReportFact = z.infer<typeof ZReportFact>

/** A row of the reconciliation report; its values are bounded so that the totals of a day can be added up. */
const ApprovalRow = ReconciliationRow.extend({ units: LaneAmount, amountCents: LaneAmount, miles: LaneAmount })

/** The final state of a call that moves miles, and its resolution by a person. */
export const OperationFact = z.object({
  id: z.string(),
  kind: z.string(),
  type: z.string(),
  saleId: z.string(),
  state: z.string(),
  createdAt: Time,
  changedAt: Time,
  approvedOnAttempt: z.int().nullable(),
  units: z.int().nullable(),
  amountCents: Cents.nullable(),
  miles: Miles.nullable(),
  pendingMiles: Miles.nullable(),
  rejectedMiles: Miles.nullable(),
  confirmationNumber: z.string().nullable(),
  transDateTime: z.string().nullable(),
  responseCode: z.string().nullable(),
  transactionId: z.string().nullable().default(null),
  /** For each offer of the call: its entry in the answer of the issuance service. */
  entries: z.json().default(null),
  outcome: z.string().nullable(),
  found: z.string().nullable(),
  /** For a redemption that was approved on the retry: its row of the reconciliation report and its business day. */
  approval: z.object({ businessDay: z.iso.date(), row: ApprovalRow }).nullable().default(null),
})
export type OperationFact = z.infer<typeof OperationFact>

/**
 * A held sale that this lane resumed from the store as a sale of its own. The subject of the fact is the id of the
 * reservation.
 */
export const HeldSaleFact = z.object({
  sale: z.string().describe('its id at the lane that held it'),
  resumedAs: z.string(),
  by: Person,
})
export type HeldSaleFact = z.infer<typeof HeldSaleFact>

export const FACT_SCHEMAS = {
  sale: SaleFact,
  return: ReturnFact,
  'voucher-entry': VoucherEntryFact,
  'voucher-use': VoucherUseFact,
  'voucher-transfer': VoucherTransferFact,
  'cash-movement': CashMovementFact,
  shift: ShiftFact,
  'z-report': ZReportFact,
  operation: OperationFact,
  'held-sale': HeldSaleFact,
  person: changeFact(CHANGE_VALUES.person),
  'person-locale': changeFact(CHANGE_VALUES['person-locale']),
  'person-pin': changeFact(CHANGE_VALUES['person-pin']),
  'person-badge': changeFact(CHANGE_VALUES['person-badge']),
  setting: changeFact(CHANGE_VALUES.setting),
  'quick-keys': changeFact(CHANGE_VALUES['quick-keys']),
  coupon: changeFact(CHANGE_VALUES.coupon),
  promotion: changeFact(CHANGE_VALUES.promotion),
  charge: changeFact(CHANGE_VALUES.charge),
  'manufacturer-coupon': changeFact(CHANGE_VALUES['manufacturer-coupon']),
  'catalog-item': changeFact(CHANGE_VALUES['catalog-item']),
  'planned-price': changeFact(CHANGE_VALUES['planned-price']),
  'catalog-import': changeFact(CHANGE_VALUES['catalog-import']),
} as const satisfies Readonly<Record<string, z.ZodType>>
export type FactKind = keyof typeof FACT_SCHEMAS
export const isFactKind = (kind: string): kind is FactKind => Object.hasOwn(FACT_SCHEMAS, kind)
