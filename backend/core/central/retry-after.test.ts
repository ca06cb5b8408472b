import { expect, test } from 'vitest'
import type { Answer } from './transport.ts'
import { retryAfterOf } from './waits.ts'

const NOW = Date.parse('2026-11-25T10:00:00Z')
const answer = (status: number, value?: string): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(value === undefined ? {} : { 'retry-after': value }),
  bytes: new Uint8Array(),
  latencyMs: 1,
  requestHeaders: {},
})

test.each([
  ['seconds', 503, '30', 30_000],
  ['too many calls', 429, ' 5 ', 5_000],
  ['a date', 503, 'Wed, 25 Nov 2026 10:02:00 GMT', 120_000],
  ['a date that has passed', 503, 'Wed, 25 Nov 2026 09:00:00 GMT', null],
  ['nothing', 503, undefined, null],
  ['no time', 503, 'soon', null],
  ['no wait', 503, '0', null],
  ['less than nothing', 503, '-5', null],
  ['a year, which is capped as a mistake', 503, '31536000', 6 * 3_600_000],
  ['a wait with another status', 500, '30', null],
])('a service’s Retry-After of %s is honoured, capped at six hours, or ignored', (_case, status, value, ms) => {
  expect(retryAfterOf(answer(status, value), NOW)).toBe(ms)
})

test('a call without an answer has no Retry-After', () => {
  expect(retryAfterOf({ kind: 'unknown', reason: 'no answer' }, NOW)).toBeNull()
})
