import type { AddTender } from '../../contracts/tenders/registry.ts'

/** A way to pay that a panel of its own takes. */
export type Payment = AddTender['kind']

/** The key of each. */
export const PAYMENT_KEYS = {
  cash: 'F6',
  card: 'F7',
  voucher: 'Shift+F7',
} as const satisfies Record<Payment, string>

export const PAYMENTS = Object.keys(PAYMENT_KEYS) as readonly Payment[]
export const isPayment = (stage: string): stage is Payment => stage in PAYMENT_KEYS
/** Of a terminal that has not said yet what its store accepts. */
export const NO_PAYMENTS: readonly Payment[] = []
