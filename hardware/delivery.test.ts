import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDelivery } from './delivery.ts'

let delivered: number[]
beforeEach(() => {
  vi.useFakeTimers()
  delivered = []
})
afterEach(() => {
  vi.useRealTimers()
})
const open = (enabled: boolean) =>
  createDelivery<number>((event) => {
    delivered.push(event)
  }, enabled)
const soon = (): Promise<void> => Promise.resolve()

test('a disabled device holds its reads until it is enabled, and then delivers them in order', async () => {
  const delivery = open(false)
  delivery.push(1)
  delivery.push(2)
  await soon()
  expect(delivered).toEqual([])
  vi.advanceTimersByTime(2_000)
  delivery.setEnabled(true)
  expect(delivered).toEqual([1, 2])
  delivery.push(3)
  await soon()
  expect(delivered).toEqual([1, 2, 3])
})

test('reads that waited at a disabled device for more than two seconds are dropped and counted', () => {
  const delivery = open(false)
  delivery.push(1)
  vi.advanceTimersByTime(2_001)
  delivery.push(2)
  delivery.setEnabled(true)
  expect(delivered).toEqual([2])
  expect(delivery.stale).toBe(1)
})

test('a disabled device holds the newest sixteen reads and drops older ones', () => {
  const delivery = open(false)
  for (let event = 1; event <= 20; event += 1) delivery.push(event)
  delivery.setEnabled(true)
  expect(delivered).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
  expect(delivery.stale).toBe(4)
})

test('a listener that disables the device while it handles an event receives no further event', () => {
  const delivery = createDelivery<number>((event) => {
    delivered.push(event)
    delivery.setEnabled(false)
  }, false)
  delivery.push(1)
  delivery.push(2)
  delivery.setEnabled(true)
  expect(delivered).toEqual([1])
})

test('a closed device delivers neither waiting nor new reads', async () => {
  const delivery = open(true)
  delivery.push(1)
  delivery.close()
  delivery.push(2)
  await soon()
  expect(delivered).toEqual([])
})
