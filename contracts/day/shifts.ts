import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { Cents } from '../core/money.ts'
import { StaffId } from '../core/ids.ts'
import { Approval } from '../sales/sale-changes.ts'
import { DENOMINATIONS } from '../core/denominations.ts'

export const ShiftId = z.int().min(1)
const Amount = Cents.refine((amount) => amount >= 0 && amount <= 10_000_000, 'an amount up to $100,000')
/** The table counts no text behind a zero byte, and no keyboard has a control character. */
const Reason = freeText({ max: 120 }).regex(/^\P{Cc}*$/u)
const Pieces = z.int().min(0).max(100_000)

/** What lies in a drawer: pieces of each coin and note by its cents, or the sum alone. */
export const CashCount = z.discriminatedUnion('by', [
  z.object({
    by: z.literal('pieces'),
    pieces: z
      .partialRecord(z.enum(DENOMINATIONS.map(String) as [string, ...string[]]), Pieces)
      .describe('pieces of each coin and note, by its worth in cents'),
  }),
  z.object({ by: z.literal('sum'), cents: Amount }),
])
export type CashCount = z.infer<typeof CashCount>

/** What is counted of a drawer; slips and cheques are null where they are not counted. */
export const DrawerCount = z.object({
  cash: CashCount,
  cardSlipsCents: Amount.nullable(),
  chequesCents: Amount.nullable(),
})
export type DrawerCount = z.infer<typeof DrawerCount>

/** POST /api/shifts */
export const OpenShift = z.object({ float: CashCount, approval: Approval.optional() })

/** What people do with cash beside sales. Paid in and paid out are with others; a drop and a pickup go to the safe. */
export const CashOrderKind = z.enum(['paid-in', 'paid-out', 'drop', 'pickup', 'no-sale'])
export type CashOrderKind = z.infer<typeof CashOrderKind>
/** A deposit is what the closing of an earlier shift takes out of the drawer of the one that is open. */
export const MovementKind = z.enum([...CashOrderKind.options, 'deposit'])
export type MovementKind = z.infer<typeof MovementKind>

/** POST /api/shifts/current/movements */
export const MoveCash = z
  .object({
    kind: CashOrderKind,
    amountCents: Amount.describe('0 of no-sale alone'),
    reason: Reason,
    approval: Approval.optional(),
  })
  .refine(({ kind, amountCents }) => (kind === 'no-sale') === (amountCents === 0), {
    path: ['amountCents'],
    message: 'an amount, but for no-sale',
  })
export type MoveCash = z.infer<typeof MoveCash>

export const CashMovement = z.object({
  id: z.int().min(1),
  kind: MovementKind,
  amountCents: Cents.describe('what was moved; 0 of no-sale; below 0 of a deposit that a recount put back'),
  at: z.string(),
  staff: z.string(),
  approvedBy: z.string().nullable(),
  reason: z.string(),
})
export type CashMovement = z.infer<typeof CashMovement>

/** POST /api/shifts/:id/counts; the first ends the custody: what is sold from then on is in another shift. */
export const CountShift = z.object({
  number: z.literal([1, 2]).default(1).describe('2: the recount. A first count that came second is no recount'),
  count: DrawerCount,
})
/** POST /api/shifts/:id/close */
export const CloseShift = z.object({
  approval: Approval.optional(),
  reason: Reason.nullable().describe('of a difference that the store does not tolerate'),
  leftCents: Amount.describe('what stays in the drawer as the next float; the rest goes to the safe'),
})

const Compared = z.object({
  expectedCents: Cents,
  countedCents: Cents.nullable().describe('null: was not counted'),
  differenceCents: Cents.describe('counted less expected: over is positive, short is negative'),
})
/** What a count came to beside what was expected. It leaves the backend once the count is final. */
export const CountResult = z.object({
  cash: Compared,
  cardSlips: Compared,
  cheques: Compared,
  number: z.int().min(1).max(2),
  needsReason: z.boolean(),
})
export type CountResult = z.infer<typeof CountResult>

/** What a count is of. */
export const CountedThing = z.enum(['cash', 'card-slips', 'cheques'])
export type CountedThing = z.infer<typeof CountedThing>

export const ShiftState = z.enum(['open', 'counted', 'closed'])

/** A shift as everybody may see it: nothing in it says what a count should come to before it is final. */
export const Shift = z.object({
  id: ShiftId,
  state: ShiftState,
  drawerOf: z.object({ id: StaffId, name: z.string() }).nullable().describe('whose own drawer; null: the lane’s'),
  openedAt: z.string(),
  openedBy: z.string(),
  floatCents: Cents,
  floatCounted: z.boolean(),
  countedAt: z.string().nullable(),
  closedAt: z.string().nullable(),
  closedBy: z.string().nullable(),
  countedCents: Cents.nullable().describe('cash, as it was counted last'),
  takenCents: Cents.describe('of what was counted, what the closing of the shift before it took to the safe since'),
  recount: z
    .array(CountedThing)
    .describe(
      'of a first count that is off by more than the store tolerates: what is, and never by how much. It may be made ' +
        'once more, or closed with a reason; empty where no recount is left',
    ),
  result: CountResult.nullable().describe('of the count that stands, once it is final: null before'),
  reason: z.string().nullable(),
  leftCents: Cents.nullable(),
  toSafeCents: Cents.nullable().describe('what its closing took to the safe'),
  zNumber: z.int().nullable(),
})
export type Shift = z.infer<typeof Shift>

/** GET /api/shifts/current: the drawer of whoever is signed in, and those that were counted and not closed yet. */
export const CurrentShift = z.object({
  shift: Shift.nullable(),
  counted: z.array(Shift),
  movements: z.array(CashMovement).describe('of the open shift, newest first'),
  mustOpen: z.boolean().describe('the store rings nothing before a float was counted'),
  suggestedFloatCents: Cents.nullable().describe('what the shift before it left, or the profile’s float'),
  perCashier: z.boolean(),
})
export type CurrentShift = z.infer<typeof CurrentShift>

/** GET /api/shifts?before=ID */
export const ShiftList = z.object({ shifts: z.array(Shift), more: z.boolean() })
