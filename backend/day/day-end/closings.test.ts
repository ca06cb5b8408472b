import { describe, expect, test } from 'vitest'
import { Closing, ClosingList, ClosingPaper, ZReport } from '../../../contracts/day/day-end.ts'
import { CurrentShift } from '../../../contracts/day/shifts.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import { totalsOfZs } from './closings.ts'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarnessOptions } from '../../../packages/lab/testing/terminal-harness.ts'
import { Z_FIGURES, Z_OPENINGS } from './day-end.sql.ts'
import { textOfPdf } from '../../core/paper/pixels.fixture.ts'

const central = useCentral()
const CATALOG = `sku,barcode,name_en,name_fr,price,tax_category,department,category
A,,Apple,Pomme,5.00,zero-rated,fruit,
B,,Book,Livre,10.00,standard,books,
`
const sum = (cents: number) => ({ by: 'sum' as const, cents })

async function open(at: string, options: TerminalHarnessOptions = {}) {
  const clock = testClock(at)
  const here = await openTerminalHarness(central, { catalog: CATALOG, staffId: 'sam', clock, ...options })
  const current = async () => CurrentShift.parse((await here.call('GET', '/api/shifts/current')).body).shift?.id ?? 0
  const lane = {
    here,
    clock,
    signIn: async (staffId: 'alex' | 'sam') => {
      await here.call('POST', '/api/sign-out')
      const pin = staffId === 'sam' ? '9999' : '1234'
      expect((await here.call('POST', '/api/sign-in', { staffId, pin })).status).toBe(200)
    },
    async until(moment: string) {
      clock.advance(Date.parse(moment) - clock.now())
      await lane.signIn('sam')
    },
    async drawer(...sold: readonly [sku: string, quantity: number][]) {
      await here.call('POST', '/api/shifts', { float: sum(10_000) })
      for (const [sku, quantity] of sold) {
        const { id, version, totals } = await here.ring(sku, quantity)
        const paid = { version, kind: 'cash', tenderedCents: totals.cashDueCents }
        expect((await here.call('POST', `/api/sales/${id}/tenders`, paid)).status).toBe(200)
      }
    },
    async closeDrawer(countedCents: number) {
      const shift = await current()
      const count = { cash: sum(countedCents), cardSlipsCents: null, chequesCents: null }
      await here.call('POST', `/api/shifts/${shift}/counts`, { count })
      const closed = await here.call('POST', `/api/shifts/${shift}/close`, { reason: 'as counted', leftCents: 0 })
      expect(closed.status).toBe(200)
    },
    closeDay: async () => ZReport.parse((await here.call('POST', '/api/z-reports')).body['report']),
    async z(countedCents: number) {
      await lane.closeDrawer(countedCents)
      return lane.closeDay()
    },
    list: async (query: string) => ClosingList.parse((await here.call('GET', `/api/closings?${query}`)).body),
    closing: async (period: string) => Closing.parse((await here.call('GET', `/api/closings/${period}`)).body),
    paper: async (period: string) => ClosingPaper.parse((await here.call('GET', `/api/closings/${period}/paper`)).body),
    print: (period: string) => here.call('POST', `/api/closings/${period}/print`),
    papers: () =>
      here
        .read<{ subject: string; copy: number; document: string }>(
          `SELECT subject, copy, document FROM print_job WHERE kind = 'closing' ORDER BY created_at, rowid`,
        )
        .map(({ subject, copy, document }) => ({ subject, copy, document })),
  }
  return lane
}

const runs = (...all: [number, number][]) => all.map(([first, last]) => ({ first, last }))
const flat = (blocks: readonly ReceiptBlock[]): string[] =>
  blocks.flatMap((block) =>
    block.kind === 'text' ? [block.text] : block.kind === 'row' ? [`${block.left} ${block.right}`.trim()] : [],
  )

describe('closings of a day or month', () => {
  test('are the sums of their Zs to the cent; a Z counts on the day on which its drawer was opened', async () => {
    const lane = await open('2026-11-29T15:00:00-05:00')
    expect(await lane.list('span=day')).toEqual({ closings: [], more: false })
    await lane.drawer(['A', 3])
    const first = await lane.z(11_500)
    await lane.until('2026-11-29T17:00:00-05:00')
    await lane.drawer(['A', 1], ['B', 1])
    await lane.until('2026-11-30T01:00:00-05:00')
    const second = await lane.z(11_000)
    await lane.until('2026-11-30T18:00:00-05:00')
    await lane.drawer(['B', 2])
    await lane.until('2026-12-01T00:30:00-05:00')
    const third = await lane.z(12_000)
    await lane.until('2026-12-02T09:00:00-05:00')
    await lane.drawer(['A', 7])
    const fourth = await lane.z(13_499)

    // The accounting export of a month has the Zs of the month's closing.
    const range = { from: '2026-11-01', to: '2026-11-30' }
    const { body } = await lane.here.call('POST', '/api/reports/exports', { of: 'accounting', range, format: 'json' })
    const { bytes } = await lane.here.file(`/api/reports/exports/${String(body['number'])}`)
    const { zReports } = JSON.parse(bytes.toString()) as { zReports: { number: number }[] }
    expect(zReports.map(({ number }) => number)).toEqual([1, 2, 3])
    const days = await lane.list('span=day')
    expect(days.closings.map(({ period, zs, isOver }) => [period, zs, isOver])).toEqual([
      ['2026-12-02', runs([4, 4]), false],
      ['2026-11-30', runs([3, 3]), true],
      ['2026-11-29', runs([1, 2]), true],
    ])
    expect(await lane.closing('2026-11-29')).toMatchObject({
      totals: totalsOfZs([first, second]),
      grandTotals: second.grandTotals,
      shifts: 2,
      countedCents: 22_500,
      from: first.shifts[0]?.openedAt,
      at: second.at,
      closedBy: second.closedBy.name,
    })

    // Every Z is in one day and in one month, and each figure of a month is the sum of its days.
    const months = await lane.list('span=month')
    const all = [first, second, third, fourth]
    const numbersIn = ({ closings }: ClosingList) =>
      closings.flatMap(({ zs }) => zs.flatMap(({ first: a, last: b }) => [a, b]))
    expect([...new Set(numbersIn(days))].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
    expect(months.closings.map(({ period, zs, isOver }) => [period, zs, isOver])).toEqual([
      ['2026-12', runs([4, 4]), false],
      ['2026-11', runs([1, 3]), true],
    ])
    for (const { period, sales, totalCents, returnedCents, differenceCents } of months.closings) {
      const inIt = days.closings.filter((day) => day.period.startsWith(period))
      const of = (figure: 'sales' | 'totalCents' | 'returnedCents' | 'differenceCents') =>
        inIt.reduce((total, day) => total + day[figure], 0)
      expect([sales, totalCents, returnedCents, differenceCents]).toEqual([
        of('sales'),
        of('totalCents'),
        of('returnedCents'),
        of('differenceCents'),
      ])
      expect(totalCents).toBe((await lane.closing(period)).totals.sales.totalCents)
    }
    const total = (zs: readonly ZReport[]) => zs.reduce((cents, { totals }) => cents + totals.sales.totalCents, 0)
    expect(days.closings.reduce((cents, { totalCents }) => cents + totalCents, 0)).toBe(total(all))
    expect((await lane.closing('2026-12')).grandTotals.salesCents).toBe(total(all))
    expect(days.closings.map(({ differenceCents }) => differenceCents)).toEqual(
      [[fourth], [third], [first, second]].map((zs) =>
        zs.flatMap(({ shifts }) => shifts).reduce((cents, { differenceCents }) => cents + differenceCents, 0),
      ),
    )
  })

  test('before a given day or month are returned newest first', async () => {
    const lane = await open('2026-11-29T10:00:00-05:00')
    for (const next of ['2026-11-30', '2026-12-01', '2026-12-02'].map((day) => `${day}T10:00:00-05:00`)) {
      await lane.drawer(['A', 1])
      await lane.z(10_500)
      await lane.until(next)
    }
    const before = await lane.list('span=day&before=2026-12-01')
    expect(before.closings.map(({ period }) => period)).toEqual(['2026-11-30', '2026-11-29'])
    expect(before.more).toBe(false)
    expect((await lane.list('span=month&before=2026-12')).closings.map(({ period }) => period)).toEqual(['2026-11'])
  })

  test('are listed by queries that find shifts by an index and Z reports by their key', async () => {
    const { here } = await open('2026-11-29T10:00:00-05:00')
    const plan = (query: string) =>
      here.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`).map(({ detail }) => detail)
    expect(plan(Z_OPENINGS)).toEqual(['SEARCH shift USING INDEX shift_of_z (z_number>?)'])
    expect(plan(Z_FIGURES.replace('@ids', "'[1]'"))[0]).toBe('SEARCH z_report USING INTEGER PRIMARY KEY (rowid=?)')
  })

  test('of a day contain the Zs of both passes of the hour that repeats when the clocks go back', async () => {
    const lane = await open('2026-10-31T23:30:00-04:00')
    for (const [moment, day] of [
      ['2026-10-31T23:59:00-04:00', '2026-10-31'],
      ['2026-11-01T01:30:00-04:00', '2026-11-01'],
      ['2026-11-01T01:30:00-05:00', '2026-11-01'],
      ['2026-11-01T23:59:00-05:00', '2026-11-01'],
      ['2026-11-02T00:00:00-05:00', '2026-11-02'],
    ] as const) {
      await lane.until(moment)
      await lane.drawer(['A', 1])
      await lane.z(10_500)
      expect((await lane.list('span=day')).closings[0]?.period, moment).toBe(day)
    }
    const { closings } = await lane.list('span=day')
    expect(closings.map(({ period, zs, sales }) => [period, zs, sales])).toEqual([
      ['2026-11-02', runs([5, 5]), 1],
      ['2026-11-01', runs([2, 4]), 3],
      ['2026-10-31', runs([1, 1]), 1],
    ])
    expect((await lane.list('span=month')).closings.map(({ period, sales }) => [period, sales])).toEqual([
      ['2026-11', 4],
      ['2026-10', 1],
    ])
  })

  test('are marked as over when a Z contains the last drawer that was opened in their period', async () => {
    const lane = await open('2026-11-30T10:00:00-05:00')
    await lane.drawer(['A', 1])
    await lane.z(10_500)
    await lane.drawer(['A', 1])
    await lane.until('2026-12-01T10:00:00-05:00')
    for (const period of ['2026-11-30', '2026-11']) expect((await lane.closing(period)).isOver).toBe(false)
    await lane.z(10_500)
    for (const period of ['2026-11-30', '2026-11']) expect((await lane.closing(period)).isOver).toBe(true)
  })

  test('of a day exclude another day’s Z numbered between theirs; the month’s closing includes it', async () => {
    const lane = await open('2026-11-29T10:00:00-05:00', { shifts: { drawers: 'cashier' } })
    await lane.drawer(['A', 1])
    await lane.until('2026-11-30T10:00:00-05:00')
    await lane.signIn('alex')
    await lane.drawer(['A', 2])
    await lane.closeDrawer(11_000)
    await lane.signIn('sam')
    expect((await lane.closeDay()).totals.sales.totalCents).toBe(1_000)
    await lane.z(10_500)
    await lane.drawer(['A', 4])
    await lane.z(12_000)
    expect((await lane.list('span=day')).closings.map(({ period, zs, sales }) => [period, zs, sales])).toEqual([
      ['2026-11-30', runs([1, 1], [3, 3]), 2],
      ['2026-11-29', runs([2, 2]), 1],
    ])
    expect(flat((await lane.paper('2026-11-30')).document.blocks)).toContain('Z 1, 3')
    expect(flat((await lane.paper('2026-11')).document.blocks)).toContain('Z 1 to 3')
  })
})

describe('closings on paper and as a file', () => {
  test('are printed as an original, then as numbered copies, and as an original again after a further Z', async () => {
    const lane = await open('2026-11-29T10:00:00-05:00')
    await lane.drawer(['A', 2])
    await lane.z(11_000)
    const id = 'CLOSING20261129Z1X'
    expect(await lane.paper('2026-11-29')).toMatchObject({ id, print: null })
    expect((await lane.print('2026-11-29')).body).toEqual({ print: 'queued' })
    await lane.here.printed(id)
    expect((await lane.print('2026-11-29')).body).toEqual({ print: 'queued' })
    await lane.here.printed(id, 'confirmed', 1)
    expect(await lane.paper('2026-11-29')).toMatchObject({ id, print: 'confirmed' })
    await lane.drawer(['A', 1])
    await lane.z(10_500)
    await lane.until('2026-11-30T10:00:00-05:00')
    for (const copy of [0, 1, 2]) {
      await lane.print('2026-11-29')
      await lane.here.printed('CLOSING20261129Z2', 'confirmed', copy)
    }
    const papers = lane.papers()
    expect(papers.map(({ subject, copy }) => [subject, copy])).toEqual([
      [id, 0],
      [id, 1],
      ['CLOSING20261129Z2', 0],
      ['CLOSING20261129Z2', 1],
      ['CLOSING20261129Z2', 2],
    ])
    expect(papers.map(({ document }) => /"COPY( \d)?"/.exec(document)?.[0] ?? null)).toEqual([
      null,
      '"COPY 1"',
      null,
      '"COPY 1"',
      '"COPY 2"',
    ])
    expect(papers.map(({ document }) => document.includes('So far'))).toEqual([true, true, false, false, false])
    expect(
      lane.here
        .read<{ kind: string; subject: string }>(
          `SELECT kind, subject FROM audit_entry WHERE subject LIKE 'CLOSING%' ORDER BY id`,
        )
        .map(({ kind, subject }) => `${kind} ${subject}`),
    ).toEqual([
      `closing-printed ${id}`,
      `receipt-reprinted ${id}`,
      'closing-printed CLOSING20261129Z2',
      'receipt-reprinted CLOSING20261129Z2',
      'receipt-reprinted CLOSING20261129Z2',
    ])
  })

  test.each([
    { locale: 'en-CA', heading: 'MONTHLY CLOSING', soFar: 'So far', copy: 'COPY', drawers: 'Drawers closed (2)' },
    { locale: 'fr-CA', heading: 'FERMETURE DU MOIS', soFar: 'À ce jour', copy: 'COPIE', drawers: 'Tiroirs fermés (2)' },
  ])(
    'have in the PDF file the lines of the paper, marked as a copy once the period is over: $locale',
    async ({ locale, heading, soFar, copy, drawers }) => {
      const lane = await open('2026-11-29T10:00:00-05:00')
      await lane.here.call('PUT', '/api/staff/me/locale', { locale })
      for (const _day of [1, 2]) {
        await lane.drawer(['A', 2], ['B', 1])
        await lane.z(12_000)
      }
      const linesOf = (text: string) =>
        text
          .split(/[\n\f]/)
          .map((line) => line.replaceAll(/\s+/g, ' ').trim())
          .filter((line) => line !== '')
      const file = () => lane.here.file('/api/closings/2026-11/report.pdf')
      const early = await file()
      expect([early.status, early.type]).toEqual([200, 'application/pdf'])
      expect(early.disposition).toBe('attachment; filename="closing_TRAIN-001_lane-01_2026-11-Z2.pdf"')
      const earlyLines = linesOf(textOfPdf(early.bytes))
      expect(earlyLines).toContain(soFar)
      expect(earlyLines.join('\n')).not.toContain(copy)

      await lane.until('2026-12-01T08:00:00-05:00')
      const over = await file()
      expect(over.disposition).toBe('attachment; filename="closing_TRAIN-001_lane-01_2026-11.pdf"')
      const lines = linesOf(textOfPdf(over.bytes))
      const paper = flat((await lane.paper('2026-11')).document.blocks).map((line) =>
        line.replaceAll(/\s+/g, ' ').trim(),
      )
      for (const line of [heading, '2026-11']) expect(paper).toContain(line)
      expect(paper.some((line) => line.startsWith(drawers))).toBe(true)
      expect(lines.filter((line) => paper.includes(line))).toEqual(paper)
      expect(lines.filter((line) => line === copy)).toHaveLength(1)
      // Once a printed paper has decided the language, the file has the same bytes at any time and for any reader.
      await lane.print('2026-11')
      await lane.here.call('PUT', '/api/staff/me/locale', { locale: locale === 'en-CA' ? 'fr-CA' : 'en-CA' })
      await lane.until('2026-12-05T08:00:00-05:00')
      expect((await file()).bytes.equals(over.bytes)).toBe(true)
    },
  )

  test('are returned only to a manager, and only for days and months that have a Z', async () => {
    const lane = await open('2026-11-29T10:00:00-05:00')
    await lane.drawer(['A', 2])
    await lane.z(11_000)
    for (const path of ['', '/paper', '/report.pdf']) {
      expect((await lane.here.call('GET', `/api/closings/2026-10${path}`)).body).toMatchObject({ code: 'not-found' })
      expect((await lane.here.call('GET', `/api/closings/2026-13${path}`)).status).toBe(400)
    }
    expect(await lane.here.refused('POST', '/api/closings/2026-11-28/print')).toBe('not-found')
    await lane.signIn('alex')
    for (const path of ['?span=day', '/2026-11', '/2026-11/paper', '/2026-11/report.pdf'])
      expect(await lane.here.refused('GET', `/api/closings${path}`)).toBe('manager-required')
    expect(await lane.here.refused('POST', '/api/closings/2026-11/print')).toBe('manager-required')
    expect(lane.papers()).toEqual([])
  })
})
