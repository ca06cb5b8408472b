import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { Names } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { APPROVER_ROLES } from '../staff/permissions.ts'
import { DocumentKind } from '../core/receipt.ts'
import { BrokenRule } from '../payments/return-rules.ts'
import { RefundKind } from '../payments/returns.ts'
import { ApprovalAction, ApprovalTerms, BuyerGroup, DiscountReason, Exemption } from './sale-changes.ts'
import { CashActionKind } from '../day/shifts.ts'
import { VoucherKind } from '../payments/vouchers.ts'
import { MinimumAge } from './sale-rules.ts'

const asked = {
  action: ApprovalAction,
  covers: ApprovalTerms,
  approvers: z.array(z.enum(APPROVER_ROLES)).describe('roles that may approve it'),
}
const Refunded = z.object({ kind: RefundKind, amountCents: Cents })

/**
 * A request for approval, with the effect that the command would have. Sent with the problem `approval-required`; the
 * approval identifies it by `covers`. After a change of the sale, another request is needed.
 */
export const ApprovalRequest = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('sale'),
    ...asked,
    saleId: SaleId,
    /**
     * All lines that the change affects. Amounts are before tax; `beforeCents` and `afterCents` include all discounts.
     */
    items: z.array(
      z.object({
        number: z.int().min(1),
        name: Names,
        quantityBefore: z.int().min(0),
        quantityAfter: z.int().min(0),
        regularCents: Cents.describe('price of the quantity in the catalog'),
        beforeCents: Cents,
        afterCents: Cents,
      }),
    ),
    total: z
      .object({ beforeCents: Cents, afterCents: Cents })
      .nullable()
      .describe('total of the sale with tax, when the change affects the whole sale'),
    reason: DiscountReason.nullable().default(null).describe('of a manual discount or a price change'),
    exemption: Exemption.nullable().default(null).describe('when the change is another exemption'),
    buyers: BuyerGroup.nullable().default(null).describe('when the change applies their prices'),
    limitPercent: z.number().nullable().default(null).describe('highest discount without approval'),
  }),
  z.object({
    of: z.literal('goods'),
    ...asked,
    saleId: SaleId.nullable().describe('null: without a record'),
    items: z.array(z.object({ name: Names, quantity: z.int().min(1), amountCents: Cents })),
    totalCents: Cents.describe('total of the return, with tax'),
    refunds: z.array(Refunded),
    earlierCents: Cents.describe(
      'other amounts that count: earlier returns of the same sale; without a record, this person’s returns of that day',
    ),
    reason: Names.nullable().default(null).describe('why the goods are returned, as text'),
    limitCents: Cents.nullable().default(null).describe('total from which a return needs an approval'),
    brokenRules: z.array(BrokenRule).default([]).describe('rules of returns that the approval overrides'),
  }),
  z.object({ of: z.literal('cash'), ...asked, kind: CashActionKind, amountCents: Cents, reason: z.string() }),
  z.object({
    of: z.literal('drawer'),
    ...asked,
    amountCents: Cents.describe('the opening float'),
  }),
  z.object({
    of: z.literal('drawer-close'),
    ...asked,
    countedCents: Cents,
    differenceCents: Cents.nullable().describe('over or short of the cash; null while the drawer may be counted again'),
    leftCents: Cents,
    toSafeCents: Cents,
    reason: z.string().nullable(),
  }),
  z.object({ of: z.literal('paper'), ...asked, kind: DocumentKind, id: z.string() }),
  z.object({ of: z.literal('coupon'), ...asked, code: z.string(), amountCents: Cents }),
  z.object({ of: z.literal('voucher'), ...asked, kind: VoucherKind, last4: z.string(), balanceCents: Cents }),
])
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** The cashier's answer to an age check. A date of birth is checked and not stored. */
export const AgeAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('date-of-birth'), date: z.string().regex(/^\S{0,10}$/) }),
  z.object({ kind: z.literal('clearly-over') }),
  z.object({ kind: z.literal('refused') }),
])
export type AgeAnswer = z.infer<typeof AgeAnswer>

/**
 * POST /api/sales/:id/age-check: answers the check of the age that was shown; items that were added since are checked
 * next.
 */
export const AnswerAgeCheck = z.object({ minimumAge: MinimumAge, answer: AgeAnswer })
