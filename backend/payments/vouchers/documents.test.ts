import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UnprintedDocuments } from '../../../contracts/day/search.ts'
import { ReturnQuote, type SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { VoucherDocuments, type VoucherDocument } from '../../../contracts/payments/vouchers.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { voucherCodeOf } from '../../core/scan-codes.ts'
import { openDatabase } from '../../core/db/database.ts'
import { openTestDatabase, temporaryFolder } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { approved } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { APPLES, buy, DETERGENT, refundsOf } from '../../../packages/lab/testing/return-steps.ts'
import { BEING_SOLD, DOCUMENTS_OF_SALE } from '../rows/vouchers.sql.ts'

const central = useCentral()
type Answer = Awaited<ReturnType<TerminalHarness['call']>>

const documentsOf = async (harness: TerminalHarness, { id }: Pick<Sale, 'id'>): Promise<VoucherDocument[]> =>
  VoucherDocuments.parse((await harness.call('GET', `/api/sales/${id}/vouchers`)).body).vouchers
const act = async (harness: TerminalHarness, sale: Sale, what: string, body: object = {}): Promise<Sale> =>
  (await harness.call('POST', `/api/sales/${sale.id}/${what}`, { version: sale.version, ...body })).body.sale
const payCash = (harness: TerminalHarness, sale: Sale): Promise<Sale> =>
  act(harness, sale, 'tenders', { kind: 'cash', tenderedCents: sale.totals.cashDueCents })
const giftCard = async (harness: TerminalHarness, amountCents: number): Promise<Sale> =>
  (await harness.call('POST', '/api/sales/current/gift-cards', { amountCents })).body.sale
async function exchange(harness: TerminalHarness, sale: Sale, open: Sale): Promise<SaleReturn> {
  const lines = [{ number: 1, quantity: 1 }]
  const quote = ReturnQuote.parse(
    (await harness.call('POST', '/api/returns/quote', { saleId: sale.id, lines, exchangeWith: open.id })).body,
  )
  const command = {
    saleId: sale.id,
    version: quote.version,
    lines,
    refunds: refundsOf(quote),
    cardReference: 'R1',
    exchange: quote.exchange && { saleId: open.id, version: quote.exchange.version },
  }
  return (await harness.call('POST', '/api/returns', command)).body['return'] as SaleReturn
}

describe('the voucher documents of a sale', () => {
  test('list each sold gift card with the state of its print, and none for a sale of goods', async () => {
    const harness = await openTerminalHarness(central)
    await giftCard(harness, 2000)
    const sale = await payCash(harness, await giftCard(harness, 3500))
    const [first, second] = await documentsOf(harness, sale)
    expect([first, second]).toMatchObject([
      { kind: 'gift-card', balanceCents: 2000 },
      { kind: 'gift-card', balanceCents: 3500 },
    ])
    await harness.printed(first?.id ?? '')
    await harness.printed(second?.id ?? '')
    expect((await documentsOf(harness, sale)).map(({ print }) => print)).toEqual(['confirmed', 'confirmed'])
    expect(await documentsOf(harness, await payCash(harness, await harness.ring(APPLES)))).toEqual([])
  })

  test('are published in an event with kind and last digits if a print fails; a copy needs an approval', async () => {
    const harness = await openTerminalHarness(central)
    await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
    const sale = await payCash(harness, await giftCard(harness, 2000))
    const [card] = await documentsOf(harness, sale)
    const failed = await harness.event(
      (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
        event.type === 'print-job' && event.saleId === card?.id,
    )
    expect(failed).toMatchObject({
      paper: 'voucher',
      state: 'failed',
      copy: 0,
      voucher: { kind: 'gift-card', last4: card?.last4, balanceCents: 2000 },
      notOnPaper: 2,
    })
    expect(UnprintedDocuments.parse((await harness.call('GET', '/api/receipts/owed')).body).documents).toMatchObject([
      { paper: 'gift-card', name: card?.last4, totalCents: 2000 },
    ])
    await harness.call('POST', '/api/training/play', { scenario: 'paper-ok' })
    await harness.call('POST', `/api/vouchers/${card?.id}/reprint`)
    await harness.printed(card?.id ?? '')
    const again = (): Promise<Answer> => harness.call('POST', `/api/vouchers/${card?.id}/reprint`)
    expect((await again()).body, 'a second paper pays as the first does').toMatchObject({
      code: 'approval-required',
      approval: { of: 'voucher', action: 'voucher-reprint', kind: 'gift-card', last4: card?.last4, balanceCents: 2000 },
    })
    expect(
      (await approved(harness, 'POST', `/api/vouchers/${card?.id}/reprint`, {}, { staffId: 'sam', pin: '0000' })).body,
    ).toMatchObject({ code: 'pin-wrong' })
    expect((await approved(harness, 'POST', `/api/vouchers/${card?.id}/reprint`, {})).status).toBe(200)
    await harness.printed(card?.id ?? '', 'confirmed', 1)
    expect((await again()).body, 'an approval is of one paper').toMatchObject({ code: 'approval-required' })
    const documents = harness
      .read<{ document: string }>(
        'SELECT document FROM print_job WHERE voucher_id IS NOT NULL ORDER BY created_at, rowid',
      )
      .map(({ document }) => /COPY/.test(document))
    expect(documents, 'failed, then the original, then a copy').toEqual([false, false, true])
  })

  test('are reprinted by another person than the seller only with an approval, even if not printed', async () => {
    const harness = await openTerminalHarness(central)
    await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
    const sale = await payCash(harness, await giftCard(harness, 2000))
    const [card] = await documentsOf(harness, sale)
    await harness.printed(card?.id ?? '', 'failed')
    await harness.call('POST', '/api/training/play', { scenario: 'paper-ok' })
    await harness.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
    const { documents } = UnprintedDocuments.parse((await harness.call('GET', '/api/receipts/owed')).body)
    expect(documents).toMatchObject([{ paper: 'gift-card', id: card?.id }])
    expect((await harness.call('POST', `/api/vouchers/${card?.id}/reprint`)).body).toMatchObject({
      code: 'approval-required',
      approval: { of: 'voucher', last4: card?.last4, balanceCents: 2000 },
    })
    expect(harness.read('SELECT count(*) AS documents FROM print_job WHERE voucher_id IS NOT NULL')).toEqual([
      { documents: 1 },
    ])
    expect((await approved(harness, 'POST', `/api/vouchers/${card?.id}/reprint`, {})).status).toBe(200)
    await harness.printed(card?.id ?? '')
    expect(
      harness.read<{ actor: string }>("SELECT actor_id AS actor FROM audit_entry WHERE kind = 'voucher-reprinted'"),
    ).toEqual([{ actor: 'marie' }])
  })

  test.for([
    "UPDATE print_job SET state = 'queued', started_at = NULL, detail = NULL WHERE voucher_id IS NOT NULL",
    `INSERT INTO print_job (id, kind, voucher_id, copy, document, open_drawer, state, created_at)
      SELECT 'forged', kind, voucher_id, 1, document, 0, 'queued', created_at FROM print_job
      WHERE voucher_id IS NOT NULL`,
  ])('are not printed for a job forged in the database, because the lane does not start: %s', async (sql) => {
    const folder = temporaryFolder()
    const first = await openTerminalHarness(central, { folder })
    const sale = await payCash(first, await giftCard(first, 2000))
    const [card] = await documentsOf(first, sale)
    await first.printed(card?.id ?? '')
    expect((await first.call('POST', `/api/vouchers/${card?.id}/reprint`)).body).toMatchObject({
      code: 'approval-required',
    })
    await first.close()
    const db = openDatabase(join(folder, 'terminal.db'))
    expect(db.prepare(sql).run().changes).toBe(1)
    db.close()
    await expect(openTerminalHarness(central, { folder })).rejects.toThrow('print_job')
  })

  test('are listed with their ids for the seller and for approvers, and without ids for other cashiers', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await payCash(harness, await giftCard(harness, 2000))
    expect((await documentsOf(harness, sale))[0]?.id).not.toBeNull()
    await harness.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
    expect(await documentsOf(harness, sale)).toMatchObject([{ id: null, kind: 'gift-card', balanceCents: 2000 }])
    await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
    expect((await documentsOf(harness, sale))[0]?.id).not.toBeNull()
  })

  test('include the store credit of a cancelled exchange', async () => {
    const harness = await openTerminalHarness(central)
    const returned = await exchange(harness, await buy(harness, [[DETERGENT, 1]]), await harness.ring(DETERGENT, 2))
    const open = await harness.current()
    if (!open) throw new Error('the exchange leaves something to pay')
    const cancelled = await act(harness, open, 'cancel')
    expect(await documentsOf(harness, cancelled)).toMatchObject([
      { id: returned.vouchers[0]?.id, kind: 'store-credit', balanceCents: 2259 },
    ])

    const code = voucherCodeOf('5f0c9f0e-3b1d-4c55-9a77-0123456789ab')
    await payCash(
      harness,
      (await harness.call('POST', '/api/sales/current/gift-cards', { amountCents: 2000, code })).body.sale,
    )
    const goods = await harness.ring(DETERGENT)
    const { id: voucherId } = (await harness.call('POST', '/api/vouchers/present', { code })).body[
      'voucher'
    ] as VoucherDocument
    const paid = await act(harness, goods, 'tenders', { kind: 'voucher', voucherId, amountCents: 500 })
    const again = await act(harness, paid, 'cancel')
    expect(again.tenders.at(-1)).toMatchObject({ kind: 'gift-card', amountCents: -500, leftCents: 2000 })
    expect(await documentsOf(harness, again)).toEqual([])
  })
})

test.each([DOCUMENTS_OF_SALE, BEING_SOLD])(
  'a query of vouchers uses indexes, however many vouchers there are: %s',
  async (sql) => {
    const db = await openTestDatabase()
    const plan = db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({ saleId: 'S', lane: '01', hash: Buffer.alloc(32) })
      .map(({ detail }) => detail)
      .join('\n')
    expect(plan).not.toMatch(/SCAN (?!CONSTANT)/)
  },
)
