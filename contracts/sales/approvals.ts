import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { Names } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { APPROVER_ROLES } from '../staff/permissions.ts'
import { DocumentKind } from '../core/receipt.ts'
import { RefundKind } from '../payments/returns.ts'
import { ApprovalAction, ApprovalTerms, DiscountReason, Exemption } from './sale-changes.ts'
import { CashOrderKind } from '../day/shifts.ts'
import { VoucherKind } from '../payments/vouchers.ts'
import { MinimumAge } from './sale-rules.ts'

const asked = {
  action: ApprovalAction,
  covers: ApprovalTerms,
  approvers: z.array(z.enum(APPROVER_ROLES)).describe('whose PIN does'),
}
const Refunded = z.object({ kind: RefundKind, amountCents: Cents })

/**
 * What a supervisor is asked to approve, as the backend would do it: it comes with the problem `approval-required`, and
 * the approval that follows names it by `covers`. A sale that has changed meanwhile is another request.
 */
export const ApprovalRequest = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('sale'),
    ...asked,
    saleId: SaleId,
    /**
     * Every line that the change touches. Amounts before tax; `beforeCents` and `afterCents` with everything taken off.
     */
    items: z.array(
      z.object({
        number: z.int().min(1),
        name: Names,
        quantityBefore: z.int().min(0),
        quantityAfter: z.int().min(0),
        regularCents: Cents.describe('what so many pieces cost at the catalog’s price'),
        beforeCents: Cents,
        afterCents: Cents,
      }),
    ),
    total: z
      .object({ beforeCents: Cents, afterCents: Cents })
      .nullable()
      .describe('of the sale, with tax, where the change is of the sale as a whole'),
    reason: DiscountReason.nullable().default(null).describe('of a discount by hand or a price change'),
    exemption: Exemption.nullable().default(null).describe('where the change is another exemption'),
    limitPercent: z.number().nullable().default(null).describe('up to which a discount needs no approval'),
  }),
  z.object({
    of: z.literal('goods'),
    ...asked,
    saleId: SaleId.nullable().describe('null: without a record'),
    items: z.array(z.object({ name: Names, quantity: z.int().min(1), amountCents: Cents })),
    totalCents: Cents.describe('what goes back, with tax'),
    refunds: z.array(Refunded),
    earlierCents: Cents.describe(
      'what counts beside it: earlier returns of the same sale; without a record, what this person took back that day',
    ),
    reason: Names.nullable().default(null).describe('why the goods come back, in words'),
    limitCents: Cents.nullable().default(null).describe('from which sum on a return needs an approval'),
  }),
  z.object({ of: z.literal('cash'), ...asked, kind: CashOrderKind, amountCents: Cents, reason: z.string() }),
  z.object({
    of: z.literal('drawer'),
    ...asked,
    amountCents: Cents.describe('the float it opens with'),
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
  z.object({ of: z.literal('voucher'), ...asked, kind: VoucherKind, last4: z.string(), balanceCents: Cents }),
])
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** What the cashier answers. A date of birth is looked at and kept nowhere. */
export const AgeAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('date-of-birth'), date: z.string().regex(/^\S{0,10}$/) }),
  z.object({ kind: z.literal('clearly-over') }),
  z.object({ kind: z.literal('refused') }),
])
export type AgeAnswer = z.infer<typeof AgeAnswer>

/** POST /api/sales/:id/age-check: of the age that was asked for; an item that came meanwhile is asked for after it. */
export const AnswerAgeCheck = z.object({ minimumAge: MinimumAge, answer: AgeAnswer })
