import { expect, test } from 'vitest'
import { lostSince, type Kept } from './journal.ts'

const kept = (entries: readonly string[], sales: readonly string[]): Kept => ({
  entries: new Map(entries.map((hash, index) => [index + 1, hash])),
  sales: new Set(sales),
  schema: 1,
})

test('what is gone or another is seen, also a sale that was acknowledged meanwhile', () => {
  const before = kept(['a', 'b'], ['one'])
  expect(lostSince(before, ['two'], kept(['a', 'b', 'c'], ['one', 'two']))).toBeNull()
  expect(lostSince(before, [], kept(['a'], ['one']))).toContain('entry 2')
  expect(lostSince(before, [], kept(['a', 'x', 'c'], ['one']))).toContain('entry 2')
  expect(lostSince(before, [], kept(['a', 'b'], []))).toContain('sale one')
  expect(lostSince(before, ['two'], kept(['a', 'b'], ['one']))).toContain('sale two')
})
