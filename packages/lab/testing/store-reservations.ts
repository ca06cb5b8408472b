import type { ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { refundsOf } from './return-steps.ts'
import type { TerminalHarness } from './terminal-harness.ts'

/** One piece of the first line of a sale, to return. */
export const ONE = [{ number: 1, quantity: 1 }]

/** Builds the request that returns this piece, as a screen sends it after a quote. */
export const commandOf = (sale: Sale, { version, refunds }: ReturnQuote) => ({
  saleId: sale.id,
  version,
  lines: ONE,
  refunds: refundsOf({ refunds }),
})
/** Returns the states of the lane’s reservations at the store server, oldest first. */
export const reservationStates = (harness: TerminalHarness): string[] =>
  harness.read<{ state: string }>('SELECT state FROM store_claim ORDER BY asked_at').map(({ state }) => state)
/** Query for the states of a sale’s reservations and returns in the store server’s database. */
export const returnsOf = (sale: Sale): string =>
  `SELECT state FROM receipt_return WHERE sale_id = '${sale.id}' ORDER BY state`
