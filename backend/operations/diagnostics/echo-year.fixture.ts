import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import type { Database } from '../../core/db/database.ts'
import { type EchoRepository, HOUR_MS } from './diagnostics.sql.ts'

const MINUTE = 60_000
const DAYS = 365
const UNTIL = Date.parse('2026-11-21T14:00:00Z')
export const YEAR = { from: UNTIL - DAYS * 24 * HOUR_MS, until: UNTIL } as const

/**
 * Adds a year of checks every minute: the lane is off every seventh night, the services fail for a few minutes most
 * days and sometimes for half an afternoon. The checks are added as the lane adds them, but in few commits.
 */
export function addYear(
  db: Pick<Database, 'transaction'>,
  results: EchoRepository,
): { readonly checks: number; readonly failures: number } {
  let [checks, failures, wasFailing] = [0, 0, false]
  let last = Number.NEGATIVE_INFINITY
  const addDay = db.transaction((day: number) => {
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      if (day % 7 === 0 && minute < 8 * 60) continue
      const at = YEAR.from + day * 24 * HOUR_MS + minute * MINUTE
      const failed = (minute > 700 && minute < 700 + (day % 9)) || (day % 61 === 3 && minute > 800 && minute < 1_000)
      results.add(resultAt(at, failed, 30 + ((day * 31 + minute * 7) % 90)), {
        at,
        knownMs: at - last > 2 * MINUTE ? 0 : at - last,
        wasFailing,
        offsetMs: -5 * HOUR_MS,
      })
      last = at
      wasFailing = failed
      checks += 1
      if (failed) failures += 1
    }
  })
  for (let day = 0; day < DAYS; day += 1) addDay(day)
  return { checks, failures }
}

const resultAt = (at: number, failed: boolean, latencyMs: number): EchoResult => ({
  at: new Date(at).toISOString(),
  outcome: failed ? 'timeout' : 'approved',
  responseCode: failed ? '0008' : '0000',
  httpStatus: failed ? 408 : 200,
  latencyMs: failed ? null : latencyMs,
  message: null,
  requestHeaders: {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
    'content-length': '142',
    authorization: 'Bearer •••',
  },
  traceId: `0f6e3c1a-0000-4000-8000-${String(at).padStart(12, '0')}`,
})
