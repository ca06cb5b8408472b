import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { LOCK_PATHS } from '../../../contracts/store/collector-locks.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, DETERGENT, returnPieces, quoteOf, refundsOf } from '../../../packages/lab/testing/return-steps.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import type { TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { payBy, saleOf, sold } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05')
const { open, whenSynced, answered } = lanesOf(central, store)
const FINE = '80000000011'
const total = async (): Promise<number> => {
  const { cash, dream } = await central.balances(FINE)
  return cash + dream
}

async function payInFourForms(harness: TerminalHarness): Promise<Sale> {
  const card = await sold(harness, 500)
  await harness.ring(DETERGENT, 2)
  await harness.ring(APPLES)
  let sale = await harness.swipe('fine')
  const pay = async (path: string, body: object): Promise<void> => {
    sale = saleOf(await harness.call('POST', `/api/sales/${sale.id}/${path}`, { version: sale.version, ...body }))
  }
  await pay('redemption', { units: 1 })
  sale = await answered(async () => {
    const paid = await payBy(harness, sale, card, 500)
    expect(paid.status).toBe(200)
    return saleOf(paid)
  })
  await pay('tenders', { kind: 'card', amountCents: 1_000, reference: 'T1' })
  await pay('tenders', { kind: 'cash', tenderedCents: sale.totals.cashDueCents })
  return sale
}
const papers = (harness: TerminalHarness, where: string): string[] =>
  harness
    .read<{ document: string }>(`SELECT document FROM print_job WHERE ${where} ORDER BY created_at, rowid`)
    .map(({ document }) => document)

describe('a sale of another lane', () => {
  test('can be returned once, with its refunds by card, cash, store credit and miles and their documents', async ({
    skip,
  }) => {
    const one = await open(skip, '01')
    const two = await open(skip, '02')
    const before = await total()
    const sale = await payInFourForms(one)
    await one.untilOperation('issue', 'confirmed')
    await whenSynced(one)
    const found = { store: 'reached', sales: [{ id: sale.id, lane: '01', memberLast4: '0011' }] }
    await answered(async () =>
      expect((await two.call('GET', `/api/sales/earlier?q=${sale.id.slice(-4)}`)).body).toMatchObject(found),
    )
    await answered(async () =>
      expect((await two.call('GET', `/api/sales/${sale.id}/returnable`)).body).toMatchObject({ lane: '01' }),
    )
    expect((await one.call('GET', `/api/sales/${sale.id}/returnable`)).body).not.toHaveProperty('lane')

    const returned = await answered(() => returnPieces(two, sale, [1, 2], [2, 1]))
    expect(returned.totals.totalCents).toBe(sale.totals.totalCents)
    expect(returned.refunds.map(({ kind, amountCents }) => [kind, amountCents])).toEqual([
      ['card', 1_000],
      ['cash', sale.totals.totalCents - 2_500],
      ['store-credit', 500],
      ['miles', 1_000],
    ])
    await two.untilOperation('redeem', 'reversed')
    await two.untilOperation('return', 'confirmed')
    expect(await total(), 'miles that paid are back, and those that were earned are gone').toBe(before)
    const turns = store.log().filter((line) => line['path'] === LOCK_PATHS.take && line['lane'] === '02')
    expect(turns.length, 'its calls had the collector’s turn over the lanes').toBeGreaterThan(0)
    const [reverse] = await central.requests(CASH_PATHS.reverse)
    expect(reverse?.body).toMatchObject({ collectorNumber: FINE })
    expect(papers(two, `return_id = '${returned.id}'`)[0]).toContain(sale.id)
    expect(papers(two, 'voucher_id IS NOT NULL')).toHaveLength(1)

    const nothingLeft = { lines: [{ leftQuantity: 0 }, { leftQuantity: 0 }], returns: [{ id: returned.id }] }
    for (const lane of [one, two])
      await answered(async () => {
        expect(await lane.refused('POST', '/api/returns/quote', piecesOf(sale))).toBe('return-exceeds-sold')
        expect((await lane.call('GET', `/api/sales/${sale.id}/returnable`)).body).toMatchObject(nothingLeft)
      })
    expect(two.read('SELECT id FROM sale'), 'it is none of the other lane’s sales').toEqual([])
    const [drawer] = two.read<{ cents: number }>(
      "SELECT sum(amount_cents + rounding_cents) AS cents FROM store_refund WHERE kind = 'cash'",
    )
    const cash = returned.refunds.find(({ kind }) => kind === 'cash')
    expect(drawer?.cents).toBe((cash?.amountCents ?? 0) + (cash?.roundingCents ?? 0))
    expect(JSON.stringify(await store.query('SELECT body FROM fact'))).not.toContain(FINE)
  })

  test('is printed as a copy of its receipt that names the other lane', async ({ skip }) => {
    const one = await open(skip, '03')
    const two = await open(skip, '04')
    const sale = await buy(one, [[DETERGENT, 1]], { cash: true })
    await whenSynced(one)
    await answered(async () =>
      expect((await two.call('POST', `/api/sales/${sale.id}/reprint`)).body).toEqual({ print: 'queued' }),
    )
    await two.printed(sale.id, 'confirmed', 1)
    const [copy] = papers(two, "kind = 'store-sale'")
    expect(copy).toMatch(/COPY/)
    expect(copy).toMatch(/Lane 03/)
    expect(copy).toContain(sale.id)
  })
})

const piecesOf = (sale: Sale) => ({ saleId: sale.id, lines: [{ number: 1, quantity: 1 }] })

test('a return of a lane’s own sale needs the store server only after the server has confirmed the sale', async ({
  skip,
}) => {
  const harness = await open(skip, '05', { approvals: { returnFromDollars: 1_000 } })
  const confirmed = await buy(harness, [[APPLES, 2]], { cash: true })
  await whenSynced(harness)
  store.freeze()
  try {
    const unconfirmed = await buy(harness, [[APPLES, 1]], { cash: true })
    expect((await returnPieces(harness, unconfirmed, [1, 1])).totals.totalCents).toBe(699)
    const asked = await harness.call('POST', '/api/returns/quote', piecesOf(confirmed))
    expect(asked).toMatchObject({ status: 503, body: { code: 'return-store-away' } })
    expect(JSON.stringify(asked.body)).toMatch(/Wait, or return without receipt.*Attendez, ou retournez sans reçu/)
    expect(await harness.refused('GET', '/api/sales/N101XXXX00000001AAAA/returnable')).toBe('receipt-store-away')
    const search = await harness.call('GET', '/api/sales/earlier?q=ZZZZ')
    expect(search.body).toEqual({ sales: [], next: null, store: 'away' })
  } finally {
    store.thaw()
  }
  await whenSynced(harness)
  const quote = await answered(() => quoteOf(harness, confirmed, [{ number: 1, quantity: 1 }]))
  expect(refundsOf(quote)).toEqual([{ kind: 'cash', paidBy: 'cash', amountCents: 699 }])
  expect((await answered(() => returnPieces(harness, confirmed, [1, 1]))).totals.totalCents).toBe(699)
})
