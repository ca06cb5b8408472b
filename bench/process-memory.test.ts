import { expect, it } from 'vitest'
import { slopeOf } from './process-memory.ts'

it('slopeOf returns the growth of memory from one reading to the next', () => {
  expect(slopeOf([10, 12, 14, 16])).toBe(2)
  expect(slopeOf([5, 5, 5])).toBe(0)
})
