import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemRng, systemClock, timeOrderedUuid } from './clock.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a time-ordered UUID has version 7, starts with its millisecond and sorts by it', () => {
  const millisecond = fc.integer({ min: 0, max: 2 ** 47 })
  fc.assert(
    fc.property(millisecond, millisecond, (one, other) => {
      const [first, second] = [timeOrderedUuid(one, systemRng), timeOrderedUuid(other, systemRng)]
      expect(first).toMatch(VERSION_7)
      expect(Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16)).toBe(one)
      fc.pre(one !== other)
      expect(first < second).toBe(one < other)
    }),
  )
  expect(timeOrderedUuid(1, systemRng)).not.toBe(timeOrderedUuid(1, systemRng))
})

test('a timer of 0 ms runs before an immediate that was set later, and can be cancelled', async () => {
  const received: string[] = []
  systemClock.after(0, () => {
    received.push('first')
  })
  systemClock.after(0, () => {
    received.push('called off')
  })()
  setImmediate(() => {
    received.push('turn')
  })
  await new Promise<void>((resolve) => {
    systemClock.after(0, resolve)
  })
  expect(received).toEqual(['first', 'turn'])
})
