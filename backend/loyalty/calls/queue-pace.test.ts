import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ADAPTIVE_PACE, FIRST_PACE, type Heard, type Moment, type Pace } from './queue-pace.ts'

const { heard, heardElsewhere, places, sent, begun } = ADAPTIVE_PACE
const at = (now: number, change: Partial<Moment> = {}): Moment => ({ now, fraction: 0.5, waiting: 100, ...change })
const taken: Heard = { kind: 'taken', latencyMs: 60 }
const silent: Heard = { kind: 'not-taken', retryAfterMs: null }
const asked = (retryAfterMs: number): Heard => ({ kind: 'not-taken', retryAfterMs })

/** The pace of a lane whose queue found nobody for so long, and then the services again. */
function afterOutage(ms: number, waiting: number): Pace {
  const away = heard(FIRST_PACE, silent, at(0, { waiting }))
  return heard(heardElsewhere(away, null, at(ms, { waiting })), taken, at(ms, { waiting }))
}

describe('the pace of a large backlog', () => {
  test('leaves eight at a time while nothing presses', () => {
    expect(places(heard(FIRST_PACE, taken, at(0)), at(0))).toBe(8)
  })

  test('asks one by one while nobody answers, with full jitter up to half an hour', () => {
    let pace = FIRST_PACE
    for (let tries = 0; tries < 12; tries += 1)
      pace = heard(pace, silent, at(Math.max(0, pace.notBefore), { fraction: 0.999 }))
    const last = pace.notBefore
    expect(places(pace, at(last))).toBe(1)
    const waits = [0, 0.5, 0.999].map((fraction) => heard(pace, silent, at(last, { fraction })).notBefore - last)
    expect(waits).toEqual([0, 900_000, 1_798_200])
  })

  test('is hurried by an answer to another call, and not by each of them while its own service stays away', () => {
    let pace = FIRST_PACE
    for (let tries = 0; tries < 12; tries += 1)
      pace = heard(pace, silent, at(Math.max(0, pace.notBefore), { fraction: 0.999 }))
    const { failedAt } = pace
    const hurried = heardElsewhere(pace, null, at(failedAt + 1_000)).notBefore - failedAt
    expect(hurried).toBe(56_250)
  })

  test('after an outage of an hour spreads what waits over minutes, all lanes to end together', () => {
    for (const waiting of [60, 120]) {
      const pace = afterOutage(3_600_000, waiting)
      expect(pace.endAt - 3_600_000).toBe(300_000)
      const next = sent(pace, at(3_600_000, { waiting }))
      expect(next.notBefore - 3_600_000).toBeCloseTo(Math.min(30_000, 300_000 / waiting), -3)
      expect(places(pace, at(3_600_000, { waiting }))).toBe(1)
    }
  })

  test('slows with each call that is turned away, and quickens with each that is taken', () => {
    const pace = afterOutage(3_600_000, 60)
    const now = 3_600_000
    const left = ({ endAt }: Pace): number => endAt - now
    expect(left(heard(pace, asked(30_000), at(now, { waiting: 60 })))).toBeCloseTo(320_000, -2)
    expect(left(heard(pace, taken, at(now, { waiting: 60 })))).toBeCloseTo(291_000, -2)
  })

  test('alone at a service that takes everything, is soon as fast as answers come', () => {
    let [pace, now, waiting] = [afterOutage(3_600_000, 400), 3_600_000, 400]
    while (pace.endAt !== 0) {
      pace = sent(pace, at(now, { waiting }))
      now = Math.max(now, pace.notBefore) + 60
      waiting -= 1
      pace = heard(pace, taken, at(now, { waiting }))
    }
    expect(waiting).toBeGreaterThan(200)
    expect(now - 3_600_000).toBeLessThan(60_000)
    expect(places(pace, at(now, { waiting }))).toBe(8)
  })

  test('never speeds up to more than a call a second where calls were turned away', () => {
    let pace = heard(afterOutage(60_000, 60), asked(1_000), at(60_000, { waiting: 60 }))
    pace = heard(pace, taken, at(600_000, { waiting: 60 }))
    expect(sent(pace, at(600_000, { waiting: 60 })).notBefore - 600_000).toBeGreaterThanOrEqual(1_000)
  })

  test.each([
    [2, [-Infinity, -Infinity, -Infinity]],
    [50, [0, 2_000, 3_960]],
    [51, [0, 30_000, 59_400]],
  ])('a start with %i calls waits at random, since whole chains start together', (waiting, expected) => {
    const starts = [0, 0.5, 0.99].map((fraction) => begun(FIRST_PACE, at(0, { waiting, fraction })).notBefore)
    expect(starts).toEqual(expected)
  })

  test('one other call that was turned away holds nothing up; after two in a row the queue waits as asked', () => {
    const [once, twice] = [1, 2].map((times) =>
      Array.from({ length: times }).reduce<Pace>((pace) => heardElsewhere(pace, 30_000, at(0)), FIRST_PACE),
    )
    expect(once?.notBefore).toBe(-Infinity)
    expect(twice?.notBefore).toBe(90_000)
    expect(twice && heardElsewhere(twice, null, at(60_000)).notBefore, 'open again').toBe(37_500)
  })

  test('a service that was silent and is full then is not waited for as long as one that is silent', () => {
    let pace = FIRST_PACE
    for (let tries = 0; tries < 12; tries += 1)
      pace = heard(pace, silent, at(Math.max(0, pace.notBefore), { fraction: 0.999 }))
    const { failedAt } = pace
    for (const later of [1_000, 2_000, 3_000]) pace = heardElsewhere(pace, 30_000, at(failedAt + later))
    expect(pace.notBefore - failedAt).toBeLessThan(200_000)
  })

  test('after an hour behind a closed door it spreads what waits, as after one of silence', () => {
    let pace = FIRST_PACE
    for (let now = 0; now < 3_600_000; now += 60_000) pace = heardElsewhere(pace, 30_000, at(now, { waiting: 60 }))
    const now = Math.max(3_600_000, pace.notBefore)
    pace = heard(pace, taken, at(now, { waiting: 60 }))
    expect(pace.endAt - now).toBeGreaterThan(120_000)
    expect(sent(pace, at(now, { waiting: 60 })).notBefore - now).toBeGreaterThan(2_000)
  })

  test('never leaves earlier than the service has asked for, whatever else is heard', () => {
    const happening = fc.oneof(
      fc.record({ kind: fc.constant('taken' as const), latencyMs: fc.nat(20_000) }),
      fc.record({
        kind: fc.constant('not-taken' as const),
        retryAfterMs: fc.option(fc.integer({ min: 1, max: 90_000 })),
      }),
      fc.constant({ kind: 'no-token' as const }),
      fc.constant('elsewhere' as const),
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
            // The queue looks at this alone.
            if (now >= pace.notBefore) {
              if (now < until) early.push(now)
              pace = sent(pace, moment)
            }
          } else if (what === 'elsewhere') pace = heardElsewhere(pace, null, moment)
          else {
            pace = heard(pace, what, moment)
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
