import { describe, expect, test, vi, type TestContext } from 'vitest'
import { ReportRun, type Report } from '../../contracts/day/reports.ts'
import { CurrentShift } from '../../contracts/day/shifts.ts'
import { ReconciliationExport } from '../../contracts/loyalty/reconciliation.ts'
import { StoreDayReport, StoreLanes, StoreReconciliationFile, StoreZPaper } from '../../contracts/day/store-overview.ts'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { StoreQueue, StoreReconciliationDays, type StoreTotals } from '../../contracts/store/overview.ts'
import { systemClock, type Clock } from '../core/clock.ts'
import { localDateTimeAt } from '../core/zone.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { APPLES, buy, DETERGENT, returnPieces } from '../../packages/lab/testing/return-steps.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04')
const DAY_MS = 86_400_000

const open = (skip: TestContext['skip'], laneId: string, clock?: Clock) =>
  openTerminalHarness(central, {
    store: store.place(skip, laneId),
    laneId,
    staffId: 'sam',
    ...(clock ? { clock } : {}),
  })
const untilSynced = (here: TerminalHarness, kind = 'connected') =>
  vi.waitFor(async () => expect((await here.call('GET', '/api/store')).body).toMatchObject({ kind, untold: 0 }), {
    timeout: 60_000,
  })
const today = (clock: Pick<Clock, 'now'> = systemClock): string =>
  localDateTimeAt(clock.now(), 'America/Toronto').toPlainDate().toString()

async function reportOf(here: TerminalHarness, day: string): Promise<Report> {
  const { id } = (await here.call('POST', '/api/reports/runs', { from: day, to: day })).body
  for (;;) {
    const run = ReportRun.parse((await here.call('GET', `/api/reports/runs/${String(id)}`)).body)
    if (run.report) return run.report
    if (run.state !== 'running') throw new Error(`the report is ${run.state}`)
  }
}
function figuresOf({ summary, breakdowns, miles }: Report) {
  const now = (by: 'tenders' | 'taxes') =>
    breakdowns[by].rows
      .map(({ id, now: { count, cents } }) => ({ id, count, cents }))
      .toSorted((one, other) => one.id.localeCompare(other.id))
  const { issued, redeemed, redeemedCents, redeemedSales } = miles.now
  return {
    summary: summary.now,
    tenders: now('tenders'),
    taxes: now('taxes'),
    miles: { issued, redeemed, redeemedCents, redeemedSales },
  }
}
const sum = (of: readonly number[]): number => of.reduce((total, one) => total + one, 0)

async function closeDay(here: TerminalHarness): Promise<void> {
  const { shift } = CurrentShift.parse((await here.call('GET', '/api/shifts/current')).body)
  const count = { cash: { by: 'sum', cents: 50_00 }, cardSlipsCents: null, chequesCents: null }
  await here.call('POST', `/api/shifts/${shift?.id}/counts`, { count })
  await here.call('POST', `/api/shifts/${shift?.id}/counts`, { count, number: 2 })
  await here.call('POST', `/api/shifts/${shift?.id}/close`, { reason: 'unknown', leftCents: 0 })
  expect((await here.call('POST', '/api/z-reports')).status).toBe(200)
}

describe('a manager at one lane', () => {
  test("sees the store's day as the sum of the lanes' own reports, and opens another lane's Z", async ({ skip }) => {
    const [first, second] = [await open(skip, '01'), await open(skip, '02')]
    const sold = await buy(first, [[DETERGENT, 2]], { card: 'fine', units: 2 })
    await first.untilOperation('issue', 'confirmed')
    await buy(first, [[APPLES, 1]], { cash: true })
    // On a busy machine the store server may answer too late; a person would then try again.
    await vi.waitFor(() => returnPieces(first, sold, [1, 1]), { timeout: 60_000 })
    await first.untilOperation('return', 'confirmed')
    await buy(second, [
      [DETERGENT, 1],
      [APPLES, 3],
    ])
    await second.ring(APPLES)
    const left = await second.current()
    await second.call('POST', `/api/sales/${left?.id}/cancel`, { version: left?.version })
    await closeDay(second)
    await untilSynced(first)
    await untilSynced(second)
    const day = today()

    const reported = StoreDayReport.parse((await first.call('GET', `/api/store/days/${day}`)).body)
    for (const [here, lane] of [
      [first, '01'],
      [second, '02'],
    ] as const) {
      const { lane: _lane, ...figures } = reported.lanes.find((one) => one.lane === lane) as StoreTotals & {
        lane: string
      }
      const sorted = {
        ...figures,
        tenders: figures.tenders.toSorted((one, other) => one.id.localeCompare(other.id)),
      }
      expect(sorted, lane).toEqual(figuresOf(await reportOf(here, day)))
    }
    const own = [await reportOf(first, day), await reportOf(second, day)]
    expect(reported.together.summary.netCents).toBe(sum(own.map(({ summary }) => summary.now.netCents)))
    expect(reported.together.summary.sales).toBe(3)
    expect(reported.together.miles).toMatchObject({ redeemed: 190, redeemedSales: 1 })
    expect(reported.together.miles.issued).toBe(sum(own.map(({ miles }) => miles.now.issued)))
    const paid = reported.together.tenders.filter(({ id }) => id !== 'cash-rounding')
    expect(sum(paid.map(({ cents }) => cents)), 'what was paid is what was sold').toBe(
      reported.together.summary.totalCents - reported.together.summary.returnCents,
    )

    expect(reported.withoutZ).toEqual(['01'])
    expect(reported.shifts).toMatchObject([{ lane: '02', closedBy: 'Sam Okafor' }])
    const [z] = reported.zs
    expect(z).toMatchObject({ lane: '02', number: 1, sales: 1, differenceCents: reported.shifts[0]?.differenceCents })
    const paper = StoreZPaper.parse((await first.call('GET', `/api/store/z/${z?.stream}/1`)).body)
    const printed = (await second.call('GET', '/api/z-reports/1/receipt')).body as { document: { blocks: unknown[] } }
    expect(paper).toMatchObject({ lane: '02', number: 1 })
    expect(paper.document.blocks).toEqual(printed.document.blocks)
    const file = await first.file(`/api/store/z/${z?.stream}/1/report.pdf`)
    expect(file.type).toContain('pdf')
    expect(file.disposition).toContain('lane-02')
    expect(await first.refused('GET', `/api/store/z/${z?.stream}/2`)).toBe('not-found')

    const lanes = StoreLanes.parse((await first.call('GET', '/api/store/lanes')).body)
    expect(lanes.thisLane).toBe('01')
    expect(lanes.lanes.filter(({ lane }) => lane <= '02')).toMatchObject([
      { lane: '01', connected: true, health: { drawer: { open: true } } },
      { lane: '02', connected: true, health: { drawer: { open: false } } },
    ])
  })

  test("exports the approvals on a retry of all lanes in one file, which has the rows of the lanes' own files", async ({
    skip,
  }) => {
    let behind = DAY_MS
    const clock = { ...systemClock, now: () => systemClock.now() - behind }
    const here = await open(skip, '03', clock)
    const yesterday = today(clock)
    await central.faults({ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'drop-after' } })
    await buy(here, [[DETERGENT, 2]], { card: 'fine', units: 1 })
    await central.clearFaults()
    await untilSynced(here)
    const path = `/api/store/reconciliation/${yesterday}`
    expect(await here.refused('POST', `${path}/exports`)).toBe('day-not-over')
    behind = 0
    const days = StoreReconciliationDays.parse((await here.call('GET', '/api/store/reconciliation')).body)
    expect(days.days).toMatchObject([{ businessDay: yesterday, state: 'due', totals: { rows: 1 } }])
    const made = StoreReconciliationFile.parse((await here.call('POST', `${path}/exports`)).body)
    const own = ReconciliationExport.parse(
      (await here.call('POST', `/api/reconciliation/days/${yesterday}/exports`)).body,
    )
    expect(made.report).toMatchObject({ status: 'original', rows: own.report.rows })
    const line = (csv: string): string[] => csv.split('\r\n').filter((one) => one.startsWith('approval,'))
    expect(line(made.csv)).toHaveLength(1)
    // Either file may be marked as a copy, because the one exported first is the original; this compares the rest.
    const asOriginal = (text: string | undefined): string | undefined =>
      text?.replace(/^approval,copy \d+/, 'approval,original')
    expect(line(made.csv).map(asOriginal)).toEqual(line(own.csv).map(asOriginal))
    expect(made.fileName).toContain(`lane-all_${yesterday}`)
    const again = StoreReconciliationFile.parse((await here.call('POST', `${path}/exports`)).body)
    expect(again.report).toMatchObject({ status: 'copy', copy: 1, sameAsOriginal: true })
    const original = StoreReconciliationFile.parse((await here.call('GET', `${path}/original`)).body)
    expect(original.csv).toBe(made.csv)
    expect(here.read("SELECT subject FROM audit_entry WHERE kind = 'store-reconciliation-export'")).toHaveLength(2)
  })

  test('gets the error store-pages-away while the store server is unavailable, and this lane’s own Z reports', async ({
    skip,
  }) => {
    const here = await open(skip, '04')
    await untilSynced(here)
    expect(StoreQueue.parse((await here.call('GET', '/api/store/queue')).body).calls).toEqual([])
    store.freeze()
    try {
      const startedAt = performance.now()
      expect(await here.refused('GET', '/api/store/lanes')).toBe('store-pages-away')
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      expect((await here.call('GET', '/api/z-reports')).status).toBe(200)
    } finally {
      store.thaw()
    }
  })

  test('gets the error store-none if the lane has no store server; a cashier is refused every page', async () => {
    const here = await openTerminalHarness(central, { staffId: 'sam' })
    expect(await here.refused('GET', '/api/store/lanes')).toBe('store-none')
    const cashier = await openTerminalHarness(central)
    for (const page of ['lanes', 'days/today', 'queue', 'reconciliation'])
      expect(await cashier.refused('GET', `/api/store/${page}`), page).toBe('manager-required')
  })
})
