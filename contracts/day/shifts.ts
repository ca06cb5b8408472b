import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { Cents, cents } from '../core/money.ts'
import { StaffId } from '../core/ids.ts'
import { Approval } from '../sales/sale-changes.ts'
import { DENOMINATIONS } from '../core/denominations.ts'

export const ShiftId = z.int().min(1)
const Amount = Cents.refine((amount) => amount >= 0 && amount <= 10_000_000, 'an amount up to $100,000')
/** Control characters are refused: the length check of the table stops at a zero byte, and no keyboard types them. */
const Reason = freeText({ max: 120 }).regex(/^\P{Cc}*$/u)
const Pieces = z.int().min(0).max(100_000)

/** Cash in a drawer: the number of pieces of each coin and note by its value in cents, or only the sum. */
export const CashCount = z.discriminatedUnion('by', [
  z.object({
    by: z.literal('pieces'),
    pieces: z
      .partialRecord(z.enum(DENOMINATIONS.map(String) as [string, ...string[]]), Pieces)
      .describe('pieces of each coin and note, by its value in cents'),
  }),
  z.object({ by: z.literal('sum'), cents: Amount }),
])
export type CashCount = z.infer<typeof CashCount>

/** A count of a drawer. Card slips, cheques and manufacturers' coupons are null if they are not counted. */
export const DrawerCount = z.object({
  cash: CashCount,
  cardSlipsCents: Amount.nullable(),
  chequesCents: Amount.nullable(),
  couponsCents: Amount.nullable().default(null),
})
export type DrawerCount = z.infer<typeof DrawerCount>

export const OpenShift = z.object({ float: CashCount, approval: Approval.optional() })

/**
 * Cash movements that a person makes. Cash paid in or paid out is exchanged with people outside; a drop and a pickup go
 * to the safe.
 */
export const CashActionKind = z.enum(['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale'])
export type CashActionKind = z.infer<typeof CashActionKind>
/**
 * deposit: correction of the open shift when an earlier shift of the same drawer is closed, by the cash that then goes
 * to the safe or that a recount found.
 */
export const MovementKind = z.enum([...CashActionKind.options, 'deposit'])
export type MovementKind = z.infer<typeof MovementKind>

export const MoveCash = z
  .object({
    kind: CashActionKind,
    amountCents: Amount.describe('0 only for no-sale'),
    reason: Reason,
    approval: Approval.optional(),
  })
  .refine(({ kind, amountCents }) => (kind === 'no-sale') === (amountCents === 0), {
    path: ['amountCents'],
    message: 'an amount, except for no-sale',
  })
export type MoveCash = z.infer<typeof MoveCash>

export const CashMovement = z.object({
  id: z.int().min(1),
  kind: MovementKind,
  amountCents: Cents.describe('amount moved; 0 for no-sale; negative for a deposit that a recount put back'),
  at: z.string(),
  staff: z.string(),
  approvedBy: z.string().nullable(),
  reason: z.string(),
})
export type CashMovement = z.infer<typeof CashMovement>

/** POST /api/shifts/:id/counts records a count. The first count ends the custody: later sales are in another shift. */
export const CountShift = z.object({
  number: z.literal([1, 2]).default(1).describe('2: the recount. A first count that arrives second is not a recount'),
  count: DrawerCount,
})
export const CloseShift = z.object({
  approval: Approval.optional(),
  reason: Reason.nullable().describe("for a difference above the store's tolerance"),
  leftCents: Amount.describe('cash left as the next float; the rest goes to the safe'),
})

const Compared = z.object({
  expectedCents: Cents,
  countedCents: Cents.nullable().describe('null: was not counted'),
  differenceCents: Cents.describe('counted less expected: over is positive, short is negative'),
})
/**
 * A count compared with the expected amount. It is returned only once the count is final, so that a cashier cannot
 * count to the expected sum.
 */
export const CountResult = z.object({
  cash: Compared,
  cardSlips: Compared,
  cheques: Compared,
  coupons: Compared.default({ expectedCents: cents(0), countedCents: null, differenceCents: cents(0) }),
  number: z.int().min(1).max(2),
  needsReason: z.boolean(),
})
export type CountResult = z.infer<typeof CountResult>

export const CountedThing = z.enum(['cash', 'card-slips', 'cheques', 'coupons'])
export type CountedThing = z.infer<typeof CountedThing>

export const ShiftState = z.enum(['open', 'counted', 'closed'])

/** A shift as every cashier may see it: without expected amounts until its count is final. */
export const Shift = z.object({
  id: ShiftId,
  state: ShiftState,
  drawerOf: z.object({ id: StaffId, name: z.string() }).nullable().describe('the owner of a drawer; null: the lane’s'),
  openedAt: z.string(),
  openedBy: z.string(),
  floatCents: Cents,
  floatCounted: z.boolean(),
  countedAt: z.string().nullable(),
  closedAt: z.string().nullable(),
  closedBy: z.string().nullable(),
  countedCents: Cents.nullable().describe('cash of the latest count'),
  takenCents: Cents.describe(
    'cash moved to the safe since, by the closing of the previous shift, that was part of the count',
  ),
  recount: z
    .array(CountedThing)
    .describe(
      "for a first count beyond the store's tolerance: the wrong amounts, without the difference. It may be counted " +
        'once more, or closed with a reason; empty without a recount left',
    ),
  result: CountResult.nullable().describe('of the final count; null before'),
  reason: z.string().nullable(),
  leftCents: Cents.nullable(),
  toSafeCents: Cents.nullable().describe('cash that its closing moved to the safe'),
  zNumber: z.int().nullable(),
})
export type Shift = z.infer<typeof Shift>

/**
 * GET /api/shifts/current returns the open shift of the signed-in person's drawer, and the shifts of all drawers that
 * were counted and not closed yet.
 */
export const CurrentShift = z.object({
  shift: Shift.nullable(),
  counted: z.array(Shift),
  movements: z.array(CashMovement).describe('of the open shift, newest first'),
  mustOpen: z.boolean().describe('the store requires a counted float before a sale'),
  suggestedFloatCents: Cents.nullable().describe('cash left by the previous shift, or the profile’s float'),
  perCashier: z.boolean(),
})
export type CurrentShift = z.infer<typeof CurrentShift>

export const ShiftList = z.object({ shifts: z.array(Shift), more: z.boolean() })
