import { expect, test } from 'vitest'
import { rangeFlaw } from '../../../contracts/central/history.ts'
import { HISTORY_RANGES } from '../../../contracts/loyalty/kinds.ts'
import { historyRange } from './member-history.ts'

const DAY = 86_400_000
const iso = (text: string): number => Date.parse(text)

test('a range of the member’s history ends with the store’s current day and spans its full number of days', () => {
  const now = iso('2026-11-20T15:00:00Z')
  const to = iso('2026-11-21T04:59:59.999Z')
  expect(historyRange('30-days', now, 'America/Toronto')).toEqual({ from: to - 30 * DAY + 1, to })
  expect(historyRange('3-months', now, 'America/Toronto').from).toBe(iso('2026-08-21T05:00:00Z'))
  expect(historyRange('1-year', now, 'America/Toronto').from).toBe(iso('2025-11-21T05:00:00Z'))
  expect(historyRange('2-years', now, 'America/Toronto').from).toBe(iso('2024-11-21T05:00:00Z'))
})

test('a range of the member’s history is valid for the service on each day of four years in three zones', () => {
  const flaws: string[] = []
  for (const timeZone of ['America/St_Johns', 'America/Toronto', 'America/Vancouver'])
    for (let now = iso('2026-11-20T02:30:00Z'); now < iso('2030-12-01T00:00:00Z'); now += DAY)
      for (const range of HISTORY_RANGES) {
        const flaw = rangeFlaw(historyRange(range, now, timeZone))
        if (flaw !== null) flaws.push(`${range} ${new Date(now).toISOString()} ${timeZone} ${flaw}`)
      }
  expect(flaws).toEqual([])
  const leap = historyRange('2-years', iso('2028-02-29T12:00:00Z'), 'America/Toronto')
  expect([leap.from, leap.to]).toEqual([iso('2026-03-01T05:00:00Z'), iso('2028-03-01T04:59:59.999Z')])
  const leapDay = historyRange('2-years', iso('2028-02-29T02:00:00Z'), 'America/Toronto')
  expect([leapDay.from, leapDay.to]).toEqual([iso('2026-03-01T05:00:00Z'), iso('2028-02-29T04:59:59.999Z')])
})
