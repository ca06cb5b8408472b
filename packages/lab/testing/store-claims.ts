import type { ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { shown } from './returning.ts'
import type { TerminalHarness } from './terminal-harness.ts'

/** One piece of the first line. */
export const ONE = [{ number: 1, quantity: 1 }]

/** The return of that piece, as a screen asks for it by its quote. */
export const commandOf = (sale: Sale, { version, refunds }: ReturnQuote) => ({
  saleId: sale.id,
  version,
  lines: ONE,
  refunds: shown({ refunds }),
})
/** How what a lane asked of its store stands, oldest first. */
export const claimsOf = (harness: TerminalHarness): string[] =>
  harness.read<{ state: string }>('SELECT state FROM store_claim ORDER BY asked_at').map(({ state }) => state)
/** How the claims and returns of a sale stand at the server, for a query. */
export const returnsOf = (sale: Sale): string =>
  `SELECT state FROM receipt_return WHERE sale_id = '${sale.id}' ORDER BY state`
