import { expect, test } from 'vitest'
import { admits, answered, OPEN_THROTTLE, type Sheddable, type Throttle } from './throttle.ts'

const taken = { isTaken: true, retryAfterMs: null }
const rejected = { isTaken: false, retryAfterMs: null }

function after(answers: number, everyNth: number): Throttle {
  let throttle = OPEN_THROTTLE
  for (let at = 1; at <= answers; at += 1)
    throttle = answered(throttle, at * 1_000, everyNth > 0 && at % everyNth === 0 ? rejected : taken)
  return throttle
}
const heldBack = (throttle: Throttle, now: number, what: Sheddable = 'preview'): number =>
  Array.from({ length: 100 }, (_, at) => admits(throttle, now, at / 100, what)).filter((admitted) => !admitted).length

test('the throttle holds back no call before the first answer, and none while all calls are accepted', () => {
  expect(heldBack(OPEN_THROTTLE, 0)).toBe(0)
  expect(heldBack(after(60, 0), 60_000)).toBe(0)
})

test('the throttle holds back more optional calls as more are rejected, but always sends a tenth of them', () => {
  const [some, half, all] = [after(60, 10), after(60, 2), after(60, 1)].map((throttle) => heldBack(throttle, 60_000))
  expect(some).toBeGreaterThan(25)
  expect(some).toBeLessThan(50)
  expect([half, all]).toEqual([90, 90])
})

test('after one rejected call of two, the throttle holds back few previews, and fewer two minutes later', () => {
  const throttle = answered(answered(OPEN_THROTTLE, 0, taken), 1_000, rejected)
  expect(heldBack(throttle, 1_000)).toBeLessThan(35)
  expect(heldBack(throttle, 121_000)).toBeLessThan(15)
})

test('the throttle holds back background calls before calls whose result a customer sees', () => {
  const throttle = after(4, 2)
  expect(heldBack(throttle, 4_000, 'background')).toBe(90)
  expect(heldBack(throttle, 4_000, 'preview')).toBeLessThan(60)
})

test('rejections lose their effect on the throttle with time', () => {
  expect(heldBack(after(60, 1), 60_000 + 1_800_000)).toBeLessThanOrEqual(1)
})

test('the throttle sends no optional call for as long as Retry-After asks, and sends most again afterwards', () => {
  const asked = answered(after(60, 0), 60_000, { isTaken: false, retryAfterMs: 30_000 })
  expect(heldBack(asked, 89_999)).toBe(100)
  expect(heldBack(asked, 90_000)).toBeLessThan(20)
  expect(heldBack(answered(asked, 61_000, taken), 89_999), 'another answer shortens nothing').toBe(100)
})
