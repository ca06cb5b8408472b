import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { BusinessDay } from '../../../contracts/loyalty/reconciliation.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { parseCsv } from '../../catalog/editions/csv.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  dayOf,
  newReconciledSale,
  openReconciliation,
  redeem as redeemAt,
  type ReconciliationHarness,
} from '../../../packages/lab/testing/reconciliation-harness.ts'
import { APPROVALS, CLOSED_AT, createReconciliationRepository, LEDGER, ORIGINALS } from './reconciliation.sql.ts'

const FINE = '80000000011'
const OTHER = '80000000145'
const central = useCentral()
const DAY_MS = 86_400_000

type Office = ReconciliationHarness
const office = (): Promise<Office> => openReconciliation(central)
const redeem = (here: Office, collector: string, lost: boolean) => redeemAt(here, central, collector, lost)
const ids = (rows: readonly { operationId: string }[]): string[] => rows.map(({ operationId }) => operationId)

describe('the approvals in a reconciliation report', () => {
  test('are exactly those on a retry, with the fields by which the operator matches them', async () => {
    const here = await office()
    const first = await redeem(here, OTHER, false)
    const retried = await redeem(here, OTHER, true)
    expect([first.approvedOnAttempt, retried.approvedOnAttempt]).toEqual([1, 2])
    await central.faults({ path: CASH_PATHS.redeem, action: { kind: 'drop-before' } })
    const lost = await here.redemptions.redeem(here.redemption(newReconciledSale(here), OTHER, 1))
    expect(lost.state).toBe('escalated')

    const report = here.reconciliation.preview(dayOf(here))
    const call = here.journal.call(retried.id, 'redeem')
    expect(report).toMatchObject({
      status: 'preview',
      copy: 0,
      exportedAt: null,
      totals: { rows: 1, units: 1, amountCents: 1000, miles: 95 },
    })
    expect(report.rows).toEqual([
      {
        operationId: retried.id,
        saleId: retried.saleId,
        lane: retried.saleId,
        storeId: 'TRAIN-001',
        sponsorCode: 'NRTH',
        deviceId: expect.any(String) as string,
        traceId: call.traceId,
        idempotencyKey: call.idempotencyKey,
        confirmationNumber: retried.confirmationNumber,
        dateTime: call.dateTime,
        transDateTime: retried.transDateTime,
        approvedAt: new Date(here.clock.now()).toISOString(),
        collector: '•••• ••• 0145',
        units: 1,
        amountCents: 1000,
        miles: 95,
        responseCode: '0000',
        state: 'approved',
      },
    ])
  })

  test('include approvals for which a reversal was requested later, with their current state', async () => {
    const here = await office()
    const retried = await redeem(here, OTHER, true)
    await central.faults({
      path: CASH_PATHS.reverse,
      action: { kind: 'answer', status: 409, body: { responseCode: '0080', message: 'Reversal window expired' } },
    })
    here.transact((tx) => here.reversals.request(tx, retried))
    await here.until(retried.id, 'reversal-expired', 'reversed')
    expect(here.journal.get(retried.id)).toMatchObject({ state: 'reversal-expired', responseCode: '0080' })
    expect(here.reconciliation.preview(dayOf(here)).rows).toMatchObject([
      { state: 'reversal-expired', responseCode: '0000', miles: 95 },
    ])
  })
})

describe('the export of a reconciliation report', () => {
  test('is refused for a day that is not over, which has only a preview', async () => {
    const here = await office()
    await redeem(here, FINE, true)
    expect(here.reconciliation.days()).toMatchObject([{ businessDay: dayOf(here), state: 'open', totals: { rows: 1 } }])
    expect(() => here.reconciliation.export(dayOf(here), 'alex')).toThrow('day-not-over')
    expect(here.audits()).toEqual([])
  })

  test('makes the original first and then marked copies, and records each in the audit trail', async () => {
    const here = await office()
    const day = dayOf(here)
    const retried = await redeem(here, OTHER, true)
    here.clock.advance(DAY_MS)
    expect(here.reconciliation.days()).toMatchObject([{ businessDay: day, state: 'due' }])

    const original = here.reconciliation.export(day, 'alex')
    const copy = here.reconciliation.export(day, 'alex')
    const second = here.reconciliation.export(day, 'alex')
    expect([original, copy, second].map(({ report }) => [report.status, report.copy, report.sameAsOriginal])).toEqual([
      ['original', 0, null],
      ['copy', 1, true],
      ['copy', 2, true],
    ])
    expect(copy.report.rows).toEqual(original.report.rows)
    expect([original, second].map(({ fileName }) => fileName)).toEqual([
      `reconciliation_TRAIN-001_lane-01_${day}`,
      `reconciliation_TRAIN-001_lane-01_${day}_copy-2`,
    ])
    expect(here.reconciliation.days()).toMatchObject([
      {
        businessDay: day,
        state: 'exported',
        exportedBy: 'ALEX',
        copies: 2,
        totals: { rows: 1, amountCents: 1000, miles: 95 },
      },
    ])
    expect(here.audits()).toEqual([2, 1, 0].map((number) => `reconciliation-export alex ${day} ${number}`))

    const [header = [], row = [], total = []] = [...parseCsv([copy.csv.slice(1)])].map(({ fields }) => fields)
    const cell = (fields: readonly string[], name: string): string | undefined => fields[header.indexOf(name)]
    expect(
      ['report', 'sale_id', 'confirmation_number', 'collector', 'dollars', 'miles', 'response_code'].map((name) =>
        cell(row, name),
      ),
    ).toEqual(['copy 1', retried.saleId, retried.confirmationNumber, '•••• ••• 0145', '10.00', '95', '0000'])
    expect(['record', 'report', 'units', 'dollars', 'miles'].map((name) => cell(total, name))).toEqual([
      'total',
      'copy 1',
      '1',
      '10.00',
      '95',
    ])
    expect(copy.csv).not.toContain(OTHER)
  })

  test('marks a copy that differs from the original after a reversal', async () => {
    const here = await office()
    const day = dayOf(here)
    const retried = await redeem(here, OTHER, true)
    here.clock.advance(DAY_MS)
    here.reconciliation.export(day, 'alex')
    here.transact((tx) => here.reversals.request(tx, retried))
    await here.until(retried.id, 'reversed', 'reversal-expired')
    expect(here.reconciliation.export(day, 'alex').report).toMatchObject({
      status: 'copy',
      sameAsOriginal: false,
      totals: { rows: 1, miles: 95 },
    })
  })

  test('moves an approval to the next unreported day if the clock was set back to an exported day', async () => {
    const here = await office()
    const day = dayOf(here)
    await redeem(here, OTHER, true)
    here.clock.advance(DAY_MS)
    const next = dayOf(here)
    here.reconciliation.export(day, 'alex')
    here.clock.advance(-DAY_MS)
    const late = await redeem(here, OTHER, true)
    expect(here.reconciliation.preview(day).rows).toHaveLength(1)
    expect(ids(here.reconciliation.preview(next).rows)).toEqual([late.id])
    here.clock.advance(2 * DAY_MS)
    expect(ids(here.reconciliation.export(next, 'alex').report.rows)).toEqual([late.id])
  })

  test('makes a copy of an exported day while the clock is set back to before the end of that day', async () => {
    const here = await office()
    const day = dayOf(here)
    await redeem(here, OTHER, true)
    here.clock.advance(DAY_MS)
    here.reconciliation.export(day, 'alex')
    here.clock.advance(-DAY_MS)
    expect(here.reconciliation.export(day, 'alex').report).toMatchObject({
      status: 'copy',
      copy: 1,
      sameAsOriginal: true,
    })
  })

  test('is refused for a day without approvals', async () => {
    const here = await office()
    expect(() => here.reconciliation.export(BusinessDay.parse('2020-01-01'), 'alex')).toThrow('not-found')
  })
})

test('every approval on a retry, and no other, is in exactly one original of a reconciliation report', async () => {
  // Writes only the journal's transitions, without the loyalty service, so that hundreds of histories are fast.
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('approve' as const), attempt: fc.constantFrom(1, 2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('escalate' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('clock' as const), hours: fc.integer({ min: -30, max: 60 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('export' as const), back: fc.integer({ min: 0, max: 3 }) }) },
  )
  const here = await office()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const retried = new Set<string>()
      const before = new Set(here.db.prepare('SELECT operation_id FROM reconciliation_row').pluck().all() as string[])
      const originals: string[] = []
      const exportAll = (): void => {
        for (const { businessDay, state } of here.reconciliation.days())
          if (state === 'due') originals.push(...ids(here.reconciliation.export(businessDay, 'alex').report.rows))
      }
      for (const now of steps) {
        if (now.kind === 'clock') here.clock.advance(now.hours * 3_600_000)
        else if (now.kind === 'export') {
          const due = here.reconciliation.days().filter(({ state }) => state !== 'open')[now.back]
          if (due) {
            const { report } = here.reconciliation.export(due.businessDay, 'alex')
            if (report.status === 'original') originals.push(...ids(report.rows))
          }
        } else {
          const plan = here.redemption(newReconciledSale(here), FINE, 1)
          const request = plan.request()
          const { id } = here.transact((tx) =>
            here.journal.open(tx, {
              kind: 'redemption',
              type: 'redeem',
              saleId: plan.saleId,
              collectorHash: plan.collectorHash,
              state: 'intent',
              sending: true,
              facts: { units: 1 },
              call: {
                purpose: 'redeem',
                path: '/r',
                idempotencyKey: crypto.randomUUID(),
                traceId: request.traceId,
                dateTime: request.dateTime,
                request: Buffer.from(JSON.stringify(request)),
              },
            }),
          )
          const second = now.kind === 'escalate' || now.attempt === 2
          if (second) here.transact((tx) => here.journal.move(tx, id, 'retry', { sending: 'redeem' }))
          if (now.kind === 'escalate') here.transact((tx) => here.journal.move(tx, id, 'escalated'))
          else
            here.transact((tx) =>
              here.journal.move(tx, id, 'approved', {
                facts: {
                  approvedOnAttempt: now.attempt,
                  units: 1,
                  amountCents: 1000,
                  miles: 95,
                  confirmationNumber: 'C',
                  transDateTime: request.dateTime,
                  responseCode: '0000',
                },
              }),
            )
          if (now.kind === 'approve' && second) retried.add(id)
        }
      }
      here.clock.advance(60 * DAY_MS)
      exportAll()
      const created = originals.filter((id) => !before.has(id))
      expect(created.toSorted()).toEqual([...retried].toSorted())
      expect(here.reconciliation.days().every(({ state }) => state === 'exported')).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('the lists of approvals and reconciliation reports are read by their indexes', async () => {
  const here = await office()
  const plan = (sql: string, ...values: unknown[]): string =>
    (here.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n')
  expect(plan(APPROVALS, null)).toMatch(/operation USING INDEX operation_reconciliation/)
  expect(plan(APPROVALS, null)).not.toMatch(/SCAN (entry|journal_entry|sale|reconciliation_row)$/m)
  expect(plan(ORIGINALS, 10)).toMatch(/sqlite_autoindex_reconciliation_export_1/)
  expect(plan(LEDGER)).toBe('SCAN operation USING INDEX operation_reconciliation')
  // The query of closed days reads the newest few Zs by number, which is the table's own order.
  expect(plan(CLOSED_AT, 10)).toBe('SCAN z_report')
})

test('no reconciliation query scans a table, except for the sum of the originals and the newest Zs', async () => {
  const { db } = await office()
  const prepared = vi.spyOn(db, 'prepare')
  createReconciliationRepository(db)
  const questions = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('SELECT'))
  prepared.mockRestore()
  const reading = questions.filter((sql) =>
    db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(sql.match(/\?/g) ?? []).map(() => 1))
      .some(({ detail }) => /^SCAN (?!CONSTANT ROW|entry_of)\w+$/.test(detail)),
  )
  expect(questions.length).toBeGreaterThan(6)
  expect(reading).toEqual([expect.stringContaining('sum(rows)'), CLOSED_AT])
})
