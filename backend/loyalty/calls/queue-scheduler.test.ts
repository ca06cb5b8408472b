import { describe, expect, test } from 'vitest'
import { createTimeline } from '../../../packages/lab/simulation/fleet/event-queue.ts'
import { createSeededRng } from '../../../packages/lab/simulation/rng.ts'
import type { SendResult } from './queue-pace.ts'
import { createQueueScheduler } from './queue-scheduler.ts'

const TIMEOUT_MS = 15_000
const LATENCY_MS = 300

interface Answered {
  readonly result: SendResult
  readonly ms: number
}
const refused: Answered = { result: { kind: 'not-taken', retryAfterMs: null }, ms: 2 }
const silent: Answered = { result: { kind: 'not-taken', retryAfterMs: null }, ms: TIMEOUT_MS }
const noToken: Answered = { result: { kind: 'not-taken', retryAfterMs: null }, ms: 0 }
const fine: Answered = { result: { kind: 'taken' }, ms: LATENCY_MS }
const throttled = (retryAfterMs: number): Answered => ({ result: { kind: 'not-taken', retryAfterMs }, ms: 5 })

interface Outage {
  readonly during: Answered
  readonly outageMs: number
  readonly backlog: number
  readonly seed: number
}

function play({ during, outageMs, backlog, seed }: Outage) {
  const timeline = createTimeline()
  const sends: number[] = []
  let taken = 0
  let endedAt = Infinity
  const clock = { now: () => timeline.now, monotonic: timeline.monotonic, after: timeline.after }
  const scheduler = createQueueScheduler({ clock, rng: createSeededRng(seed) }, (_collector, ended) => {
    sends.push(timeline.now)
    const { result, ms } = timeline.now < outageMs ? during : fine
    timeline.plan(ms, () => {
      scheduler.recordResult(result)
      if (result.kind !== 'taken') {
        ended('go-on')
        return
      }
      taken += 1
      if (taken === backlog) endedAt = timeline.now
      ended('nothing-left')
    })
  })
  for (let call = 0; call < backlog; call += 1) scheduler.add(`C${call}`)
  scheduler.pump()
  timeline.runUntil(outageMs + 3_600_000)
  return { sends, lastedMs: endedAt - outageMs }
}

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const worst = (outage: Omit<Outage, 'seed'>): number =>
  Math.max(...SEEDS.map((seed) => play({ ...outage, seed }).lastedMs))

describe.each([1, 11, 50])('a backlog of %i calls', (backlog) => {
  test.each([
    ['connections are refused', refused, 3_600_000],
    ['connections are refused for a few seconds', refused, 7_000],
    ['there is no token', noToken, 3_600_000],
    ['the service repeatedly answers with a Retry-After of two seconds', throttled(2_000), 600_000],
  ])('is sent within 10 s after an outage in which %s', (_what, during, outageMs) => {
    expect(worst({ during, outageMs, backlog })).toBeLessThanOrEqual(10_000)
  })

  test('is sent within 10 s after an outage without answers, except calls still in flight', () => {
    for (const seed of SEEDS) {
      const { sends, lastedMs } = play({ during: silent, outageMs: 3_600_000, backlog, seed })
      const after = sends.filter((at) => at >= 3_600_000).sort((a, b) => a - b)
      const inFlight = sends.filter((at) => at < 3_600_000 && at + TIMEOUT_MS > 3_600_000).length
      expect(after.length).toBeGreaterThanOrEqual(backlog)
      expect(after[backlog - inFlight - 1] ?? 0).toBeLessThanOrEqual(3_610_000)
      expect(lastedMs).toBeLessThanOrEqual(TIMEOUT_MS + 10_000)
    }
  })
})

test('a lane with 50 waiting calls retries refused connections every three to five seconds on average', () => {
  const { sends } = play({ during: refused, outageMs: 600_000, backlog: 50, seed: 1 })
  const probes = sends.filter((at) => at > 60_000 && at < 600_000)
  expect(probes.length).toBeGreaterThan(540_000 / 5_000)
  expect(probes.length).toBeLessThan(540_000 / 3_000)
})

test('the next call is sent after the Retry-After of the service, and within twice that time', () => {
  const { sends } = play({ during: throttled(30_000), outageMs: 600_000, backlog: 50, seed: 1 })
  const alone = sends.filter((at) => at > 1_000 && at < 600_000)
  const gaps = alone.slice(1).map((at, index) => at - (alone[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30_000)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000)
})
