import { z } from 'zod'
import { expected } from '../core/expected.ts'
import { eachLocale } from '../core/locales.ts'
import { APPROVER_ROLES, CASHIER_PERMITS, PERMITS, type PermittedAction } from '../staff/permissions.ts'

/** Rules of a store for changes to a sale: settings of the profile. */

export const Day = z.iso.date({ error: expected('day') })
export const Dollars = z
  .number()
  .min(0.01)
  .max(100_000)
  .refine((dollars) => Number.isInteger(Number((dollars * 100).toFixed(6))), expected('dollars'))
/** Minimum age of the buyer, in years. */
export const MinimumAge = z.int().min(1).max(99)
const Percent = z
  .number()
  .min(0.01)
  .max(100)
  .refine((percent) => Number.isInteger(Number((percent * 100).toFixed(6))), expected('percentage'))

const Permit = z.enum(PERMITS)
/** Permission of each role for one action: alone, with the PIN of one of `approvers`, or never. */
export const Permission = z.strictObject({
  cashier: Permit,
  supervisor: Permit,
  manager: Permit,
  approvers: z.array(z.enum(APPROVER_ROLES)).min(1).describe('Roles whose PIN approves it'),
})
export type Permission = z.infer<typeof Permission>

/** A manager may always open and close drawers: without that, no Z report can be made. */
const MANAGER_MAY = Permit.exclude(['never'])

/** Schema of a permission. Fields that it omits have the defaults of an omitted permission. */
const permission = (cashier: z.infer<typeof Permit>, manager: typeof Permit | typeof MANAGER_MAY = Permit) =>
  z
    .strictObject({
      cashier: Permit.default(cashier),
      supervisor: Permit.default('alone'),
      manager: manager.default('alone'),
      approvers: Permission.shape.approvers.default([...APPROVER_ROLES]),
    })
    .prefault({})

/** By default, only a manager overrides a rule of returns. */
const overridden = z
  .strictObject({
    cashier: Permit.default(CASHIER_PERMITS['return-override']),
    supervisor: Permit.default('with-approval'),
    manager: Permit.default('alone'),
    approvers: Permission.shape.approvers.default(['manager']),
  })
  .prefault({})

export const ApprovalSettings = z.strictObject({
  discountAbovePercent: z
    .number()
    .min(0)
    .max(100)
    .default(10)
    .describe(
      'Largest manual discount on the regular price of one item. More is the action `discount`. 100: everything',
    ),
  returnFromDollars: Dollars.optional().describe(
    'Total of all returns of a sale from which a return is the action `return`; without a record, ' +
      'total of one person on one day. Left out: every return is',
  ),
  actions: z
    .strictObject({
      discount: permission(CASHIER_PERMITS.discount),
      price: permission(CASHIER_PERMITS.price),
      'weight-typed': permission(CASHIER_PERMITS['weight-typed']),
      exemption: permission(CASHIER_PERMITS.exemption),
      'staff-price': permission(CASHIER_PERMITS['staff-price']),
      'seniors-price': permission(CASHIER_PERMITS['seniors-price']),
      'line-void': permission(CASHIER_PERMITS['line-void']),
      'sale-void': permission(CASHIER_PERMITS['sale-void']),
      hold: permission(CASHIER_PERMITS.hold),
      'gift-card-sale': permission(CASHIER_PERMITS['gift-card-sale']),
      empties: permission(CASHIER_PERMITS.empties),
      'coupon-value': permission(CASHIER_PERMITS['coupon-value']),
      'gift-card-cash-out': permission(CASHIER_PERMITS['gift-card-cash-out']),
      'price-accuracy': permission(CASHIER_PERMITS['price-accuracy']),
      return: permission(CASHIER_PERMITS.return),
      'return-unrecorded': permission(CASHIER_PERMITS['return-unrecorded']),
      'return-override': overridden,
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

/**
 * A coupon that the store accepts: once per sale, scanned or typed. Without sku and department, it applies to the whole
 * sale.
 */
export const Coupon = z.strictObject({
  code: z
    .string()
    .regex(/^[!-~]{3,64}$/, expected('couponCode'))
    .describe('Content of its barcode, and what is typed; not case-sensitive'),
  name: eachLocale(z.string().min(1).max(60)),
  percent: Percent.optional().describe(
    'Neither percent nor dollars: a coupon of miles alone, which is reported to the program',
  ),
  dollars: Dollars.optional(),
  sku: z.string().min(1).max(40).optional(),
  department: z.string().min(1).optional(),
  minimumDollars: Dollars.optional().describe('Least amount of its items before tax'),
  from: Day.optional().describe('First day, store time'),
  until: Day.optional().describe('Last day, store time'),
})
export type Coupon = z.infer<typeof Coupon>
