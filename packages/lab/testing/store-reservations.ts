import type { ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { refundsOf } from './return-steps.ts'
import type { TerminalHarness } from './terminal-harness.ts'

export const ONE = [{ number: 1, quantity: 1 }]

export const commandOf = (sale: Sale, { version, refunds }: ReturnQuote) => ({
  saleId: sale.id,
  version,
  lines: ONE,
  refunds: refundsOf({ refunds }),
})
export const reservationStates = (harness: TerminalHarness): string[] =>
  harness.read<{ state: string }>('SELECT state FROM store_claim ORDER BY asked_at').map(({ state }) => state)
export const returnsOf = (sale: Sale): string =>
  `SELECT state FROM receipt_return WHERE sale_id = '${sale.id}' ORDER BY state`
