import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDelivery } from './delivery.ts'

let told: number[]
beforeEach(() => {
  vi.useFakeTimers()
  told = []
})
afterEach(() => {
  vi.useRealTimers()
})
const open = (enabled: boolean) =>
  createDelivery<number>((event) => {
    told.push(event)
  }, enabled)
const soon = (): Promise<void> => Promise.resolve()

test('what is read while the device is disabled waits, and comes in order when it is enabled', async () => {
  const delivery = open(false)
  delivery.push(1)
  delivery.push(2)
  await soon()
  expect(told).toEqual([])
  vi.advanceTimersByTime(2_000)
  delivery.setEnabled(true)
  expect(told).toEqual([1, 2])
  delivery.push(3)
  await soon()
  expect(told).toEqual([1, 2, 3])
})

test('what has waited for more than two seconds belongs to nobody, and is counted', () => {
  const delivery = open(false)
  delivery.push(1)
  vi.advanceTimersByTime(2_001)
  delivery.push(2)
  delivery.setEnabled(true)
  expect(told).toEqual([2])
  expect(delivery.stale).toBe(1)
})

test('a device that nobody enables holds the newest sixteen', () => {
  const delivery = open(false)
  for (let event = 1; event <= 20; event += 1) delivery.push(event)
  delivery.setEnabled(true)
  expect(told).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
  expect(delivery.stale).toBe(4)
})

test('a listener that disables the device on an event gets no other', () => {
  const delivery = createDelivery<number>((event) => {
    told.push(event)
    delivery.setEnabled(false)
  }, false)
  delivery.push(1)
  delivery.push(2)
  delivery.setEnabled(true)
  expect(told).toEqual([1])
})

test('nothing is delivered after close', async () => {
  const delivery = open(true)
  delivery.push(1)
  delivery.close()
  delivery.push(2)
  await soon()
  expect(told).toEqual([])
})
