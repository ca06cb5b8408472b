import { describe, expect, test } from 'vitest'
import type { ZReport } from '../../../contracts/day/day-end.ts'
import type { CurrentShift } from '../../../contracts/day/shifts.ts'
import type { Report, ReportRun } from '../../../contracts/day/reports.ts'
import type { BreakdownKind } from '../../../contracts/day/report-kinds.ts'
import { systemClock } from '../../core/clock.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, COFFEE, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { giftCard, payCash } from '../../../packages/lab/testing/vouchers.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { LATE_CREDIT, REPORT_SQL } from './reports.sql.ts'

const central = useCentral()
const COFFEE_CENTS = 14_99
const WEEK_MS = 7 * 86_400_000

async function openLane() {
  let behind = WEEK_MS
  const clock = { ...systemClock, now: () => systemClock.now() - behind }
  const here = await openTerminalHarness(central, { staffId: 'sam', clock })
  const today = (): string => localDateTimeAt(clock.now(), 'America/Toronto').toPlainDate().toString()
  return {
    here,
    today,
    aWeekLater: () => {
      behind = 0
    },
  }
}

async function start(here: TerminalHarness, from: string, to = from): Promise<ReportRun> {
  return (await here.call('POST', '/api/reports/runs', { from, to })).body as unknown as ReportRun
}

async function report(here: TerminalHarness, from: string, to = from): Promise<{ id: number; report: Report }> {
  const { id } = await start(here, from, to)
  for (;;) {
    const run = await here.get<ReportRun>(`/api/reports/runs/${id}`)
    if (run.state === 'running') continue
    if (!run.report) throw new Error(`the report is ${run.state}`)
    return { id, report: run.report }
  }
}

async function file(here: TerminalHarness, request: object): Promise<string> {
  const { status, body } = await here.call('POST', '/api/reports/exports', request)
  expect(status, JSON.stringify(body)).toBe(200)
  return (await here.file(`/api/reports/exports/${String(body['number'])}`)).bytes.toString()
}

const of = ({ breakdowns }: Report, kind: BreakdownKind): object =>
  Object.fromEntries(
    breakdowns[kind].rows.map(({ id, now, before }) => [id, [now, before].map(({ count, cents }) => [count, cents])]),
  )

describe('a report', () => {
  test('sums sales, returns, voids, discounts and no-sales of today and of a week earlier', async () => {
    const { here, today, aWeekLater } = await openLane()
    const drive = saleActions(here)
    await buy(here, [[APPLES, 1]])
    aWeekLater()
    const day = today()
    await here.call('POST', '/api/shifts/current/movements', { kind: 'no-sale', amountCents: 0, reason: 'change' })
    const sold = await buy(here, [[DETERGENT, 2]], { card: 'fine', units: 2 })
    await here.untilOperation('issue', 'confirmed')
    await here.ring(COFFEE)
    await here.ring(APPLES)
    await drive.send('POST', '/lines/1/void', {})
    await drive.price(2, 5_00)
    await drive.discount({ kind: 'amount', cents: 1_00 }, 2)
    const cash = await buy(here, [[APPLES, 1]], { cash: true })
    await here.ring(APPLES)
    const open = await here.current()
    await here.call('POST', `/api/sales/${open?.id}/cancel`, { version: open?.version })
    const back = await returnPieces(here, sold, [1, 1])

    const { report: made } = await report(here, day)
    expect(made.summary.now).toMatchObject({ sales: 2, discountCents: 1_00, netCents: 39_98 + 10_99, returns: 1 })
    expect(made.summary.now.totalCents).toBe(sold.totals.totalCents + cash.totals.totalCents)
    expect(made.summary.before).toMatchObject({ sales: 1, netCents: 6_99, returns: 0 })
    const netCents = 39_98 + 10_99 - 19_99
    expect(of(made, 'days')).toEqual({
      [day]: [
        [2, netCents],
        [1, 6_99],
      ],
    })
    expect(of(made, 'cashiers')).toEqual({
      sam: [
        [2, netCents],
        [1, 6_99],
      ],
    })
    expect(
      Object.values(of(made, 'hours'))
        .flat()
        .map(([, cents]: [number, number]) => cents),
    ).toContain(6_99)
    expect(of(made, 'items')).toMatchObject({
      [DETERGENT]: [
        [1, 19_99],
        [0, 0],
      ],
      [APPLES]: [
        [2, 11_99],
        [1, 6_99],
      ],
    })
    const total = (kind: BreakdownKind): number =>
      made.breakdowns[kind].rows.reduce((sum, { now: { cents } }) => sum + cents, 0)
    expect(total('departments')).toBe(netCents)
    const rounding = made.breakdowns.tenders.rows.find(({ id }) => id === 'cash-rounding')?.now.cents ?? 0
    expect(total('tenders') - rounding, 'payments less refunds equal sales less returns').toBe(
      made.summary.now.totalCents - made.summary.now.returnCents,
    )
    expect(total('taxes')).toBe(made.summary.now.taxCents - (made.summary.now.returnCents - 19_99))
    expect(of(made, 'voids')).toEqual({
      sam: [
        [1, 14_99],
        [0, 0],
      ],
    })
    expect(of(made, 'price-changes')).toEqual({
      sam: [
        [1, 0],
        [0, 0],
      ],
    })
    expect(of(made, 'discounts')).toEqual({
      sam: [
        [1, 1_00],
        [0, 0],
      ],
    })
    expect(of(made, 'no-sales')).toEqual({
      sam: [
        [1, 0],
        [0, 0],
      ],
    })
    expect(of(made, 'cancelled')).toEqual({
      sam: [
        [1, 0],
        [0, 0],
      ],
    })
    expect(of(made, 'returns')).toEqual({
      sam: [
        [1, made.summary.now.returnCents],
        [0, 0],
      ],
    })
    expect(back.id).not.toBe(sold.id)
    expect(made.miles.now).toMatchObject({ redeemed: 190, redeemedCents: 20_00, redeemedSales: 1 })
    expect(made.miles.now.issued).toBeGreaterThan(0)
    expect(made.breakdowns.cashiers.rows[0]?.name).toBe('Sam Okafor')
  })

  test('agrees with the Z on gift cards, taxes, payments, rounding, voids and discounts', async () => {
    const here = await openTerminalHarness(central, { staffId: 'sam' })
    const hand = saleActions(here)
    const day = localDateTimeAt(Date.now(), 'America/Toronto').toPlainDate().toString()
    await payCash(here, await giftCard(here, 25_00))
    await here.ring(COFFEE)
    await here.ring(DETERGENT)
    await hand.send('POST', '/lines/1/void', {})
    await hand.undo()
    await hand.send('POST', '/lines/1/void', {})
    await hand.discount({ kind: 'amount', cents: 1_00 }, 2)
    await hand.undo()
    const sold = await buy(here, [[APPLES, 1]], { cash: true })
    await returnPieces(here, sold, [2, 1])
    const { report: made } = await report(here, day)
    const { shift } = await here.get<CurrentShift>('/api/shifts/current')
    if (!shift) throw new Error('no drawer is open')
    const count = { cash: { by: 'sum', cents: 0 }, cardSlipsCents: null, chequesCents: null }
    await here.call('POST', `/api/shifts/${shift.id}/counts`, { count })
    await here.call('POST', `/api/shifts/${shift.id}/counts`, { count })
    expect((await here.call('POST', `/api/shifts/${shift.id}/close`, { reason: 'any', leftCents: 0 })).status).toBe(200)
    const closed = await here.call('POST', '/api/z-reports')
    expect(closed.status, JSON.stringify(closed.body)).toBe(200)
    const { totals } = await here.get<ZReport>('/api/z-reports/1')
    const rows = (kind: BreakdownKind) =>
      Object.fromEntries(made.breakdowns[kind].rows.map(({ id, now }) => [id, [now.count, now.cents]]))
    const { sales, returns, giftCards } = totals
    expect(made.summary.now).toMatchObject({
      sales: sales.count,
      grossCents: sales.grossCents,
      netCents: sales.netCents,
      totalCents: sales.totalCents,
      giftCardCents: giftCards.amountCents,
      returnCents: returns.totalCents,
    })
    expect(giftCards.amountCents).toBe(25_00)
    expect(made.breakdowns.departments.rows.map(({ id }) => id)).not.toContain('gift-cards')
    for (const { code, amountCents } of sales.taxes) expect(rows('taxes')[code]?.[1]).toBe(amountCents)
    for (const { code, amountCents } of returns.taxes)
      expect(rows('taxes')[`${code}-returned`]?.[1]).toBe(0 - amountCents)
    for (const { kind, taken, givenBack, netCents } of totals.tenders)
      expect(rows('tenders')[kind], kind).toEqual([taken.count - givenBack.count, netCents])
    const rounded = totals.tenders.reduce((sum, { roundingCents }) => sum + roundingCents, 0)
    expect(rows('tenders')['cash-rounding']?.[1] ?? 0).toBe(rounded)
    expect(rows('voids')).toEqual({ sam: [totals.voidedLines, COFFEE_CENTS] })
    expect(totals).toMatchObject({ voidedLines: 1, discounts: 0, copies: 0 })
    expect(rows('discounts')).toEqual({})
  })

  test('counts for each tax only the sales and returns that have it', async () => {
    const here = await openTerminalHarness(central, { staffId: 'sam' })
    const day = localDateTimeAt(Date.now(), 'America/Toronto').toPlainDate().toString()
    const untaxed = await buy(here, [[APPLES, 1]], { cash: true })
    const taxed = await buy(here, [[DETERGENT, 1]], { cash: true })
    await returnPieces(here, untaxed, [1, 1])
    await returnPieces(here, taxed, [1, 1])
    const { report: made } = await report(here, day)
    expect(made.breakdowns.taxes.rows.map(({ id, now }) => [id, now.count])).toEqual([
      ['HST', 1],
      ['HST-returned', 1],
    ])
  })

  test('lists the cash difference of a closed drawer by person', async () => {
    const { here, today, aWeekLater } = await openLane()
    aWeekLater()
    await here.call('POST', '/api/shifts', { float: { by: 'sum', cents: 100_00 } })
    const count = { cash: { by: 'sum', cents: 99_00 }, cardSlipsCents: null, chequesCents: null }
    await here.call('POST', '/api/shifts/1/counts', { count })
    await here.call('POST', '/api/shifts/1/close', { reason: 'unknown', leftCents: 0 })
    const { report: made } = await report(here, today())
    expect(of(made, 'over-short')).toEqual({
      sam: [
        [1, -1_00],
        [0, 0],
      ],
    })
  })

  test('is cancelled by a newer report, and is refused for a range that is reversed or too long', async () => {
    const { here, today, aWeekLater } = await openLane()
    aWeekLater()
    const day = today()
    const first = await start(here, `${Number(day.slice(0, 4)) - 1}-12-01`, day)
    expect(first).toMatchObject({ state: 'running', read: 0, report: null })
    const second = await start(here, day)
    expect((await here.call('GET', `/api/reports/runs/${first.id}`)).body).toMatchObject({ state: 'cancelled' })
    const { body } = await here.call('POST', `/api/reports/runs/${second.id}/cancel`)
    expect(body['state']).not.toBe('running')
    expect(await here.refused('POST', '/api/reports/runs', { from: day, to: '2020-01-01' })).toBe('body-invalid')
    expect(await here.refused('POST', '/api/reports/runs', { from: '2020-01-01', to: day })).toBe('body-invalid')
    expect(await here.refused('GET', '/api/reports/runs/99')).toBe('not-found')
  })

  test('is exported as JSON and as CSV without formulas, and the audit trail records each export', async () => {
    const catalog = 'X,,=1+1,=1+1,10.00,standard,=cmd,'
    const here = await openTerminalHarness(central, { staffId: 'sam', catalog })
    await buy(here, [['X', 3]])
    const day = localDateTimeAt(Date.now(), 'America/Toronto').toPlainDate().toString()
    const { id } = await report(here, day)
    const csv = await file(here, { of: 'report', run: id, by: 'items', format: 'csv' })
    expect(csv).toBe(
      '\uFEFFby,id,name,count,amount,count_week_before,amount_week_before\r\n' + "items,X,'=1+1,3,30.00,0,0.00\r\n",
    )
    expect(await file(here, { of: 'report', run: id, by: 'departments', format: 'csv' })).toContain("'=cmd")
    expect(await file(here, { of: 'report', run: id, by: 'tenders', format: 'csv' })).toContain(
      'tenders,card,Card slips,1,33.90,',
    )
    expect(await file(here, { of: 'report', run: id, by: 'taxes', format: 'csv' })).toMatch(/^taxes,HST,HST,\d,3\.90,/m)
    const json = JSON.parse(await file(here, { of: 'report', run: id, by: 'items', format: 'json' })) as {
      lane: string
      report: Report
    }
    expect(json).toMatchObject({ lane: '01', report: { summary: { now: { netCents: 30_00 } } } })
    expect(here.read("SELECT count(*) AS n FROM audit_entry WHERE kind = 'report-export'")).toEqual([{ n: 5 }])
    expect(
      await here.refused('POST', '/api/reports/exports', { of: 'report', run: 9, by: 'items', format: 'csv' }),
    ).toBe('not-found')
  })

  test('is returned to managers only', async () => {
    const here = await openTerminalHarness(central)
    for (const [method, path] of [
      ['POST', '/api/reports/runs'],
      ['GET', '/api/reports/runs/1'],
      ['POST', '/api/reports/runs/1/cancel'],
      ['POST', '/api/reports/exports'],
      ['GET', '/api/reports/exports/1'],
      ['GET', '/api/journal'],
    ] as const)
      expect(await here.refused(method, path, method === 'POST' ? {} : undefined), path).toBe('manager-required')
  })
})

test('each query of a report starts with an index by time or entry number, and scans only the shifts', async () => {
  const db = await openTestDatabase()
  const planOf = (sql: string, parameters: object): string =>
    db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(parameters)
      .map(({ detail }) => detail)
      .join('\n')
  for (const [name, sql] of Object.entries(REPORT_SQL)) {
    const plan = planOf(sql, sql.includes('@lane') ? { lane: '01', from: 0, before: 1 } : { from: 0, before: 1 })
    // The index of calls that need a person may be scanned: it has only a few rows.
    const scans = plan.split('\n').filter((line) => /SCAN(?!.*operation_attention)/.test(line))
    expect(scans, name).toEqual(name === 'shifts' ? ['SCAN shift'] : [])
    const led = /^SEARCH \w+ USING (COVERING )?INDEX (sale_closed|sale_return_newest|audit_entry_kind) |^SCAN shift$/
    expect(
      plan.split('\n').find((line) => /^(SEARCH|SCAN)/.test(line)),
      name,
    ).toMatch(led)
  }
  const late = planOf(LATE_CREDIT, { after: 0, to: 1 })
  expect(late).toContain('SEARCH journal_entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
  expect(late).toContain('INDEX voucher_once_per_reversal')
})
