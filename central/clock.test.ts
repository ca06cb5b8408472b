import { describe, expect, it } from 'vitest'
import { hourOfNextDay, localDay, localTimestamp } from './clock.ts'

const at = (text: string): number => Date.parse(text)
const deadline = (text: string, timeZone: string): string => new Date(hourOfNextDay(at(text), timeZone, 3)).toISOString()

describe('the reversal deadline, 03:00 on the next local day', () => {
  it.each([
    ['in the afternoon', '2026-07-01T15:00:00-04:00', 'America/Toronto', '2026-07-02T07:00:00.000Z'],
    ['at 00:30 it is 26½ hours away', '2026-07-01T00:30:00-04:00', 'America/Toronto', '2026-07-02T07:00:00.000Z'],
    ['a minute before midnight', '2026-07-01T23:59:00-04:00', 'America/Toronto', '2026-07-02T07:00:00.000Z'],
    ['half an hour off in Newfoundland', '2026-07-01T23:59:00-02:30', 'America/St_Johns', '2026-07-02T05:30:00.000Z'],
    ['over the spring change', '2026-03-07T12:00:00-05:00', 'America/Toronto', '2026-03-08T07:00:00.000Z'],
    ['over the autumn change', '2026-10-31T12:00:00-04:00', 'America/Toronto', '2026-11-01T08:00:00.000Z'],
    ['where no clock changes', '2026-03-07T12:00:00-06:00', 'America/Regina', '2026-03-08T09:00:00.000Z'],
    ['in Vancouver, which keeps its summer time from 2026', '2027-01-15T12:00:00-07:00', 'America/Vancouver', '2027-01-16T10:00:00.000Z'],
    ['in Winnipeg, which keeps its own', '2027-01-15T12:00:00-05:00', 'America/Winnipeg', '2027-01-16T08:00:00.000Z'],
    ['over the end of the year', '2026-12-31T12:00:00-05:00', 'America/Toronto', '2027-01-01T08:00:00.000Z'],
  ])('%s', (_case, moment, timeZone, expected) => { expect(deadline(moment, timeZone)).toBe(expected) })
})

describe('local time', () => {
  it('carries the offset of the place', () => {
    expect(localTimestamp(at('2026-07-01T18:03:22.123Z'), 'America/Toronto')).toBe('2026-07-01T14:03:22.123-04:00')
    expect(localTimestamp(at('2026-01-01T03:29:59.007Z'), 'America/St_Johns')).toBe('2025-12-31T23:59:59.007-03:30')
  })
  it('names the day of the place', () => {
    expect(localDay(at('2026-07-01T03:59:59Z'), 'America/Toronto')).toBe('2026-06-30')
    expect(localDay(at('2026-07-01T04:00:00Z'), 'America/Toronto')).toBe('2026-07-01')
  })
})
