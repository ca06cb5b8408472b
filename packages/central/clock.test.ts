import { describe, expect, it } from 'vitest'
import { hourOfNextDay, localDateTime, localTimestamp, startOfDay } from './clock.ts'

const at = (text: string): number => Date.parse(text)
const deadline = (text: string, timeZone: string): string =>
  new Date(hourOfNextDay(at(text), timeZone, 3)).toISOString()

describe('the reversal deadline, 03:00 on the next local day', () => {
  it.each([
    ['in the afternoon', '2026-07-01T15:00:00-04:00', 'America/Toronto', '2026-07-02T07:00:00.000Z'],
    [
      'at 00:30, 26½ hours before the deadline',
      '2026-07-01T00:30:00-04:00',
      'America/Toronto',
      '2026-07-02T07:00:00.000Z',
    ],
    ['a minute before midnight', '2026-07-01T23:59:00-04:00', 'America/Toronto', '2026-07-02T07:00:00.000Z'],
    [
      'in Newfoundland, half an hour off other zones',
      '2026-07-01T23:59:00-02:30',
      'America/St_Johns',
      '2026-07-02T05:30:00.000Z',
    ],
    ['before the spring clock change', '2026-03-07T12:00:00-05:00', 'America/Toronto', '2026-03-08T07:00:00.000Z'],
    ['before the autumn clock change', '2026-10-31T12:00:00-04:00', 'America/Toronto', '2026-11-01T08:00:00.000Z'],
    ['in a zone without clock changes', '2026-03-07T12:00:00-06:00', 'America/Regina', '2026-03-08T09:00:00.000Z'],
    [
      'in Vancouver, which keeps its summer time from 2026',
      '2027-01-15T12:00:00-07:00',
      'America/Vancouver',
      '2027-01-16T10:00:00.000Z',
    ],
    [
      'in Winnipeg, which keeps its summer time too',
      '2027-01-15T12:00:00-05:00',
      'America/Winnipeg',
      '2027-01-16T08:00:00.000Z',
    ],
    ['on the last day of the year', '2026-12-31T12:00:00-05:00', 'America/Toronto', '2027-01-01T08:00:00.000Z'],
  ])('is at the expected instant for a redemption %s', (_case, moment, timeZone, expected) => {
    expect(deadline(moment, timeZone)).toBe(expected)
  })
})

describe('local time', () => {
  it('is formatted with the UTC offset of its zone at that time', () => {
    expect(localTimestamp(at('2026-07-01T18:03:22.123Z'), 'America/Toronto')).toBe('2026-07-01T14:03:22.123-04:00')
    expect(localTimestamp(at('2026-01-01T03:29:59.007Z'), 'America/St_Johns')).toBe('2025-12-31T23:59:59.007-03:30')
  })
  it.each([
    ['just before midnight', '2026-07-01T03:59:59Z', 'America/Toronto', '2026-06-30T04:00:00.000Z'],
    ['at midnight', '2026-07-01T04:00:00Z', 'America/Toronto', '2026-07-01T04:00:00.000Z'],
    [
      'in the evening after the spring clock change',
      '2026-03-09T03:30:00Z',
      'America/Toronto',
      '2026-03-08T05:00:00.000Z',
    ],
    [
      'in the evening after the autumn clock change',
      '2026-11-02T04:30:00Z',
      'America/Toronto',
      '2026-11-01T04:00:00.000Z',
    ],
    [
      'in Vancouver, where it is still yesterday',
      '2026-07-01T06:00:00Z',
      'America/Vancouver',
      '2026-06-30T07:00:00.000Z',
    ],
  ])('has midnight in its zone as the start of its day, for a time %s', (_case, moment, timeZone, expected) => {
    expect(new Date(startOfDay(at(moment), timeZone)).toISOString()).toBe(expected)
    expect(localDateTime(startOfDay(at(moment), timeZone), timeZone)).toMatch(/T00:00:00$/)
  })
  // Since 2026, Vancouver stays on −07:00 and Edmonton on −06:00 in winter.
  it.each([
    ['America/Vancouver', '2026-12-02T10:00:00.000Z'],
    ['America/Edmonton', '2026-12-02T09:00:00.000Z'],
  ])('follows the time-zone rules of 2026 in %s', (timeZone, expected) => {
    expect(deadline('2026-12-01T20:00:00Z', timeZone)).toBe(expected)
  })
})
