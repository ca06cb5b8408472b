import { expect, test } from 'vitest'
import { createThrottle } from './enrolment.ts'

const DAY_MS = 24 * 3_600_000

test('a clock that is set back does not extend the delay after wrong attempts on an enrolment code', () => {
  const throttle = createThrottle()
  expect(throttle.begin('10.0.0.1', 'ABCDE', DAY_MS)).toBe(0)
  expect(throttle.begin('10.0.0.1', 'ABCDE', 0), 'one mistyped code, then the clock is set right').toBe(0)
  for (let tries = 2; tries <= 5; tries += 1) expect(throttle.begin('10.0.0.1', 'ABCDE', 0)).toBe(0)
  expect(throttle.begin('10.0.0.1', 'ABCDE', 0)).toBe(1_000)
})
