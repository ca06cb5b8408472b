import { expect, test } from 'vitest'
import { createStoreTime } from './lease.ts'

function openTime() {
  let passed = 0
  const time = createStoreTime({ now: () => 5, monotonic: () => passed })
  return {
    now: time.now,
    hear: time.hear,
    pass: (ms: number): void => {
      passed += ms
    },
  }
}

test('the time is the lane’s own until the server was heard', () => {
  const time = openTime()
  expect(time.now()).toBe(5)
  time.hear(100_000)
  time.pass(40)
  expect(time.now()).toBe(100_040)
})

test('an answer that took long does not move the time back, and one that was quicker moves it on', () => {
  const time = openTime()
  time.hear(100_000)
  time.pass(2_000)
  time.hear(100_500)
  expect(time.now()).toBe(102_000)
  time.hear(102_030)
  expect(time.now()).toBe(102_030)
})

test.each([
  ['clock that was set back', 1_000, 90_000],
  ['time that differs a little after ten minutes', 600_000, 699_000],
])('the server’s %s is followed', (_, ms, at) => {
  const time = openTime()
  time.hear(100_000)
  time.pass(ms)
  time.hear(at)
  expect(time.now()).toBe(at)
})
