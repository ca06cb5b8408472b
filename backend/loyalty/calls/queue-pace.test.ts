import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_PACE, PACE, type SendResult, type Moment, type Pace } from './queue-pace.ts'

const { recordResult, places, sent } = PACE
const at = (now: number, change: Partial<Moment> = {}): Moment => ({ now, fraction: 0.5, waiting: 100, ...change })
const taken: SendResult = { kind: 'taken' }
const silent: SendResult = { kind: 'not-taken', retryAfterMs: null }
const asked = (retryAfterMs: number): SendResult => ({ kind: 'not-taken', retryAfterMs })

function afterFailures(tries: number, change: Partial<Moment>): { pace: Pace; now: number } {
  let [pace, now] = [FIRST_PACE, 0]
  for (let each = 0; each < tries; each += 1) {
    now = Math.max(now, pace.notBefore)
    pace = recordResult(sent(pace, at(now, change)), silent, at(now, change))
  }
  return { pace, now }
}

describe('the pace of the queue of issuance calls', () => {
  test('allows eight calls in flight; after a refusal with Retry-After only three, until the queue is empty', () => {
    expect(places(recordResult(FIRST_PACE, silent, at(0)))).toBe(8)
    const refused = recordResult(FIRST_PACE, asked(1_000), at(0))
    const later = recordResult(refused, taken, at(5_000, { waiting: 2 }))
    expect([places(refused), places(later)]).toEqual([3, 3])
    expect(places(recordResult(later, taken, at(6_000, { waiting: 1 })))).toBe(8)
  })

  const pausesOf = (waiting: number, fraction: number): number[] =>
    [1, 2, 3, 4, 20].map((tries) => {
      const { pace, now } = afterFailures(tries, { waiting, fraction: 0.999 })
      return sent(pace, at(now, { waiting, fraction })).notBefore - now
    })

  test('after failures, allows an attempt about every five seconds while up to 50 calls wait', () => {
    expect(pausesOf(50, 0)).toEqual([3_750, 3_750, 3_750, 3_750, 3_750])
    expect(pausesOf(50, 0.999)).toEqual([6_248, 6_248, 6_248, 6_248, 6_248])
  })

  test('increases the random pause with each failure, up to a minute, while more than 50 calls wait', () => {
    expect(pausesOf(51, 0)).toEqual([0, 0, 0, 0, 0])
    expect(pausesOf(51, 0.999)).toEqual([1_998, 3_996, 7_992, 15_984, 59_940])
  })

  test('allows sends immediately after an accepted call, but not before an earlier Retry-After has elapsed', () => {
    const refused = recordResult(FIRST_PACE, asked(30_000), at(0))
    expect(recordResult(refused, taken, at(100)).notBefore).toBe(45_000)
    expect(recordResult(refused, taken, at(45_000)).notBefore).toBe(-Infinity)
  })

  test('never allows a send before the Retry-After of the service, regardless of other answers', () => {
    const happening = fc.oneof(
      fc.constant({ kind: 'taken' as const }),
      fc.record({
        kind: fc.constant('not-taken' as const),
        retryAfterMs: fc.option(fc.integer({ min: 1, max: 90_000 })),
      }),
      fc.constant('send' as const),
    )
    const step = fc.record({
      happening,
      later: fc.nat(20_000),
      fraction: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (steps, waiting) => {
        let [pace, now, until] = [FIRST_PACE, 0, -Infinity]
        const early: number[] = []
        for (const { happening: what, later, fraction } of steps) {
          now += later
          const moment = { now, fraction, waiting }
          if (what === 'send') {
            if (now >= pace.notBefore) {
              if (now < until) early.push(now)
              pace = sent(pace, moment)
            }
          } else {
            pace = recordResult(pace, what, moment)
            if (what.kind === 'not-taken' && what.retryAfterMs !== null)
              until = Math.max(until, now + what.retryAfterMs)
          }
        }
        expect(early).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })
})
