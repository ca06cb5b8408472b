import { expect, test } from 'vitest'
import { gapOf, later, NO_END, planMs, sooner, withOthers, type QueueEnd } from './queue-end.ts'

const HOUR = 3_600_000
/** What is left of a plan of so long, in ms, where `ms` are left until the lane's own end. */
const after = (ms: number, change: Partial<QueueEnd> = {}): QueueEnd => ({
  ...NO_END,
  endAt: ms,
  plannedEndAt: 600_000,
  ...change,
})

test('what an outage has left is to have gone within a twelfth of it, after a day within an hour', () => {
  const hours = [1, 6, 24, 7 * 24].map((outage) => planMs(outage * HOUR) / 60_000)
  expect(hours).toEqual([5, 30, 60, 420])
})

/** How much of what is left a call saves that is taken so long after the outage. */
const saved = (now: number, endAt: number): number => {
  const end = sooner(after(endAt), false, { now, waiting: 50 })
  return (endAt - end.endAt) / (endAt - now)
}

test('after a call was taken who is behind the plan takes a larger step than who is before it', () => {
  const [before, like, behind] = [450_000, 600_000, 660_000].map((endAt) => saved(0, endAt))
  expect(like, 'a gap').toBeCloseTo(1 / 50, 5)
  expect(before).toBeCloseTo(0.75 ** 4 / 50, 5)
  expect(behind).toBeCloseTo(1.1 ** 4 / 50, 5)
  expect(saved(0, 1_200_000), 'and at most').toBeCloseTo(0.03, 5)
})

test('the nearer the end, the steps stay as large: who is left takes the place of those who are done', () => {
  expect(saved(440_000, 450_000)).toBeCloseTo(saved(0, 450_000), 5)
})

test('an answer that is slow saves nothing, and does not end the hurry either: a call that is turned away does', () => {
  const slow = sooner(after(400_000, { isRamping: true }), true, { now: 0, waiting: 200 })
  expect(slow).toMatchObject({ endAt: 400_000, isRamping: true })
  expect(withOthers(slow)).toMatchObject({ endAt: 500_000, isRamping: false })
})

test('a call that was turned away costs a few gaps: of many that wait a small part of what is left', () => {
  const parts = [5, 60, 400].map((waiting) => later(after(1_000_000), { now: 0, waiting }).endAt / 1_000_000 - 1)
  expect(parts.map((part) => Number(part.toFixed(3)))).toEqual([0.15, 0.067, 0.03])
})

test('who had hurried until the first call was turned away comes half of the way back to what all had planned', () => {
  expect(withOthers(after(200_000, { isRamping: true }))).toMatchObject({
    endAt: 400_000,
    isRamping: false,
  })
  expect(withOthers(after(200_000)).endAt, 'only once').toBe(200_000)
})

test('calls leave evenly until the end, half a minute apart at the most', () => {
  expect([5, 30].map((waiting) => gapOf(after(300_000), { now: 0, waiting }))).toEqual([30_000, 10_000])
})
