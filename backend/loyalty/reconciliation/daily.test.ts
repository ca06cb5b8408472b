import { describe, expect, onTestFinished, test } from 'vitest'
import { ReconciliationDays, ReconciliationExport } from '../../../contracts/loyalty/reconciliation.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { dayAt } from './approvals-on-retry.ts'
import { testLog } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { manualClock } from '../../../packages/lab/testing/manual-clock.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import {
  dayOf,
  noon,
  openReconciliation,
  redeem,
  type ReconciliationHarness,
} from '../../../packages/lab/testing/reconciliation-harness.ts'
import { APPLES, buy, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { startComponents, stopComponents } from '../../core/lifecycle.ts'
import { dailyReportsOf, reconciliationOf } from './reconciliation.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

const FINE = '80000000011'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const { timeZone } = trainingProfile()
const central = useCentral()

type HeldClock = ReturnType<typeof manualClock>
const untilMidnight = ({ now }: Pick<HeldClock, 'now'>): number => {
  let ms = 0
  while (dayAt(now() + ms, timeZone) === dayAt(now(), timeZone)) ms += MINUTE_MS
  return ms
}

async function lane(options: { folder?: string; clock?: HeldClock; stopped?: boolean } = {}) {
  const clock = options.clock ?? manualClock(noon(), { from: MINUTE_MS })
  const here = await openReconciliation(central, { ...options, clock })
  const { log, lines } = testLog()
  const ctx = testContext({ clock, log })
  const { failStop } = ctx.outbox
  if (options.stopped) Object.assign(failStop, { reason: 'storage-failed' })
  reconciliationOf.provide(ctx, here.reconciliation)
  dailyReportsOf(ctx)
  const daily = { start: () => startComponents(ctx, 'work') }
  onTestFinished(() => stopComponents(ctx))
  return { ...here, clock, daily, lines }
}

interface StoredReport {
  readonly business_day: string
  readonly copy: number
  readonly staff_id: string | null
  readonly report: string | null
}
const storedReports = ({ db }: Pick<ReconciliationHarness, 'db'>): StoredReport[] =>
  db
    .prepare<[], StoredReport>(
      'SELECT business_day, copy, staff_id, report, hex(sha256) FROM reconciliation_export ORDER BY id',
    )
    .all()
const daysOf = (here: Pick<ReconciliationHarness, 'db'>): string[] =>
  storedReports(here).map(({ business_day: day }) => day)

test('a finished day gets its reconciliation report within a minute, and never before its end', async () => {
  const here = await lane()
  const day = dayOf(here)
  const retried = await redeem(here, central, FINE, true)
  await redeem(here, central, FINE, false)
  here.transact((tx) =>
    tx.run(
      here.db.prepare(`INSERT INTO z_report (number, lane, at, staff_id, last_audit, last_entry, report)
        VALUES (1, '01', ?, 'alex', 0, 0, '{}')`),
      here.clock.now(),
    ),
  )
  here.daily.start()
  here.clock.advance(untilMidnight(here.clock) - 1)
  expect(dayAt(here.clock.now(), timeZone)).toBe(day)
  expect(storedReports(here)).toEqual([])
  expect(here.reconciliation.days()).toMatchObject([{ businessDay: day, state: 'open' }])
  here.clock.advance(1 + MINUTE_MS)
  expect(storedReports(here)).toMatchObject([{ business_day: day, copy: 0, staff_id: null }])
  const { report } = here.reconciliation.original(day)
  expect(report).toMatchObject({
    status: 'original',
    exportedBy: null,
    rows: [{ operationId: retried.id, state: 'approved' }],
    totals: { rows: 1, units: 1, amountCents: 1000, miles: 95 },
  })
  expect(here.reconciliation.days()).toMatchObject([{ businessDay: day, state: 'exported', copies: 0 }])
  expect(here.audits()).toEqual([`reconciliation-made null ${day} 0`])
  here.clock.advance(DAY_MS / 2)
  expect(storedReports(here)).toHaveLength(1)
  expect(here.audits()).toHaveLength(1)
  expect(here.lines()).not.toContain('could not make the reconciliation report')
})

test('a terminal that was off for three days makes each due reconciliation report once at its next start', async () => {
  const clock = manualClock(noon(), { from: MINUTE_MS })
  const before = await lane({ clock })
  const days = []
  const retried = []
  for (let day = 0; day < 3; day += 1) {
    days.push(dayOf(before))
    retried.push((await redeem(before, central, FINE, true)).id)
    before.clock.advance(DAY_MS)
  }
  before.close()
  clock.advance(3 * DAY_MS)
  const here = await lane({ clock, folder: before.folder })
  const today = await redeem(here, central, FINE, true)
  here.daily.start()
  expect(daysOf(here)).toEqual(days)
  expect(
    days.map((day) => here.reconciliation.original(day).report.rows.map(({ operationId }) => operationId)),
  ).toEqual(retried.map((id) => [id]))
  expect(here.audits()).toEqual(days.map((day) => `reconciliation-made null ${day} 0`).toReversed())
  here.clock.advance(2 * MINUTE_MS)
  expect(daysOf(here)).toEqual(days)
  here.close()

  const again = await lane({ clock, folder: before.folder })
  again.daily.start()
  expect(daysOf(again), 'another start makes no other').toEqual(days)
  expect(again.reconciliation.preview(dayOf(again)).rows).toMatchObject([{ operationId: today.id }])
  expect(again.reconciliation.ledger()).toMatchObject({ reported: { rows: 3 }, waiting: { rows: 1 }, ties: true })
})

describe('making a reconciliation report', () => {
  const refuse = ({ db }: Pick<ReconciliationHarness, 'db'>, table: string, when: string): void => {
    db.exec(`CREATE TEMP TRIGGER refusing BEFORE INSERT ON main.${table} WHEN ${when}
      BEGIN SELECT RAISE(ABORT, 'not today'); END`)
  }

  test('is rolled back, logged and retried a minute later if it fails', async () => {
    const here = await lane()
    const day = dayOf(here)
    await redeem(here, central, FINE, true)
    here.clock.advance(DAY_MS)
    refuse(here, 'audit_entry', "NEW.kind = 'reconciliation-made'")
    here.daily.start()
    expect(here.lines()).toContain('could not make the reconciliation report of a day: trying again in a minute')
    expect(here.lines()).toContain('not today')
    expect(storedReports(here)).toEqual([])
    expect(here.db.prepare('SELECT count(*) FROM reconciliation_row').pluck().get()).toBe(0)
    expect(here.reconciliation.days()).toMatchObject([{ businessDay: day, state: 'due' }])
    here.db.exec('DROP TRIGGER refusing')
    here.clock.advance(MINUTE_MS - 1)
    expect(storedReports(here)).toEqual([])
    here.clock.advance(1)
    expect(daysOf(here)).toEqual([day])
    expect(here.audits()).toEqual([`reconciliation-made null ${day} 0`])
  })

  test('fails for one day without blocking the reports of other days', async () => {
    const here = await lane()
    const first = dayOf(here)
    await redeem(here, central, FINE, true)
    here.clock.advance(DAY_MS)
    const second = dayOf(here)
    await redeem(here, central, FINE, true)
    here.clock.advance(DAY_MS)
    refuse(here, 'reconciliation_export', `NEW.business_day = '${first}'`)
    here.daily.start()
    expect(daysOf(here)).toEqual([second])
    expect(here.lines()).toContain('not today')
    here.db.exec('DROP TRIGGER refusing')
    here.clock.advance(MINUTE_MS)
    expect(daysOf(here)).toEqual([second, first])
    expect(here.reconciliation.ledger()).toMatchObject({ reported: { rows: 2 }, waiting: { rows: 0 }, ties: true })
  })

  test('is not attempted on a terminal that has stopped after a storage failure', async () => {
    const here = await lane({ stopped: true })
    await redeem(here, central, FINE, true)
    here.clock.advance(DAY_MS)
    here.daily.start()
    here.clock.advance(MINUTE_MS)
    expect(storedReports(here)).toEqual([])
  })
})

test('the original reconciliation report stays unchanged after a reversal, a copy or a clock set back', async () => {
  const here = await lane()
  const day = dayOf(here)
  const retried = await redeem(here, central, FINE, true)
  here.clock.advance(DAY_MS)
  here.daily.start()
  const [made] = storedReports(here)
  const file = JSON.stringify(here.reconciliation.original(day))
  const unchanged = (): void => {
    expect(storedReports(here).filter(({ copy, business_day: of }) => copy === 0 && of === day)).toEqual([made])
    expect(JSON.stringify(here.reconciliation.original(day))).toBe(file)
  }
  here.reconciliation.markSent(day, 'alex', { note: 'Sent by mail' })
  unchanged()
  here.transact((tx) => here.reversals.request(tx, retried))
  await here.until(retried.id, 'reversed', 'reversal-expired')
  unchanged()
  expect(here.reconciliation.export(day, 'alex').report).toMatchObject({ status: 'copy', sameAsOriginal: false })
  unchanged()
  here.clock.set(-DAY_MS)
  await redeem(here, central, FINE, true)
  here.clock.advance(3 * DAY_MS)
  expect(daysOf(here)).toHaveLength(3)
  unchanged()
})

describe('marking a reconciliation report as sent', () => {
  test('records once and permanently who sent it and when', async () => {
    const here = await lane()
    const day = dayOf(here)
    expect(() => here.reconciliation.markSent(day, 'alex', { note: 'Sent by mail' })).toThrow('not-found')
    await redeem(here, central, FINE, true)
    here.clock.advance(DAY_MS)
    here.daily.start()
    here.clock.advance(90_000)
    const sentAt = new Date(here.clock.now()).toISOString()
    expect(() => here.reconciliation.markSent(day, 'alex', { note: `to ${FINE}` })).toThrow('note-holds-number')
    expect(here.reconciliation.days()).toMatchObject([{ state: 'exported', sentAt: null, sentBy: null }])
    here.reconciliation.markSent(day, 'alex', { note: 'Sent by mail' })
    here.clock.advance(MINUTE_MS)
    expect(() => here.reconciliation.markSent(day, 'alex', { note: 'And once more' })).toThrow('report-sent-already')
    expect(here.audits()).toEqual([`reconciliation-sent alex ${day} undefined`, `reconciliation-made null ${day} 0`])
    here.close()
    const next = await lane({ clock: here.clock, folder: here.folder })
    next.daily.start()
    expect(next.reconciliation.days()).toMatchObject([{ businessDay: day, state: 'sent', sentAt, sentBy: 'ALEX' }])
    expect(next.db.prepare('SELECT staff_id, note FROM reconciliation_sent').all()).toEqual([
      { staff_id: 'alex', note: 'Sent by mail' },
    ])
  })
})

describe('a complete terminal', () => {
  const asSam = (here: TerminalHarness) => here.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  const days = async (here: TerminalHarness) =>
    ReconciliationDays.parse((await here.call('GET', '/api/reconciliation/days')).body)
  const lose = (times: number) =>
    central.faults({ path: CASH_PATHS.redeem, occurrence: 1, times, action: { kind: 'drop-after' } })

  async function endDay(here: TerminalHarness): Promise<void> {
    const [{ id } = { id: 0 }] = here.read<{ id: number }>('SELECT max(id) AS id FROM shift')
    const counted = { cash: { by: 'sum', cents: 0 }, cardSlipsCents: null, chequesCents: null }
    await here.call('POST', `/api/shifts/${id}/counts`, { count: counted })
    await here.call('POST', `/api/shifts/${id}/close`, { reason: 'training', leftCents: 0 })
    const { status, body } = await here.call('POST', '/api/z-reports')
    expect(status, JSON.stringify(body)).toBe(200)
  }

  const bySql = (here: TerminalHarness) =>
    here.read<{ id: string; amountCents: number; miles: number }>(`SELECT operation.id, operation.miles,
      operation.amount_cents AS amountCents FROM operation JOIN journal_entry ON operation_id = operation.id
      WHERE kind = 'redemption' AND from_state = 'retry' AND to_state = 'approved' ORDER BY seq`)

  test('makes a reconciliation report that matches the lane’s records and has only retry approvals', async () => {
    // Set the clock of the reference services to the lane's noon: otherwise the two clocks could differ by half a day.
    await central.moveClock(Date.parse(noon()) - Date.now())
    const clock = manualClock(noon(), { from: MINUTE_MS })
    const here = await openTerminalHarness(central, { clock, staffId: 'sam' })
    const day = dayOf({ clock })
    await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 1 })
    await lose(1)
    const sold = await buy(here, [[DETERGENT, 2]], { card: 'fine', units: 2 })
    await lose(1)
    await here.ring(DETERGENT)
    const known = await here.swipe('fine')
    const { sale: cancelling } = (
      await here.call('POST', `/api/sales/${known.id}/redemption`, { version: known.version, units: 1 })
    ).body
    await here.call('POST', `/api/sales/${known.id}/cancel`, { version: cancelling.version })
    await here.untilOperation('redeem', 'reversed')
    await returnPieces(here, sold, [1, 1])
    await returnPieces(here, await buy(here, [[APPLES, 1]]), [1, 1])
    await endDay(here)

    const approved = bySql(here)
    expect(approved.map(({ amountCents, miles }) => [amountCents, miles])).toEqual([
      [2000, 190],
      [1000, 95],
    ])
    const types = here.operations().map(({ type }) => type)
    expect(types.filter((type) => type === 'redeem')).toHaveLength(3)
    expect(types).toEqual(expect.arrayContaining(['issue', 'return']))

    clock.advance(untilMidnight(clock) + MINUTE_MS)
    expect(await here.refused('GET', '/api/reconciliation/days')).toBe('sign-in-required')
    await asSam(here)
    const sum = { rows: 2, amountCents: 3000, miles: 285 }
    expect(await days(here)).toMatchObject({
      days: [{ businessDay: day, state: 'exported', totals: sum, exportedBy: null }],
      ledger: { approved: sum, reported: sum, waiting: { rows: 0, amountCents: 0, miles: 0 }, ties: true },
    })
    const { report, csv } = ReconciliationExport.parse(
      (await here.call('GET', `/api/reconciliation/days/${day}/original`)).body,
    )
    expect(report.rows.map(({ operationId, amountCents, miles }) => ({ id: operationId, amountCents, miles }))).toEqual(
      approved,
    )
    expect(report.rows.map(({ state }) => state)).toEqual(['approved', 'reversed'])
    expect(csv.match(/^"?approval/gm)).toHaveLength(2)
    expect(
      here.read(`SELECT count(*) AS rows, sum(amount_cents) AS amountCents, sum(miles) AS miles FROM operation
        WHERE id IN (SELECT operation_id FROM reconciliation_row)`),
    ).toEqual([sum])
  })

  test('makes an empty reconciliation report for a day closed by a Z; only a manager marks it as sent', async () => {
    const clock = manualClock(noon(), { from: MINUTE_MS })
    const first = await openTerminalHarness(central, { clock, staffId: 'sam' })
    const day = dayOf({ clock })
    await buy(first, [[APPLES, 1]])
    await endDay(first)
    await first.close()
    clock.advance(3 * DAY_MS)

    const here = await openTerminalHarness(central, { clock, folder: first.folder })
    const sent = { note: 'Sent by mail' }
    const path = `/api/reconciliation/days/${day}`
    expect(await here.refused('POST', `${path}/sent`, sent)).toBe('manager-required')
    expect(await here.refused('GET', `${path}/original`)).toBe('manager-required')
    await asSam(here)
    expect((await days(here)).days).toMatchObject([{ businessDay: day, state: 'exported', totals: { rows: 0 } }])
    expect(await here.refused('POST', `${path}/sent`, { note: ' ' })).toBe('body-invalid')
    const { status, body } = await here.call('POST', `${path}/sent`, sent)
    expect(status).toBe(200)
    expect(ReconciliationDays.parse(body).days).toMatchObject([{ state: 'sent', sentBy: 'Sam Okafor' }])
    expect(await here.refused('POST', `${path}/sent`, sent)).toBe('report-sent-already')
    expect(here.read("SELECT count(*) AS times FROM audit_entry WHERE kind LIKE 'reconciliation-%'")).toEqual([
      { times: 2 },
    ])
  })
})
