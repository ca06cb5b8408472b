import { expect, test } from 'vitest'
import { admits, answered, OPEN_THROTTLE, type Sheddable, type Throttle } from './throttle.ts'

const taken = { isTaken: true, retryAfterMs: null }
const turnedAway = { isTaken: false, retryAfterMs: null }

/** After so many answers, a second apart, of which every so-many-eth was turned away. */
function after(answers: number, everyNth: number): Throttle {
  let throttle = OPEN_THROTTLE
  for (let at = 1; at <= answers; at += 1)
    throttle = answered(throttle, at * 1_000, everyNth > 0 && at % everyNth === 0 ? turnedAway : taken)
  return throttle
}
/** Of a hundred calls, how many are held back. */
const heldBack = (throttle: Throttle, now: number, what: Sheddable = 'preview'): number =>
  Array.from({ length: 100 }, (_, at) => admits(throttle, now, at / 100, what)).filter((goes) => !goes).length

test('nothing is held back while every call is taken, or none was sent yet', () => {
  expect(heldBack(OPEN_THROTTLE, 0)).toBe(0)
  expect(heldBack(after(60, 0), 60_000)).toBe(0)
})

test('the more is turned away, the more is held back; a tenth goes in any case', () => {
  const [some, half, all] = [after(60, 10), after(60, 2), after(60, 1)].map((throttle) => heldBack(throttle, 60_000))
  expect(some).toBeGreaterThan(25)
  expect(some).toBeLessThan(50)
  expect([half, all]).toEqual([90, 90])
})

test('one of two that was turned away costs a customer few previews, and after two minutes hardly any', () => {
  const throttle = answered(answered(OPEN_THROTTLE, 0, taken), 1_000, turnedAway)
  expect(heldBack(throttle, 1_000)).toBeLessThan(35)
  expect(heldBack(throttle, 121_000)).toBeLessThan(15)
})

test('what the lane asks for by itself gives way before what a customer sees', () => {
  const throttle = after(4, 2)
  expect(heldBack(throttle, 4_000, 'background')).toBe(90)
  expect(heldBack(throttle, 4_000, 'preview')).toBeLessThan(60)
})

test('what was turned away long ago counts no more', () => {
  expect(heldBack(after(60, 1), 60_000 + 1_800_000)).toBeLessThanOrEqual(1)
})

test('a service that asked to be left alone is left alone for as long, and no longer by that', () => {
  const asked = answered(after(60, 0), 60_000, { isTaken: false, retryAfterMs: 30_000 })
  expect(heldBack(asked, 89_999)).toBe(100)
  expect(heldBack(asked, 90_000)).toBeLessThan(20)
  expect(heldBack(answered(asked, 61_000, taken), 89_999), 'another answer shortens nothing').toBe(100)
})
