import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DayTotals } from '../../../contracts/day/day-end.ts'
import { cents } from '../../../contracts/core/money.ts'
import { dayOfZ, rangesOf, totalsOfZs } from './closings.ts'
import { dayTotals } from './day-totals.fixture.ts'

function aZ(): DayTotals {
  const [one] = fc.sample(dayTotals, { numRuns: 1, seed: 1 })
  if (!one) throw new Error('a sample')
  return one
}

/**
 * Returns every figure of a report by its path and the keys of its row, without ids and without values at one moment,
 * which a closing does not add up.
 */
function figuresOf(of: DayTotals): Map<string, number> {
  const figures = new Map<string, number>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'number') return void figures.set(path, (figures.get(path) ?? 0) + value)
    if (Array.isArray(value))
      return value.forEach((row: Record<string, unknown>) =>
        walk(row, `${path}[${String(row['kind'] ?? row['code'] ?? row['id'])}]`),
      )
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
  }
  const {
    openSales: _,
    miles: { unsent: _unsent, undecided: _undecided, ...miles },
    ...rest
  } = of
  walk({ ...rest, miles }, '')
  return figures
}

test('a closing sums each figure of its Zs, row by row, except open sales and unsent or undecided miles', () => {
  fc.assert(
    fc.property(fc.array(dayTotals, { minLength: 1, maxLength: 5 }), (all) => {
      const summed = new Map<string, number>()
      for (const one of all)
        for (const [path, figure] of figuresOf(one)) summed.set(path, (summed.get(path) ?? 0) + figure)
      const closing = totalsOfZs(all.map((one, index) => ({ number: 7 + index, totals: one })))
      expect(figuresOf(closing)).toEqual(summed)
      expect(DayTotals.parse(closing)).toEqual(closing)
      expect(closing.openSales).toEqual({
        beforeCents: all[0]?.openSales.beforeCents,
        afterCents: all.at(-1)?.openSales.afterCents,
      })
      expect(closing.miles).toMatchObject({
        unsent: all.at(-1)?.miles.unsent,
        undecided: all.at(-1)?.miles.undecided,
      })
      for (const rows of [closing.departments.map(({ id }) => id), closing.tenders.map(({ kind }) => kind)])
        expect(rows).toHaveLength(new Set(rows).size)
    }),
  )
})

test('the first and last sale of a closing are those of its first and last Z with sales', () => {
  const one = aZ()
  const z = (number: number, firstId: string | null, lastId: string | null) => ({
    number,
    totals: { ...one, sales: { ...one.sales, firstId, lastId } },
  })
  const { sales } = totalsOfZs([
    z(1, null, null),
    z(2, 'FIRST001', 'SECOND02'),
    z(3, 'THIRD003', 'FOURTH04'),
    z(4, null, null),
  ])
  expect(sales).toMatchObject({ firstId: 'FIRST001', lastId: 'FOURTH04' })
  expect(() => totalsOfZs([])).toThrow(RangeError)
})

test('Z numbers without a gap are joined to one range', () => {
  expect(rangesOf([])).toEqual([])
  expect(rangesOf([4])).toEqual([{ first: 4, last: 4 }])
  expect(rangesOf([1, 2, 3, 5, 8, 9])).toEqual([
    { first: 1, last: 3 },
    { first: 5, last: 5 },
    { first: 8, last: 9 },
  ])
})

test('the change of payments on open sales is the sum over a closing’s own Zs, without another day’s Z between', () => {
  const one = aZ()
  const z = (number: number, beforeCents: number, afterCents: number) => ({
    number,
    totals: { ...one, openSales: { beforeCents: cents(beforeCents), afterCents: cents(afterCents) } },
  })
  const { openSales } = totalsOfZs([z(1, 0, 500), z(2, 500, 700), z(4, 900, 200)])
  expect(openSales).toEqual({ beforeCents: 900, afterCents: 900 })
  expect(openSales.afterCents - openSales.beforeCents).toBe(500 - 0 + (700 - 500) + (200 - 900))
})

test('a Z is assigned to the day on which its first drawer was opened, in the store’s time zone', () => {
  const at = Date.parse('2026-12-01T02:30:00Z')
  expect(dayOfZ(at, 'America/Toronto')).toBe('2026-11-30')
  expect(dayOfZ(at, 'America/St_Johns')).toBe('2026-11-30')
  expect(dayOfZ(at + 3 * 3_600_000, 'America/Toronto')).toBe('2026-12-01')
})

test('business days start and end at the store’s midnight, also when the clocks change', () => {
  const days = (...moments: string[]) => moments.map((at) => dayOfZ(Date.parse(at), 'America/Toronto'))
  // The clocks go back on 1 November, so this day has 25 hours.
  expect(days('2026-11-01T03:59:59Z', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z')).toEqual([
    '2026-10-31',
    '2026-11-01',
    '2026-11-01',
    '2026-11-02',
  ])
  // The clocks go forward on 14 March, so this day has 23 hours.
  expect(days('2027-03-14T04:59:59Z', '2027-03-14T05:00:00Z', '2027-03-15T03:59:59Z', '2027-03-15T04:00:00Z')).toEqual([
    '2027-03-13',
    '2027-03-14',
    '2027-03-14',
    '2027-03-15',
  ])
})
