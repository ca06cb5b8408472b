/**
 * Permissions of roles by action. Only data, so that screens can import it; the schema of the profile's table is in
 * `contracts/sales/sale-rules.ts`.
 */
export const PERMITS = ['alone', 'with-approval', 'never'] as const
export type Permit = (typeof PERMITS)[number]

export const ROLES = ['cashier', 'supervisor', 'manager'] as const
export const APPROVER_ROLES = ['supervisor', 'manager'] as const

/** All actions, each with a cashier's default permission. By default, other roles may do every action alone. */
export const CASHIER_PERMITS = {
  discount: 'with-approval',
  price: 'with-approval',
  'weight-typed': 'with-approval',
  exemption: 'with-approval',
  'staff-price': 'with-approval',
  'seniors-price': 'alone',
  'line-void': 'alone',
  'sale-void': 'alone',
  hold: 'alone',
  'gift-card-sale': 'alone',
  empties: 'with-approval',
  'coupon-value': 'with-approval',
  'gift-card-cash-out': 'alone',
  'price-accuracy': 'alone',
  return: 'alone',
  'return-unrecorded': 'with-approval',
  'return-override': 'with-approval',
  'voucher-reprint': 'with-approval',
  'receipt-reprint': 'alone',
  'no-sale': 'alone',
  'paid-in': 'alone',
  'paid-out': 'with-approval',
  drop: 'alone',
  pickup: 'with-approval',
  'drawer-open': 'alone',
  'drawer-close': 'alone',
} as const satisfies Record<string, Permit>
export type PermittedAction = keyof typeof CASHIER_PERMITS
export const PERMITTED_ACTIONS = Object.keys(CASHIER_PERMITS) as readonly PermittedAction[]
