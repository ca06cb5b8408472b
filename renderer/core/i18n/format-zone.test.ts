import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ClockChange } from '../../../contracts/staff/session.ts'
import { formatFor } from './format.ts'

/**
 * Time zones whose clocks stay ahead after March 2026, with the zone that a browser with older data assumes from 1
 * November.
 */
const STAYED: readonly (readonly [zone: string, hours: number, old: string])[] = [
  ['America/Vancouver', -7, 'Etc/GMT+8'],
  ['America/Edmonton', -6, 'Etc/GMT+7'],
  ['America/Winnipeg', -5, 'Etc/GMT+6'],
  ['America/Inuvik', -6, 'Etc/GMT+7'],
]

const changesOf = (hours: number): ClockChange[] => [
  { from: Date.UTC(2015, 0, 1), minutes: (hours - 1) * 60 },
  { from: Date.UTC(2026, 2, 8, 2 - (hours - 1)), minutes: hours * 60 },
]

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each(STAYED)('the time zone %s in a browser with older time zone data', (zone, hours, old) => {
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ')

  test('a deadline at 03:00 after 1 November 2026 is shown as 03:00', () => {
    class OldData extends Intl.DateTimeFormat {
      constructor(locale: string, options: Intl.DateTimeFormatOptions) {
        super(
          locale,
          options.timeZone === zone || options.timeZone === undefined ? { ...options, timeZone: old } : options,
        )
      }
    }
    vi.stubGlobal('Intl', { NumberFormat: Intl.NumberFormat, DateTimeFormat: OldData })
    const closesAt = new Date(Date.UTC(2026, 10, 22, 3 - hours)).toISOString()
    const [english, french] = (['en-CA', 'fr-CA'] as const).map((locale) => formatFor(locale, changesOf(hours)))
    expect([english?.time(closesAt), plain(french?.time(closesAt) ?? '')]).toEqual(['03:00', '03 h 00'])
    expect(plain(english?.dateTime(closesAt) ?? '')).toBe('Nov 22, 2026, 03:00')
  })

  test('times before the last clock change use the earlier offset and the store’s day', () => {
    const format = formatFor('en-CA', changesOf(hours))
    expect(format.time(new Date(Date.UTC(2026, 1, 1, 3 - (hours - 1))).toISOString())).toBe('03:00')
    expect(format.dateTime(new Date(Date.UTC(2026, 10, 2, 0 - hours) - 1).toISOString())).toMatch(/^Nov\.? 1, 2026/)
  })
})

test('times are formatted in the machine’s time zone until the clock changes of the store are known', () => {
  const at = '2026-07-01T18:00:00.000Z'
  expect(formatFor('en-CA').time(at)).toBe(
    new Intl.DateTimeFormat('en-CA', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at)),
  )
})
