import { expect, test } from 'vitest'
import { granted, isHeld, NO_TOKEN_YET, notGranted, refusedToken, isRenewalDue } from './token.ts'

test('a token is used until shortly before it expires, and a new one is requested at a random time before that', () => {
  const [early, late] = [granted(0, 3_600, 0), granted(0, 3_600, 0.999)]
  for (const lease of [early, late]) expect([isHeld(lease, 3_594_999), isHeld(lease, 3_595_000)]).toEqual([true, false])
  expect([isRenewalDue(early, 1_799_999), isRenewalDue(early, 1_800_000)]).toEqual([false, true])
  expect([isRenewalDue(late, 3_200_000), isRenewalDue(late, 3_240_000)]).toEqual([false, true])
})

test('a failed request for a token is retried twice at once, then with waits; the current token stays in use', () => {
  let lease = granted(0, 3_600, 0)
  for (const _failure of [1, 2]) {
    lease = notGranted(lease, 2_000_000, 0.5, null)
    expect(isRenewalDue(lease, 2_000_000)).toBe(true)
  }
  lease = notGranted(lease, 2_000_000, 0.5, null)
  expect([isRenewalDue(lease, 2_003_999), isRenewalDue(lease, 2_004_000)]).toEqual([false, true])
  expect(isHeld(lease, 2_003_000)).toBe(true)
})

test('lanes whose token requests failed together retry at different times, never earlier than Retry-After', () => {
  let lease = NO_TOKEN_YET
  for (let failure = 0; failure < 20; failure += 1) lease = notGranted(lease, 0, 0.999, null)
  const waits = [0, 0.25, 0.5, 0.75].map((fraction) => notGranted(lease, 0, fraction, null).askAt)
  expect(waits).toEqual([0, 22_500, 45_000, 67_500])
  for (const fraction of [0, 0.5, 0.999])
    expect(notGranted(NO_TOKEN_YET, 0, fraction, 60_000).askAt).toBeGreaterThanOrEqual(60_000)
})

test('a token that a service refused is never used again', () => {
  const lease = refusedToken(granted(0, 3_600, 0.5))
  expect([isHeld(lease, 1), isRenewalDue(lease, 1)]).toEqual([false, true])
})
