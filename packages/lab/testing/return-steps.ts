import { expect } from 'vitest'
import { ReturnQuote, SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalHarness } from './terminal-harness.ts'

/** SKUs of the training store for tests of returns; behind each, its price in dollars. */
export const DETERGENT = '1021' // 19.99, HST, household
export const COFFEE = '1010' // 14.99
export const APPLES = '1001' // 6.99
export const NOVEL = '1029' // 18.99, a book

export async function buy(
  harness: TerminalHarness,
  skus: readonly (readonly [string, number])[],
  { card, units = 0, cash = false }: { card?: string; units?: number; cash?: boolean } = {},
): Promise<Sale> {
  let sale: Sale | null = null
  for (const [sku, quantity] of skus) sale = await harness.ring(sku, quantity)
  if (card) sale = await harness.swipe(card)
  if (!sale) throw new Error('nothing was rung')
  if (units > 0)
    sale = (await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units })).body.sale
  if (sale.state === 'completed') return sale
  const tender = cash
    ? { kind: 'cash', tenderedCents: sale.totals.cashDueCents }
    : { kind: 'card', amountCents: sale.totals.dueCents, reference: 'T1' }
  return (await harness.call('POST', `/api/sales/${sale.id}/tenders`, { version: sale.version, ...tender })).body.sale
}

export const quoteOf = async (
  harness: TerminalHarness,
  sale: Sale,
  lines: object[],
  paying?: Sale,
): Promise<ReturnQuote> =>
  ReturnQuote.parse(
    (
      await harness.call('POST', '/api/returns/quote', {
        saleId: sale.id,
        lines,
        ...(paying ? { exchangeWith: paying.id } : {}),
      })
    ).body,
  )

export const refundsOf = ({ refunds }: Pick<ReturnQuote, 'refunds'>): object[] =>
  refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents }))

export async function returnPieces(
  harness: TerminalHarness,
  sale: Sale,
  ...pieces: (readonly [number, number])[]
): Promise<SaleReturn> {
  const lines = pieces.map(([number, quantity]) => ({ number, quantity }))
  const quote = await quoteOf(harness, sale, lines)
  const { status, body } = await harness.call('POST', '/api/returns', {
    saleId: sale.id,
    version: quote.version,
    lines,
    refunds: refundsOf(quote),
    cardReference: 'R1',
  })
  expect(body, `status ${status}`).toHaveProperty('return')
  return SaleReturn.parse(body['return'])
}

export const formsOf = (returned: SaleReturn): unknown[] =>
  returned.refunds.map(({ kind, amountCents, roundingCents }) => [kind, amountCents, roundingCents])
