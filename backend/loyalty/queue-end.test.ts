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

test('after a call was taken who is behind the plan takes a larger step than who is before it', () => {
  const saved = [300_000, 600_000, 900_000].map((ms) => {
    const { endAt } = sooner(after(ms), false, { now: 0, waiting: 20 })
    return (ms - endAt) / ms
  })
  expect(saved[0]).toBeCloseTo(0.00125)
  expect(saved[1]).toBeCloseTo(0.005)
  expect(saved[2]).toBeCloseTo(0.01125)
})

test('the longer nothing was turned away, the larger are the steps, and an answer that is slow stops them', () => {
  const [few, many] = [2, 40].map((takenInARow) =>
    sooner(after(600_000, { takenInARow }), false, { now: 0, waiting: 200 }),
  )
  expect(few?.endAt).toBeCloseTo(599_400, -1)
  expect(many?.endAt).toBeCloseTo(593_700, -1)
  expect(sooner(after(600_000, { takenInARow: 40, isRamping: true }), true, { now: 0, waiting: 200 })).toMatchObject({
    endAt: 600_000,
    isRamping: false,
  })
})

test('a call that was turned away costs a few gaps: of many that wait a small part of what is left', () => {
  const parts = [5, 60, 400].map((waiting) => later(after(1_000_000), { now: 0, waiting }).endAt / 1_000_000 - 1)
  expect(parts.map((part) => Number(part.toFixed(3)))).toEqual([0.15, 0.1, 0.05])
})

test('who had hurried until the first call was turned away comes half of the way back to what all had planned', () => {
  expect(withOthers(after(200_000, { isRamping: true, takenInARow: 30 }))).toMatchObject({
    endAt: 400_000,
    isRamping: false,
    takenInARow: 0,
  })
  expect(withOthers(after(200_000)).endAt, 'only once').toBe(200_000)
})

test('calls leave evenly until the end, half a minute apart at the most', () => {
  expect([5, 30].map((waiting) => gapOf(after(300_000), { now: 0, waiting }))).toEqual([30_000, 10_000])
})
