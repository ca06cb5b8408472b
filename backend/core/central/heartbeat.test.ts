import { expect, test } from 'vitest'
import { afterAnswer, FIRST_HEARTBEAT, isSkipped, skipBeat, type Heartbeat } from './heartbeat.ts'

const quick = { isThrottled: false, latencyMs: 90 }
const slow = { isThrottled: false, latencyMs: 300 }
const overloaded = { isThrottled: true, latencyMs: 30 }

const after = (answers: readonly (typeof quick)[], fraction = 0.999): Heartbeat =>
  answers.reduce((beat, answer) => afterAnswer(beat, answer, fraction), FIRST_HEARTBEAT)
function beatsUntilAsked(beat: Heartbeat): number {
  let [now, beats] = [beat, 1]
  for (; isSkipped(now); beats += 1) now = skipBeat(now)
  return beats
}

test('no health check of a service with normal answers is skipped', () => {
  expect(beatsUntilAsked(FIRST_HEARTBEAT)).toBe(1)
  expect(beatsUntilAsked(after([quick, quick, { ...quick, latencyMs: 180 }]))).toBe(1)
})

test('a service that answers 38 ms later than usual does not count as slow', () => {
  expect(beatsUntilAsked(after([2, 2, 40].map((latencyMs) => ({ isThrottled: false, latencyMs }))))).toBe(1)
})

test.each([
  ['slow', slow],
  ['overloaded', overloaded],
])('health checks of a service that is %s become rarer up to a bound, with random gaps', (_how, answer) => {
  const waits = [1, 2, 3, 5].map((times) =>
    beatsUntilAsked(after([quick, ...Array.from({ length: times }, () => answer)])),
  )
  expect(waits).toEqual([4, 8, 12, 12])
  const early = after([quick, answer], 0)
  expect(beatsUntilAsked(early)).toBe(2)
})

test('after a few fast answers of a slow service, no health check is skipped any more', () => {
  const pressed = [quick, slow, slow, slow]
  const waits = [0, 1, 2, 3].map((times) =>
    beatsUntilAsked(after([...pressed, ...Array.from({ length: times }, () => quick)])),
  )
  expect(waits).toEqual([12, 6, 2, 1])
})

test('once the slow answers of a service count as usual, no health check is skipped any more', () => {
  expect(beatsUntilAsked(after([quick, ...Array.from({ length: 80 }, () => slow)]))).toBe(1)
})
