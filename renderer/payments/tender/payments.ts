import type { PaymentKind } from '../../../contracts/payments/tenders/registry.ts'
import type { TenderRequest } from '../../core/api/terminal-api.ts'

/** What is typed of a payment; the version of the sale goes with it. */
export type Payment = TenderRequest extends infer Request
  ? Request extends object
    ? Omit<Request, 'version'>
    : never
  : never

/** The key of each way to pay that a panel of its own takes. */
export const PAYMENT_KEYS = {
  cash: 'F6',
  card: 'F7',
  'card-terminal': 'F7',
  cheque: 'Ctrl+F7',
  voucher: 'Shift+F7',
} as const satisfies Record<PaymentKind, string>

export const PAYMENTS = Object.keys(PAYMENT_KEYS) as readonly PaymentKind[]
export const isPayment = (stage: string): stage is PaymentKind => stage in PAYMENT_KEYS
/** Of a terminal that has not said yet what its store accepts. */
export const NO_PAYMENTS: readonly PaymentKind[] = []
