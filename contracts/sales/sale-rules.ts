import { z } from 'zod'
import { expected } from '../core/expected.ts'
import { eachLocale } from '../core/locales.ts'
import { APPROVER_ROLES, CASHIER_PERMITS, PERMITS, type PermittedAction } from '../staff/permissions.ts'

/** What a store lets its cashiers change on a sale: settings of the profile. */

export const Day = z.iso.date({ error: expected('day') })
export const Dollars = z
  .number()
  .min(0.01)
  .max(100_000)
  .refine((dollars) => Number.isInteger(Number((dollars * 100).toFixed(6))), expected('dollars'))
/** From how many years of age on something is sold. */
export const MinimumAge = z.int().min(1).max(99)
const Percent = z
  .number()
  .min(0.01)
  .max(100)
  .refine((percent) => Number.isInteger(Number((percent * 100).toFixed(6))), expected('percentage'))

const Permit = z.enum(PERMITS)
/** Who may do one thing: alone, with the PIN of one of `approvers` beside it, or never. */
export const Permission = z.strictObject({
  cashier: Permit,
  supervisor: Permit,
  manager: Permit,
  approvers: z.array(z.enum(APPROVER_ROLES)).min(1).describe('Whose PIN lets others do it'),
})
export type Permission = z.infer<typeof Permission>

/** Without drawers that somebody opens and closes there is no Z: a manager always may. */
const MANAGER_MAY = Permit.exclude(['never'])

/** What an entry of the table leaves out is as the store would have it without the entry. */
const permission = (cashier: z.infer<typeof Permit>, manager: typeof Permit | typeof MANAGER_MAY = Permit) =>
  z
    .strictObject({
      cashier: Permit.default(cashier),
      supervisor: Permit.default('alone'),
      manager: manager.default('alone'),
      approvers: Permission.shape.approvers.default([...APPROVER_ROLES]),
    })
    .prefault({})

/** What each role may do: alone, with somebody's approval, or never. */
export const ApprovalSettings = z.strictObject({
  discountAbovePercent: z
    .number()
    .min(0)
    .max(100)
    .default(10)
    .describe(
      'Of the regular price of any one item: what anybody may take off it by hand. More is the action `discount`. ' +
        '100: everything',
    ),
  returnFromDollars: Dollars.optional().describe(
    'A return is the action `return` where all returns of its sale come to this much or more; without a record, ' +
      'where those of one person on one day do. Left out: every return is',
  ),
  actions: z
    .strictObject({
      discount: permission(CASHIER_PERMITS.discount),
      price: permission(CASHIER_PERMITS.price),
      exemption: permission(CASHIER_PERMITS.exemption),
      'line-void': permission(CASHIER_PERMITS['line-void']),
      'sale-void': permission(CASHIER_PERMITS['sale-void']),
      hold: permission(CASHIER_PERMITS.hold),
      'gift-card-sale': permission(CASHIER_PERMITS['gift-card-sale']),
      return: permission(CASHIER_PERMITS.return),
      'return-unrecorded': permission(CASHIER_PERMITS['return-unrecorded']),
      'voucher-reprint': permission(CASHIER_PERMITS['voucher-reprint']),
      'receipt-reprint': permission(CASHIER_PERMITS['receipt-reprint']),
      'no-sale': permission(CASHIER_PERMITS['no-sale']),
      'paid-in': permission(CASHIER_PERMITS['paid-in']),
      'paid-out': permission(CASHIER_PERMITS['paid-out']),
      drop: permission(CASHIER_PERMITS.drop),
      pickup: permission(CASHIER_PERMITS.pickup),
      'drawer-open': permission(CASHIER_PERMITS['drawer-open'], MANAGER_MAY),
      'drawer-close': permission(CASHIER_PERMITS['drawer-close'], MANAGER_MAY),
    } satisfies Record<PermittedAction, unknown>)
    .prefault({}),
})
export type ApprovalSettings = z.infer<typeof ApprovalSettings>

/** A coupon that the store takes: once a sale, by scan or by key. Neither sku nor department: on the whole sale. */
export const Coupon = z.strictObject({
  code: z
    .string()
    .regex(/^[!-~]{3,64}$/, expected('couponCode'))
    .describe('What its barcode says, and what is typed; capitals make no difference'),
  name: eachLocale(z.string().min(1).max(60)),
  percent: Percent.optional().describe(
    'Neither percent nor dollars: a coupon of miles alone, of which the program is told',
  ),
  dollars: Dollars.optional(),
  sku: z.string().min(1).max(40).optional(),
  department: z.string().min(1).optional(),
  minimumDollars: Dollars.optional().describe('What it reaches must come to this before tax'),
  from: Day.optional().describe('First day, store time'),
  until: Day.optional().describe('Last day, store time'),
})
export type Coupon = z.infer<typeof Coupon>
