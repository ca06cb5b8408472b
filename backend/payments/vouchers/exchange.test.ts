import { describe, expect, test } from 'vitest'
import { SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { APPLES, buy, DETERGENT, quoteOf, refundsOf } from '../../../packages/lab/testing/return-steps.ts'
import { codesOf, giftCard, payCash, present } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()

describe('an exchange', () => {
  const exchanged = async (harness: TerminalHarness, sale: Sale, open: Sale, pieces: readonly [number, number]) => {
    const lines = [{ number: pieces[0], quantity: pieces[1] }]
    const quote = await quoteOf(harness, sale, lines, open)
    return {
      quote,
      command: {
        saleId: sale.id,
        version: quote.version,
        lines,
        refunds: refundsOf(quote),
        cardReference: 'R1',
        exchange: quote.exchange && { saleId: quote.exchange.saleId, version: quote.exchange.version },
      },
    }
  }

  test('pays the open sale of cheaper goods entirely, and refunds the difference to the original card', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]])
    const { quote, command } = await exchanged(harness, sale, await harness.ring(APPLES), [1, 1])
    expect(quote).toMatchObject({
      exchange: { paysCents: 699, dueCents: 0 },
      refunds: [
        { kind: 'card', amountCents: 1560 },
        { kind: 'store-credit', paidBy: 'card', amountCents: 699, why: 'exchange' },
      ],
    })
    const returned = SaleReturn.parse((await harness.call('POST', '/api/returns', command)).body['return'])
    expect(returned.vouchers).toMatchObject([{ balanceCents: 0 }])
    expect(await harness.current(), 'the second sale is complete').toBeNull()
    expect(harness.read('SELECT kind, amount_cents FROM tender WHERE voucher_id IS NOT NULL')).toEqual([
      { kind: 'store-credit', amount_cents: 699 },
    ])
    expect(
      harness.read('SELECT count(*) AS documents FROM print_job WHERE voucher_id IS NOT NULL'),
      'nothing is left that a paper could pay with',
    ).toEqual([{ documents: 0 }])
  })

  test('pays the goods of the open sale and not its gift card, and is refused for a gift card alone', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]])
    const card = await giftCard(harness, 500)
    const lines = [{ number: 1, quantity: 1 }]
    expect(await harness.refused('POST', '/api/returns/quote', { saleId: sale.id, lines, exchangeWith: card.id })).toBe(
      'store-credit-pays-goods',
    )
    const { quote, command } = await exchanged(harness, sale, await harness.ring(APPLES), [1, 1])
    expect(quote).toMatchObject({
      exchange: { paysCents: 699, dueCents: 500 },
      refunds: [
        { kind: 'card', amountCents: 1560 },
        { kind: 'store-credit', amountCents: 699 },
      ],
    })
    expect((await harness.call('POST', '/api/returns', command)).status).toBe(200)
    expect((await harness.current())?.totals.dueCents).toBe(500)
  })

  test('changes nothing when the open sale has changed since the quote', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]])
    const { command } = await exchanged(harness, sale, await harness.ring(APPLES), [1, 1])
    await harness.ring(APPLES)
    expect(await harness.refused('POST', '/api/returns', command)).toMatch(/sale-stale|return-changed/)
    expect(harness.read('SELECT id FROM sale_return UNION SELECT id FROM voucher')).toEqual([])
  })

  test('gives redeemed miles back to the collector, and pays the open sale with the portion paid by card', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    const { quote, command } = await exchanged(harness, sale, await harness.ring(APPLES), [1, 1])
    expect(quote).toMatchObject({
      exchange: { paysCents: 259, dueCents: 440 },
      refunds: [
        { kind: 'store-credit', paidBy: 'card', amountCents: 259 },
        { kind: 'miles', amountCents: 2000 },
      ],
    })
    expect((await harness.call('POST', '/api/returns', command)).status).toBe(200)
    expect((await harness.current())?.totals.dueCents).toBe(440)
  })

  test('leaves a store credit with a document when the open sale is cancelled', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]])
    const { command } = await exchanged(harness, sale, await harness.ring(DETERGENT, 2), [1, 1])
    const [voucher] = SaleReturn.parse((await harness.call('POST', '/api/returns', command)).body['return']).vouchers
    expect(harness.read('SELECT id FROM print_job WHERE voucher_id IS NOT NULL')).toEqual([])
    const open = await harness.current()
    await harness.call('POST', `/api/sales/${open?.id}/cancel`, { version: open?.version })
    await harness.printed(voucher?.id ?? '')
    expect(codesOf(harness)).toHaveLength(1)
    expect((await present(harness, codesOf(harness)[0] ?? '')).balanceCents).toBe(2259)
  })

  test('refunds the exact price of goods from a rounded cash sale, in exchange and later in cash', async () => {
    const harness = await openTerminalHarness(central)
    // The goods cost 3 × 6.99 = 20.97; in cash, that is rounded to 20.95.
    const sale = await payCash(harness, await harness.ring(APPLES, 3))
    const { command } = await exchanged(harness, sale, await harness.ring(DETERGENT, 1), [1, 2])
    expect((await harness.call('POST', '/api/returns', command)).status).toBe(200)
    expect((await harness.current())?.totals.dueCents).toBe(2259 - 1398)
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(harness, sale, lines)
    expect(quote.refunds).toMatchObject([{ kind: 'cash', amountCents: 699, roundingCents: 1 }])
    expect(
      (
        await harness.call('POST', '/api/returns', {
          saleId: sale.id,
          version: quote.version,
          lines,
          refunds: refundsOf(quote),
        })
      ).status,
    ).toBe(200)
  })
})
