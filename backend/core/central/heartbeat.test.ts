import { expect, test } from 'vitest'
import { beaten, FIRST_HEARTBEAT, isLeftOut, leftOut, type Heartbeat } from './heartbeat.ts'

const quick = { isTurnedAway: false, latencyMs: 90 }
const slow = { isTurnedAway: false, latencyMs: 300 }
const turnedAway = { isTurnedAway: true, latencyMs: 30 }

/** After these answers; each answer comes after what was left out. */
const after = (answers: readonly (typeof quick)[], fraction = 0.999): Heartbeat =>
  answers.reduce((beat, answer) => beaten(beat, answer, fraction), FIRST_HEARTBEAT)
/** Beats until the service is asked again. */
function beatsUntilAsked(beat: Heartbeat): number {
  let [now, beats] = [beat, 1]
  for (; isLeftOut(now); beats += 1) now = leftOut(now)
  return beats
}

test('a service that answers as usual is asked at every beat', () => {
  expect(beatsUntilAsked(FIRST_HEARTBEAT)).toBe(1)
  expect(beatsUntilAsked(after([quick, quick, { ...quick, latencyMs: 180 }]))).toBe(1)
})

test('a service close by that takes a few milliseconds more is not slow', () => {
  expect(beatsUntilAsked(after([2, 2, 40].map((latencyMs) => ({ isTurnedAway: false, latencyMs }))))).toBe(1)
})

test.each([
  ['slow', slow],
  ['full', turnedAway],
])('a service that is %s is asked less and less, up to a bound, and lanes do not return together', (_how, answer) => {
  const waits = [1, 2, 3, 5].map((times) =>
    beatsUntilAsked(after([quick, ...Array.from({ length: times }, () => answer)])),
  )
  expect(waits).toEqual([4, 8, 12, 12])
  const early = after([quick, answer], 0)
  expect(beatsUntilAsked(early)).toBe(2)
})

test('it is asked at every beat again after a few quick answers', () => {
  const pressed = [quick, slow, slow, slow]
  const waits = [0, 1, 2, 3].map((times) =>
    beatsUntilAsked(after([...pressed, ...Array.from({ length: times }, () => quick)])),
  )
  expect(waits).toEqual([12, 6, 2, 1])
})

test('what stays slow is usual after a while', () => {
  expect(beatsUntilAsked(after([quick, ...Array.from({ length: 80 }, () => slow)]))).toBe(1)
})
