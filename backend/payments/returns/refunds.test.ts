import { describe, expect, test } from 'vitest'
import type { Queue } from '../../../contracts/loyalty/queue.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { approved } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import {
  APPLES,
  buy,
  DETERGENT,
  formsOf,
  returnPieces,
  NOVEL,
  quoteOf,
} from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()
const FINE = '80000000011'
const total = async (collector = FINE): Promise<number> => {
  const { cash, dream } = await central.balances(collector)
  return cash + dream
}
const DAY = 24 * 3_600_000
const taxRows = (document: string): string[] =>
  ReceiptDocument.parse(JSON.parse(document)).blocks.flatMap((block) =>
    block.kind === 'row' && block.left.includes('%') ? [`${block.left} ${block.right}`] : [],
  )
const issued = (harness: TerminalHarness, sale: Sale): Promise<Sale> =>
  harness.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')

describe('the refunds of a return', () => {
  test('in cash are rounded to five cents for each third of a sale, and in total equal the payment', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 3]], { cash: true })
    expect(sale.tenders[0]).toMatchObject({ tenderedCents: 6775, changeCents: 0, amountCents: 6777 })
    const thirds = [
      await returnPieces(harness, sale, [1, 1]),
      await returnPieces(harness, sale, [1, 1]),
      await returnPieces(harness, sale, [1, 1]),
    ]
    expect(thirds.flatMap(formsOf)).toEqual([
      ['cash', 2259, 1],
      ['cash', 2259, 1],
      ['cash', 2259, -4],
    ])
  })

  test('use the taxes of the sale after the profile has changed', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 1]])
    await harness.close()
    const changed = await openTerminalHarness(central, {
      folder: harness.folder,
      taxes: [{ code: 'HST', percent: 15 }],
    })
    const returned = await returnPieces(changed, sale, [1, 1])
    expect(returned.totals).toEqual({
      subtotalCents: 1999,
      taxes: [{ code: 'HST', amountCents: 260 }],
      totalCents: 2259,
    })
    expect((await changed.ring(DETERGENT)).totals.totalCents, 'a new sale goes by the new rate').toBe(2299)
  })

  test('still contain the federal part of HST for a book after the store has switched to GST and PST', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [
      [NOVEL, 1],
      [DETERGENT, 1],
    ])
    await harness.close()
    const changed = await openTerminalHarness(central, {
      folder: harness.folder,
      taxes: [
        { code: 'GST', percent: 5 },
        { code: 'PST', percent: 7 },
      ],
    })
    await changed.call('POST', `/api/sales/${sale.id}/reprint`)
    const [original, copy] = changed
      .read<{ document: string }>(`SELECT document FROM print_job WHERE sale_id = '${sale.id}' ORDER BY copy`)
      .map(({ document }) => taxRows(document))
    expect(original).toHaveLength(2)
    expect(copy).toEqual(original)
    const returned = await returnPieces(changed, sale, [1, 1])
    expect(returned.totals).toEqual({
      subtotalCents: 1899,
      taxes: [
        { code: 'HST', amountCents: 0 },
        { code: 'HST-FEDERAL', amountCents: 95 },
      ],
      totalCents: 1994,
    })
    expect(returned.lines[0]?.taxCodes).toEqual(['HST-FEDERAL'])
    expect((await changed.call('GET', `/api/sales/earlier?q=${sale.id}`)).body).toMatchObject({
      sales: [{ totalCents: sale.totals.totalCents }],
    })
  })

  test('have a reason for each form in the quote, which also has the end of the reversal window', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(
      harness,
      [
        [DETERGENT, 2],
        [APPLES, 1],
      ],
      { card: 'fine', units: 4 },
    )
    expect((await quoteOf(harness, sale, [{ number: 2, quantity: 1 }])).milesTaken?.certainty).toMatch(/later|exact/)
    const earned = (await issued(harness, sale)).issuance?.miles ?? 0
    const quote = await quoteOf(harness, sale, [{ number: 2, quantity: 1 }])
    expect(quote.refunds.map(({ kind, why }) => [kind, why])).toEqual([['card', 'paid-by-card']])
    expect(quote.milesTaken, 'as the program itself calculates it').toMatchObject({ certainty: 'exact' })
    const more = await quoteOf(harness, sale, [{ number: 1, quantity: 1 }])
    expect(more.refunds.map(({ kind, why }) => [kind, why])).toEqual([
      ['card', 'paid-by-card'],
      ['store-credit', 'miles-part'],
    ])
    const all = await quoteOf(harness, sale, [
      { number: 1, quantity: 2 },
      { number: 2, quantity: 1 },
    ])
    expect(all.refunds.map(({ kind, why }) => [kind, why])).toEqual([
      ['card', 'paid-by-card'],
      ['miles', 'miles-whole'],
    ])
    expect(all.milesTaken).toEqual({ certainty: 'exact', miles: earned })
    expect(all.reversible).toMatchObject({ miles: 380, amountCents: 4000 })
    expect(
      new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto', timeStyle: 'medium', hour12: false }).format(
        new Date(all.reversible?.closesAt ?? ''),
      ),
    ).toBe('03:00:00')
  })

  test('reverse the redemption when all goods are returned, and the account gets its earlier balance', async () => {
    const harness = await openTerminalHarness(central)
    const before = await total()
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(harness, sale)
    const returned = await returnPieces(harness, sale, [1, 1])
    expect(formsOf(returned)).toEqual([
      ['card', 259, 0],
      ['miles', 2000, 0],
    ])
    expect(returned.refunds[1]?.reference).toBe(sale.redemption?.confirmationNumber)
    await harness.untilOperation('redeem', 'reversed')
    await harness.untilOperation('return', 'confirmed')
    expect(await total()).toBe(before)
    expect(await central.requests(CASH_PATHS.reverse)).toHaveLength(1)
  })

  test('give store credit for a portion of a payment with miles, and keep the redemption', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await buy(harness, [[DETERGENT, 2]], { card: 'fine', units: 4 })
    const returned = await returnPieces(harness, sale, [1, 1])
    expect(formsOf(returned)).toEqual([
      ['card', 518, 0],
      ['store-credit', 1741, 0],
    ])
    const [credit] = returned.vouchers
    expect(returned.refunds[1]?.reference, 'what is shown of it is its last four').toBe(credit?.last4)
    expect(credit).toMatchObject({ kind: 'store-credit', balanceCents: 1741 })
    await harness.printed(credit?.id ?? '')
    const { body } = await approved(harness, 'POST', `/api/vouchers/${credit?.id}/reprint`, {})
    expect(body['print']).toBe('queued')
    expect(harness.read("SELECT subject FROM audit_entry WHERE kind = 'receipt-reprinted'")).toEqual([
      { subject: credit?.id },
    ])
    expect(
      formsOf(await returnPieces(harness, sale, [1, 1])),
      'a portion is gone as store credit: it can no longer be reversed whole',
    ).toEqual([['store-credit', 2259, 0]])
    expect(await central.requests(CASH_PATHS.reverse)).toEqual([])
    expect(
      harness
        .operations()
        .filter(({ type }) => type === 'redeem')
        .map(({ state }) => state),
    ).toEqual(['approved'])
  })

  test('give store credit for miles after 03:00 of the next day, without sending REVERSE', async () => {
    const clock = testClock(new Date().toISOString())
    const harness = await openTerminalHarness(central, { clock })
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(harness, sale)
    clock.advance(2 * DAY)
    await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
    expect(formsOf(await returnPieces(harness, sale, [1, 1]))).toEqual([
      ['card', 259, 0],
      ['store-credit', 2000, 0],
    ])
    expect(await central.requests(CASH_PATHS.reverse)).toEqual([])
  })

  test('give store credit once if the service reports that the reversal window has closed (0080)', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const sale = await buy(harness, [[DETERGENT, 1]], { card: 'fine', units: 2 })
    await issued(harness, sale)
    await central.moveClock(2 * DAY)
    const returned = await returnPieces(harness, sale, [1, 1])
    expect(formsOf(returned)[1]).toEqual(['miles', 2000, 0])
    await harness.untilOperation('redeem', 'reversal-expired')
    expect(harness.read('SELECT amount_cents, return_id FROM voucher_entry')).toEqual([
      { amount_cents: 2000, return_id: returned.id },
    ])
    expect(
      harness.read(
        "SELECT count(*) AS documents FROM print_job WHERE voucher_id IS NOT NULL AND document LIKE '%20.00%'",
      ),
    ).toEqual([{ documents: 1 }])
    const listed = (await harness.call('GET', '/api/queue')).body['entries'] as Queue['entries']
    expect(listed.filter(({ state }) => state === 'reversal-expired')).toMatchObject([
      { attention: true, todo: { 'en-CA': expect.stringContaining('nothing else') } },
    ])
  })
})
