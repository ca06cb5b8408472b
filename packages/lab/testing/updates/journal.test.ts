import { expect, test } from 'vitest'
import { firstLoss, type Records } from './journal.ts'

const recordsOf = (entries: readonly string[], sales: readonly string[]): Records => ({
  entries: new Map(entries.map((hash, index) => [index + 1, hash])),
  sales: new Set(sales),
  schema: 1,
})

test('the comparison of records reports missing or changed journal entries and missing acknowledged sales', () => {
  const before = recordsOf(['a', 'b'], ['one'])
  expect(firstLoss(before, ['two'], recordsOf(['a', 'b', 'c'], ['one', 'two']))).toBeNull()
  expect(firstLoss(before, [], recordsOf(['a'], ['one']))).toContain('entry 2')
  expect(firstLoss(before, [], recordsOf(['a', 'x', 'c'], ['one']))).toContain('entry 2')
  expect(firstLoss(before, [], recordsOf(['a', 'b'], []))).toContain('sale one')
  expect(firstLoss(before, ['two'], recordsOf(['a', 'b'], ['one']))).toContain('sale two')
})
