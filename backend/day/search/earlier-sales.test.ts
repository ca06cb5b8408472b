import { describe, expect, test } from 'vitest'
import { EarlierSales, EarlierSalesQuery, ReceiptsSummary } from '../../../contracts/day/search.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { buy, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { EARLIER_SALES_SQL } from './earlier-sales.sql.ts'
import { earlierSalesOf } from './earlier-sales.ts'
import { type Sales, salesOf } from '../../sales/sales.ts'
import { testContext, provideDevices } from '../../../packages/lab/testing/lane-context.ts'
import type { Database } from '../../core/db/database.ts'

function earlierWith(db: Database, printer: object | null) {
  const ctx = testContext({ db })
  provideDevices(ctx, { printer })
  const parts = () => ({ sale: { taxes: null, exemption: null }, lines: [], discounts: [], tenders: [] })
  salesOf.provide(ctx, { parts } as unknown as Sales)
  return earlierSalesOf(ctx)
}

const central = useCentral()
const APPLES = '1001'

async function pay(harness: TerminalHarness): Promise<Sale> {
  const sale = await harness.ring(APPLES)
  return (
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: sale.totals.dueCents,
      reference: 'T1',
    })
  ).body.sale
}
const list = async (harness: TerminalHarness, query = ''): Promise<EarlierSales> =>
  EarlierSales.parse((await harness.call('GET', `/api/sales/earlier${query}`)).body)
const summary = async (harness: TerminalHarness): Promise<ReceiptsSummary> =>
  ReceiptsSummary.parse((await harness.call('GET', '/api/receipts')).body)

describe('the list of earlier sales', () => {
  test('shows the newest sale first, with at most four digits of the collector number', async () => {
    const harness = await openTerminalHarness(central)
    expect(await list(harness)).toEqual({ sales: [], next: null })
    expect(await summary(harness)).toEqual({ lastSaleId: null, notOnPaper: 0 })
    const paid = await pay(harness)
    await harness.printed(paid.id)
    const sale = await harness.ring(APPLES)
    const known = await harness.swipe('fine')
    await harness.call('POST', `/api/sales/${sale.id}/cancel`, { version: known.version })
    const { sales, next } = await list(harness)
    expect(next).toBeNull()
    expect(sales).toEqual([
      expect.objectContaining({
        id: sale.id,
        state: 'cancelled',
        totalCents: 699,
        tenders: [],
        memberLast4: '0011',
        cashier: 'Alex Tremblay',
        receipt: 'none',
      }),
      expect.objectContaining({
        id: paid.id,
        state: 'completed',
        totalCents: 699,
        tenders: ['card'],
        memberLast4: null,
        cashier: 'Alex Tremblay',
        receipt: 'printed',
      }),
    ])
    expect(JSON.stringify(sales)).not.toContain('80000000011')
    expect(await summary(harness)).toEqual({ lastSaleId: paid.id, notOnPaper: 0 })
  })

  test('does not contain the open sale', async () => {
    const harness = await openTerminalHarness(central)
    await harness.ring(APPLES)
    expect((await list(harness)).sales).toEqual([])
  })

  test('finds a sale by its number or by the last characters of its number, in either case', async () => {
    const harness = await openTerminalHarness(central)
    const sales = [await pay(harness), await pay(harness)]
    for (const { id } of sales) {
      expect((await list(harness, `?q=${id}`)).sales.map((sale) => sale.id)).toEqual([id])
      expect((await list(harness, `?q=${id.slice(-4).toLowerCase()}`)).sales.map((sale) => sale.id)).toContain(id)
      expect((await list(harness, `?q=${id.slice(-7)}`)).sales.map((sale) => sale.id)).toEqual([id])
    }
    expect((await list(harness, '?q=ZZZZZZZZZZZ0')).sales).toEqual([])
    for (const q of ['?q=K7Q', '?q=%25%25%25%25', '?after=yesterday', '?limit=51'])
      expect(await harness.refused('GET', `/api/sales/earlier${q}`)).toBe('body-invalid')
  })

  test('has every sale on exactly one page, also sales that were closed in the same millisecond', async () => {
    const db = await openTestDatabase()
    db.exec(`
      INSERT INTO staff (id, name, role, locale, active) VALUES ('gone', 'Former Cashier', 'cashier', 'en-CA', 0);
      INSERT INTO shift (id, lane, opened_at, opened_by, float_cents) VALUES (1, '01', 0, 'gone', 0);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 23)
      INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes,
        totals, shift_id)
      SELECT 'N10101' || substr('0000000' || i, -8) || 'K7QZ', i, 1, 'completed', '01', 'gone', 0, i / 4, '[]', '{}', 1
      FROM n;
      INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes,
        totals, shift_id)
      VALUES ('N1010200000099K7QZ', 99, 1, 'completed', '02', 'gone', 0, 99, '[]', '{}', 1);
    `)
    const earlier = earlierWith(db, {})
    const seen: string[] = []
    const pages: number[] = []
    for (let after: string | undefined, more = true; more;) {
      const page = earlier.list(EarlierSalesQuery.parse({ limit: 5, after }))
      seen.push(...page.sales.map((sale) => sale.id))
      pages.push(page.sales.length)
      after = page.next ?? undefined
      more = page.next !== null
    }
    expect(pages).toEqual([5, 5, 5, 5, 3])
    expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => `N10101${String(23 - index).padStart(8, '0')}K7QZ`))
    expect(earlier.list(EarlierSalesQuery.parse({})).sales[0]?.cashier).toBe('Former Cashier')
  })
})

describe('returns in the list of earlier sales', () => {
  test('are listed by time with refund and original sale, and are found by the end of their number', async () => {
    const harness = await openTerminalHarness(central)
    const first = await buy(harness, [[APPLES, 2]])
    const returned = await returnPieces(harness, first, [1, 1])
    const second = await buy(harness, [[APPLES, 1]])
    await harness.printed(returned.id)
    const { sales } = await list(harness)
    expect(sales.map(({ id, state }) => [id, state])).toEqual([
      [second.id, 'completed'],
      [returned.id, 'returned'],
      [first.id, 'completed'],
    ])
    const entry = {
      id: returned.id,
      state: 'returned',
      ofSale: first.id,
      totalCents: returned.totals.totalCents,
      tenders: ['card'],
      memberLast4: null,
      cashier: 'Alex Tremblay',
      receipt: 'printed',
    }
    expect(sales[1]).toMatchObject(entry)
    expect((await list(harness, `?q=${returned.id}`)).sales).toMatchObject([entry])
    expect((await list(harness, `?q=${returned.id.slice(-7).toLowerCase()}`)).sales.map(({ id }) => id)).toEqual([
      returned.id,
    ])
    const pages = [await list(harness, '?limit=2')]
    pages.push(await list(harness, `?limit=2&after=${pages[0]?.next}`))
    expect(pages.map((page) => page.sales.map(({ id }) => id))).toEqual([[second.id, returned.id], [first.id]])
    expect(await harness.refused('GET', `/api/sales/${returned.id}/returnable`)).toBe('not-found')
  })
})

describe('receipts of earlier sales', () => {
  test('are counted and listed as not printed until one of their print jobs has printed', async () => {
    const harness = await openTerminalHarness(central)
    await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
    const lost = [await pay(harness), await pay(harness)]
    for (const { id } of lost) await harness.printed(id, 'failed')
    expect(await summary(harness)).toEqual({ lastSaleId: lost[1]?.id, notOnPaper: 2 })
    await harness.call('POST', '/api/training/play', { scenario: 'paper-ok' })
    const good = await pay(harness)
    await harness.printed(good.id)
    expect((await list(harness, '?filter=not-on-paper')).sales.map(({ id, receipt }) => [id, receipt])).toEqual([
      [lost[1]?.id, 'not-printed'],
      [lost[0]?.id, 'not-printed'],
    ])
    await harness.call('POST', `/api/sales/${lost[0]?.id}/reprint`)
    await harness.printed(lost[0]?.id ?? '')
    expect((await list(harness, '?filter=not-on-paper')).sales.map(({ id }) => id)).toEqual([lost[1]?.id])
    expect((await list(harness)).sales.map(({ id, receipt }) => [id, receipt])).toEqual([
      [good.id, 'printed'],
      [lost[1]?.id, 'not-printed'],
      [lost[0]?.id, 'printed'],
    ])
  })

  const JOBS: [string[], string][] = [
    [['failed'], 'not-printed'],
    [['unknown'], 'unknown'],
    [['failed', 'unknown'], 'unknown'],
    [['failed', 'queued'], 'printing'],
    [['unknown', 'confirmed'], 'printed'],
    [['failed', 'sent'], 'printed'],
    [['confirmed', 'failed'], 'printed'],
    [['queued'], 'printing'],
    [[], 'none'],
  ]
  test.each(JOBS)('have, for print jobs in the states %j, the print state %s', async (states, receipt) => {
    const db = await openTestDatabase()
    db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
      INSERT INTO shift (id, lane, opened_at, opened_by, float_cents) VALUES (1, '01', 0, 'alex', 0);
      INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes,
        totals, shift_id)
      VALUES ('N1010100000001K7QZ', 1, 1, 'completed', '01', 'alex', 0, 1, '[]', '{}', 1);`)
    const add = db.prepare(
      `INSERT INTO print_job (id, kind, sale_id, copy, document, open_drawer, state, created_at)
        VALUES (?, 'sale', 'N1010100000001K7QZ', 0, '{}', 0, ?, 1)`,
    )
    for (const [index, state] of states.entries()) add.run(`J${index}`, state)
    const earlier = earlierWith(db, {})
    expect(earlier.list(EarlierSalesQuery.parse({})).sales[0]?.receipt).toBe(receipt)
    const doubtful = states.some((state) => state === 'failed' || state === 'unknown') && receipt !== 'printed'
    expect(earlier.notOnPaper()).toBe(doubtful ? 1 : 0)
    expect(earlier.list(EarlierSalesQuery.parse({ filter: 'not-on-paper' })).sales).toHaveLength(doubtful ? 1 : 0)
    // Without a printer, no document counts as not printed.
    expect(earlierWith(db, null).summary().notOnPaper).toBe(0)
  })

  test('keep their language when printed again, and the audit trail records the print with the person', async () => {
    const harness = await openTerminalHarness(central)
    const sale = await pay(harness)
    await harness.printed(sale.id)
    await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
    await harness.call('POST', `/api/sales/${sale.id}/reprint`)
    await harness.printed(sale.id, 'confirmed', 1)
    const copies = harness.read<{ document: string; copy: number }>(
      'SELECT document, copy FROM print_job ORDER BY copy',
    )
    expect(copies.map(({ copy, document }) => [copy, (JSON.parse(document) as { locale: string }).locale])).toEqual([
      [0, 'en-CA'],
      [1, 'en-CA'],
    ])
    expect(harness.read("SELECT actor_id, subject, detail FROM audit_entry WHERE kind = 'receipt-reprinted'")).toEqual([
      { actor_id: 'alex', subject: sale.id, detail: '{"copy":1}' },
    ])
  })
})

describe('queries of earlier sales', () => {
  // A query that reads an index in the order of its list needs no sorting; the other queries return few rows.
  const PLANS: [keyof typeof EARLIER_SALES_SQL, RegExp, RegExp][] = [
    ['all', /SEARCH sale USING INDEX sale_closed/, /SCAN sale|TEMP B-TREE/],
    ['not-on-paper', /SCAN print_job USING (COVERING )?INDEX print_job_in_doubt/, /SCAN sale/],
    ['found', /SEARCH sale USING INDEX sale_by_end_of_id/, /SCAN sale/],
    ['returned', /SEARCH sale_return USING INDEX sale_return_newest/, /SCAN sale_return|FOR ORDER BY$/m],
    ['returnedFound', /SEARCH sale_return USING INDEX sale_return_by_end_of_id/, /SCAN sale_return/],
    ['count', /SCAN print_job USING (COVERING )?INDEX print_job_in_doubt/, /SCAN sale/],
    [
      'unprinted',
      /SCAN print_job USING (COVERING )?INDEX print_job_other_in_doubt/,
      /SCAN (sale|sale_return|voucher|cash_movement|done|job)\b/,
    ],
    ['otherCount', /SCAN print_job USING (COVERING )?INDEX print_job_other_in_doubt/, /SCAN done/],
    ['last', /SEARCH sale USING INDEX sale_closed/, /SCAN sale|TEMP B-TREE/],
  ]
  test.each(PLANS)('use an index: %s', async (name, index, never) => {
    const db = await openTestDatabase()
    const plan = db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${EARLIER_SALES_SQL[name]}`)
      .all({ lane: '01', closedAt: 1, sequence: 1, limit: 9, q: 'K7QZ' })
      .map(({ detail }) => detail)
      .join('\n')
    expect(plan).toMatch(index)
    expect(plan).not.toMatch(never)
  })
})
