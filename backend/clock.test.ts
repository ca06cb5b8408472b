import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemChance, systemClock, timeOrderedUuid } from './clock.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a time-ordered UUID is of version 7, begins with its millisecond and sorts by it', () => {
  const millisecond = fc.integer({ min: 0, max: 2 ** 47 })
  fc.assert(
    fc.property(millisecond, millisecond, (one, other) => {
      const [first, second] = [timeOrderedUuid(one, systemChance), timeOrderedUuid(other, systemChance)]
      expect(first).toMatch(VERSION_7)
      expect(Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16)).toBe(one)
      fc.pre(one !== other)
      expect(first < second).toBe(one < other)
    }),
  )
  expect(timeOrderedUuid(1, systemChance)).not.toBe(timeOrderedUuid(1, systemChance))
})

test('what comes after no time at all comes in the same turn of the event loop, and can be called off', async () => {
  const heard: string[] = []
  systemClock.after(0, () => {
    heard.push('first')
  })
  systemClock.after(0, () => {
    heard.push('called off')
  })()
  setImmediate(() => {
    heard.push('turn')
  })
  await new Promise<void>((resolve) => {
    systemClock.after(0, resolve)
  })
  expect(heard).toEqual(['first', 'turn'])
})
