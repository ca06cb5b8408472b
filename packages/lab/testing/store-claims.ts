import type { ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { refundsOf } from './return-steps.ts'
import type { TerminalHarness } from './terminal-harness.ts'

/** One piece of the first line. */
export const ONE = [{ number: 1, quantity: 1 }]

/** The return of that piece, as a screen requests it by its quote. */
export const commandOf = (sale: Sale, { version, refunds }: ReturnQuote) => ({
  saleId: sale.id,
  version,
  lines: ONE,
  refunds: refundsOf({ refunds }),
})
/** States of the lane's claims at its store, oldest first. */
export const claimsOf = (harness: TerminalHarness): string[] =>
  harness.read<{ state: string }>('SELECT state FROM store_claim ORDER BY asked_at').map(({ state }) => state)
/** A query for the states of a sale's claims and returns at the server. */
export const returnsOf = (sale: Sale): string =>
  `SELECT state FROM receipt_return WHERE sale_id = '${sale.id}' ORDER BY state`
