import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BusinessDay, type ReconciliationReport } from '../../../contracts/loyalty/reconciliation.ts'
import { businessDayOf, dayAt, reportFileName, reportName } from './approvals-on-retry.ts'

const TORONTO = 'America/Toronto'

describe('the business day of an approval', () => {
  test.each([
    ['2026-11-21T04:59:59.999Z', '2026-11-20'],
    ['2026-11-21T05:00:00.000Z', '2026-11-21'],
    // The clocks go back in the night of 1 November: a quarter past one happens twice, on the same day.
    ['2026-11-01T05:15:00.000Z', '2026-11-01'],
    ['2026-11-01T06:15:00.000Z', '2026-11-01'],
  ])('at %s is %s for a store in Toronto', (at, day) => {
    expect(businessDayOf(Date.parse(at), TORONTO, new Set())).toBe(day)
  })

  test('is the first unreported day, from the day of the approval on', () => {
    const day = fc.integer({ min: 0, max: 20 }).map((count) => Date.UTC(2026, 10, 1 + count, 17))
    fc.assert(
      fc.property(day, fc.array(day), (at, reportedAt) => {
        const reported = new Set<string>(reportedAt.map((one) => dayAt(one, TORONTO)))
        const found = businessDayOf(at, TORONTO, reported)
        expect(reported.has(found)).toBe(false)
        for (let between = at; dayAt(between, TORONTO) < found; between += 86_400_000)
          expect(reported.has(dayAt(between, TORONTO))).toBe(true)
      }),
    )
  })
})

describe('the file name of a reconciliation report', () => {
  const report = (over: Partial<ReconciliationReport>) =>
    ({
      businessDay: BusinessDay.parse('2026-11-20'),
      status: 'original',
      copy: 0,
      store: { id: '../N 101', name: '' },
      lane: '01',
      ...over,
    }) as ReconciliationReport

  test('contains the store, lane, day and copy number, without characters that file systems reject', () => {
    expect(reportFileName(report({}))).toBe('reconciliation_-N-101_lane-01_2026-11-20')
    expect(reportFileName(report({ status: 'copy', copy: 2 }))).toBe('reconciliation_-N-101_lane-01_2026-11-20_copy-2')
    expect(reportName(report({ status: 'preview' }))).toBe('preview')
  })
})
