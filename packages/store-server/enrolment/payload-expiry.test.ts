import { expect, test } from 'vitest'
import { createPayloadExpiry, KEEP_EXPIRED_MS } from './enrolment.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-11-28T12:00:00Z')

test("the payload of an enrolment code is deleted when the server has run for a day since the code's expiry", () => {
  const expiredBefore = createPayloadExpiry()
  expect(expiredBefore(NOW, 0)).toBe(0)
  expect(expiredBefore(NOW + 23 * HOUR, 23 * HOUR)).toBe(0)
  expect(expiredBefore(NOW + KEEP_EXPIRED_MS, KEEP_EXPIRED_MS)).toBe(NOW)
  expect(expiredBefore(NOW + 30 * HOUR, 30 * HOUR)).toBe(NOW)
  expect(expiredBefore(NOW + 48 * HOUR, 48 * HOUR)).toBe(NOW + 24 * HOUR)
})

test('no payload of an enrolment code is deleted when a fast clock is set back', () => {
  const expiredBefore = createPayloadExpiry()
  const ahead = 1_000 * HOUR
  expiredBefore(NOW + ahead, 0)
  expiredBefore(NOW + ahead + 20 * HOUR, 20 * HOUR)
  expect(expiredBefore(NOW + 21 * HOUR, 21 * HOUR)).toBe(0)
  expect(expiredBefore(NOW + 24 * HOUR, 24 * HOUR)).toBe(NOW + 21 * HOUR)
})

test('no payload of an enrolment code is deleted when the clock jumps ahead', () => {
  const expiredBefore = createPayloadExpiry()
  expiredBefore(NOW, 0)
  expect(expiredBefore(NOW + 1_000 * HOUR, HOUR)).toBe(0)
  expect(expiredBefore(NOW + 1_024 * HOUR, 25 * HOUR)).toBe(NOW)
})
